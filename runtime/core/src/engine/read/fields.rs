//! Evaluates the fields of a term.

use std::borrow::Cow;

use interlingua_table::{BlockKind, Expr, Field, Verb};

use super::eval::Val;
use super::list::{each_of, json_or_null, location};
use super::scope::Scope;
use super::term::Term;
use super::walk::Walking;
use crate::engine::piece::{PartKey, TextUpdate};
use crate::json::Value;
use crate::vocabulary::{
    CallId, ChangeKind, ContentBlock, Cost, CostSource, FileChange, Image, Json, Plan, PlanEntry,
    PlanPriority, PlanStatus, Reasoning, Status, Text, ToolCall, ToolKind, Usage, Visibility,
};

/// Evaluates the fields of terms.
pub(crate) trait Fields: Walking {
    /// Notes a value that should be a text and is none.
    fn lose_text(&self, expr: &Expr, value: Value<'_>, scope: &Scope<'_, '_>);

    #[inline]
    fn get<'x>(&self, term: &Term, field: Field, scope: &Scope<'x, '_>) -> Option<Val<'x>> {
        if term.gives(field) { self.eval(term.field(field)?, scope) } else { None }
    }

    #[inline]
    fn text<'x>(&self, term: &Term, field: Field, scope: &Scope<'x, '_>) -> Option<Cow<'x, str>> {
        if term.gives(field) { self.eval_text(term.field(field)?, scope) } else { None }
    }

    #[inline]
    fn string(&self, term: &Term, field: Field, scope: &Scope<'_, '_>) -> Option<String> {
        if term.gives(field) { self.text(term, field, scope).map(Cow::into_owned) } else { None }
    }

    fn json_text<'x>(&self, term: &Term, field: Field, scope: &Scope<'x, '_>) -> Option<Cow<'x, str>> {
        self.get(term, field, scope).map(Val::json)
    }

    fn json(&self, term: &Term, field: Field, scope: &Scope<'_, '_>) -> Option<Json> {
        Some(Json::checked(self.json_text(term, field, scope)?))
    }

    fn truth(&self, term: &Term, field: Field, scope: &Scope<'_, '_>) -> Option<bool> {
        self.get(term, field, scope)?.truth()
    }

    #[inline]
    fn flag(&self, term: &Term, field: Field, scope: &Scope<'_, '_>) -> bool {
        term.gives(field) && self.truth(term, field, scope).unwrap_or(false)
    }

    fn whole(&self, term: &Term, field: Field, scope: &Scope<'_, '_>) -> Option<i64> {
        self.get(term, field, scope)?.whole()
    }

    fn count(&self, term: &Term, field: Field, scope: &Scope<'_, '_>) -> Option<u64> {
        u64::try_from(self.whole(term, field, scope)?).ok()
    }

    fn place<'x>(&self, term: &Term, field: Field, scope: &Scope<'x, '_>) -> Option<PartKey<'x>> {
        self.get(term, field, scope).and_then(Val::part_key)
    }

    /// A word of a closed set; one that is not in it counts as absent.
    fn word<T>(
        &self,
        term: &Term,
        field: Field,
        scope: &Scope<'_, '_>,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<T> {
        self.text(term, field, scope).and_then(|word| read(&word))
    }

    /// The block that a step gives; nothing when what makes it up is absent.
    fn block(&self, term: &Term, scope: &Scope<'_, '_>) -> Option<ContentBlock> {
        let string = |field| self.string(term, field, scope);
        Some(match term.block {
            BlockKind::None => return None,
            BlockKind::Text => {
                let mut block = Text::new(self.whole_text(term, scope)?);
                block.annotations = self.annotations(term, scope);
                block.into()
            }
            BlockKind::Reasoning => {
                let signature = string(Field::Signature);
                let text = self.whole_text(term, scope);
                if text.is_none() && signature.is_none() {
                    return None;
                }
                let visibility = self.word(term, Field::Visibility, scope, Visibility::from_word);
                Reasoning { text: text.unwrap_or_default(), visibility, signature }.into()
            }
            BlockKind::Image => {
                let image =
                    Image { mime: string(Field::Mime), uri: string(Field::Uri), data: string(Field::Base64) };
                if image.uri.is_none() && image.data.is_none() {
                    return None;
                }
                image.into()
            }
            BlockKind::FileChange => {
                let change = self.word(term, Field::Change, scope, ChangeKind::from_word)?;
                let mut block = FileChange::new(string(Field::Path)?, change);
                block.from = string(Field::From);
                block.diff = string(Field::Diff);
                block.into()
            }
            BlockKind::Plan => self.plan(term, scope).into(),
            BlockKind::Json => ContentBlock::json(self.json(term, Field::Value, scope)?),
            BlockKind::Status => {
                let mut status = Status::new(string(Field::Label)?);
                status.detail = string(Field::Detail);
                status.data = self.json(term, Field::Data, scope);
                status.into()
            }
            BlockKind::Other => ContentBlock::from_native(self.json(term, Field::Value, scope)?),
        })
    }

    fn whole_text(&self, term: &Term, scope: &Scope<'_, '_>) -> Option<String> {
        let said = [Field::Whole, Field::Snapshot, Field::Delta];
        said.iter().find_map(|field| self.readable(term, *field, scope)?.text()).map(Cow::into_owned)
    }

    /// A value that is to be told as text. One that has none, being a list or an object against
    /// the schema, is told apart as lost.
    fn readable<'x>(&self, term: &Term, field: Field, scope: &Scope<'x, '_>) -> Option<Val<'x>> {
        let expr = term.field(field)?;
        let value = self.eval(expr, scope)?;
        if let Val::Node(node) = &value
            && (node.is_array() || node.is_object())
        {
            self.lose_text(expr, *node, scope);
            return None;
        }
        Some(value)
    }

    /// The text of a part: the first of `delta`, `snapshot` and `whole` that the map gives.
    fn said<'x>(&self, term: &Term, scope: &Scope<'x, '_>) -> TextUpdate<'x> {
        if let Some(delta) = self.readable(term, Field::Delta, scope) {
            TextUpdate::Delta(delta.fragment())
        } else if let Some(snapshot) = self.readable(term, Field::Snapshot, scope) {
            TextUpdate::Snapshot(snapshot.fragment())
        } else if let Some(whole) = self.readable(term, Field::Whole, scope) {
            TextUpdate::Whole(whole.fragment())
        } else {
            TextUpdate::None
        }
    }

    fn annotations(&self, term: &Term, scope: &Scope<'_, '_>) -> Vec<Json> {
        let Some(list) = self.get(term, Field::Annotations, scope) else {
            return Vec::new();
        };
        each_of(list, |value| Some(json_or_null(Some(value.raw()))))
    }

    fn plan(&self, term: &Term, scope: &Scope<'_, '_>) -> Plan {
        let mut entries = Vec::new();
        self.walk(term.body, scope, &mut |inner, scope| {
            if let (Verb::Entry, Some(text)) = (inner.verb, self.string(inner, Field::Text, scope)) {
                let status = self.text(inner, Field::EntryStatus, scope);
                let status = status.map_or(PlanStatus::Pending, |status| PlanStatus::from(&*status));
                let mut entry = PlanEntry::new(text, status);
                entry.priority =
                    self.text(inner, Field::Priority, scope).map(|priority| PlanPriority::from(&*priority));
                entries.push(entry);
            }
            true
        });
        Plan { entries }
    }

    /// The block of a tool call. Its call id is set when its item starts.
    fn call_block(&self, term: &Term, scope: &Scope<'_, '_>) -> ToolCall {
        let call = self.text(term, Field::Call, scope).or_else(|| self.text(term, Field::Id, scope));
        let name = self.string(term, Field::Name, scope).unwrap_or_default();
        let mut is_text = false;
        let arguments = self.get(term, Field::Arguments, scope).map(|arguments| {
            is_text = match &arguments {
                Val::Node(node) => node.is_string(),
                Val::Text(_) | Val::Stored(_) => true,
                _ => false,
            };
            arguments.arguments().text().into_owned()
        });
        let mut block =
            ToolCall::new(CallId::from(&*call.unwrap_or_default()), name, arguments.unwrap_or_default());
        if is_text && !block.arguments.is_empty() {
            block.check_arguments();
        }
        block.tool_kind = self.text(term, Field::Kind, scope).map(|kind| ToolKind::from(&*kind));
        block.title = self.string(term, Field::Title, scope);
        block.hosted = self.flag(term, Field::Hosted, scope);
        block.locations = match self.get(term, Field::Locations, scope) {
            Some(list) => each_of(list, location),
            None => Vec::new(),
        };
        block
    }

    fn usage(&self, term: &Term, scope: &Scope<'_, '_>) -> Usage {
        let count = |field| self.count(term, field, scope);
        let amount = self.get(term, Field::Cost, scope).and_then(|cost| cost.real());
        let currency = self.string(term, Field::Currency, scope);
        let source = self.string(term, Field::CostSource, scope);
        let cost = amount.zip(currency).map(|(amount, currency)| {
            // A cost without a source is the agent's own.
            let source = source.as_deref().map_or(CostSource::Agent, CostSource::from);
            Cost::new(amount, currency, source)
        });
        Usage {
            input: count(Field::Input),
            cache_read: count(Field::CacheRead),
            cache_write: count(Field::CacheWrite),
            output: count(Field::Output),
            reasoning: count(Field::Reasoning),
            cost,
        }
    }
}
