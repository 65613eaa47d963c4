//! From a checked map to the compiled table.
//!
//! The table is made of `'static` data. It is leaked on purpose: a map lives as long as the process
//! that uses it, and there are a handful of them.

mod dispatch;
mod values;
mod writes;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use interlingua_table::{
    Action, Arm, ArmShape, Cond, Context, Dropped, Expr, Field, Framing, Member, Pairing, Register, Rule,
    Server, Table, TimeField, Tool, ToolName, ValueMap, Verb,
};

use crate::ast::{self, Gives, RuleAction, State, StepKind, UseAs, Word};
use crate::check::{Checked, KnownMember, spec_of};
use crate::{fields, rpc};

/// Makes the table of a map that the checker has found right. `members` are those that the schema knows
/// in the messages of each rule, `command_reads` the fields that each rule that writes reads.
pub(crate) fn lower(
    map: &ast::Map,
    file: &str,
    members: &[Vec<KnownMember>],
    checked: &Checked<'_>,
) -> &'static Table {
    // Keys are numbered in sorted order, which is known only when all have been seen. So the map is
    // lowered once to collect them, and once more with their numbers.
    let mut collecting = Lower::new(map, checked);
    collecting.table(file);
    let keys: Vec<String> = collecting.seen.into_iter().collect();
    let write_keys: Vec<String> = collecting.seen_writing.into_iter().collect();
    let numbered = |keys: &[String]| {
        keys.iter().enumerate().map(|(number, key)| (key.clone(), to_u16(number))).collect()
    };
    let mut lower = Lower::new(map, checked);
    lower.keys = numbered(&keys);
    lower.write_keys = numbered(&write_keys);
    let mut table = lower.table(file);
    let mut rules = table.rules.to_vec();
    for (rule, members) in rules.iter_mut().zip(members) {
        rule.members = leak_members(members);
    }
    table.rules = leak_all(rules);
    table.included = leak_all(map.sources.names(file).map(|name| text(&name)).collect());
    table.keys = leak_all(keys.iter().map(|key| text(key)).collect());
    table.write_keys = leak_all(write_keys.iter().map(|key| text(key)).collect());
    Box::leak(Box::new(table))
}

fn to_u16(number: usize) -> u16 {
    u16::try_from(number).expect("a map has fewer than 65,536 keys, rules, registers and value maps")
}

fn leak_all<T>(all: Vec<T>) -> &'static [T] {
    Vec::leak(all)
}

fn leak_members(members: &[KnownMember]) -> &'static [Member] {
    let leak_one =
        |member: &KnownMember| Member { name: text(&member.name), members: leak_members(&member.members) };
    leak_all(members.iter().map(leak_one).collect())
}

fn leak<T>(one: T) -> &'static T {
    Box::leak(Box::new(one))
}

fn text(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

struct Lower<'m> {
    map: &'m ast::Map,
    checked: &'m Checked<'m>,
    /// The keys before the paths of the rule that is lowered.
    body: Vec<String>,
    /// The command of the rule that is lowered.
    command: &'m str,
    /// Numbers of keys; empty while they are being collected.
    keys: BTreeMap<String, u16>,
    seen: BTreeSet<String>,
    /// The same for the rules that write, whose paths lead into commands and not into native messages.
    write_keys: BTreeMap<String, u16>,
    seen_writing: BTreeSet<String>,
    writing: bool,
    /// How many of `each`, `with` and the like are around.
    depth: u8,
    /// The number of the scope that `$` is.
    root: u8,
}

impl<'m> Lower<'m> {
    fn new(map: &'m ast::Map, checked: &'m Checked<'m>) -> Self {
        Self {
            map,
            checked,
            body: Vec::new(),
            command: "",
            keys: BTreeMap::new(),
            seen: BTreeSet::new(),
            write_keys: BTreeMap::new(),
            seen_writing: BTreeSet::new(),
            writing: false,
            depth: 0,
            root: 0,
        }
    }

    fn key(&mut self, key: &str) -> u16 {
        let (seen, keys) = match self.writing {
            false => (&mut self.seen, &self.keys),
            true => (&mut self.seen_writing, &self.write_keys),
        };
        seen.insert(key.to_owned());
        keys.get(key).copied().unwrap_or_default()
    }

    fn table(&mut self, file: &str) -> Table {
        let map = self.map;
        let provider = &map.provider;
        let setting = |word: &Option<Word>| word.as_ref().map_or("", |word| text(&word.text));
        let names = rule_names(map);
        Table {
            provider: text(&provider.name.text),
            title: setting(&provider.title),
            install: setting(&provider.install),
            files: leak_all(provider.files.iter().map(|pattern| text(&pattern.text)).collect()),
            written_by: setting(&provider.written_by),
            resume: setting(&provider.resume),
            layer: provider.layer,
            dialect_of: provider.dialect_of.as_ref().map(|word| text(&word.text)),
            file: text(file),
            included: &[],
            framing: leak_all(provider.framing.iter().map(framing).collect()),
            turn_ends_with_input: provider.turn_ends_with_input,
            demands: provider.demands,
            server: provider
                .listens
                .as_ref()
                .zip(provider.events.as_ref())
                .map(|(listens, events)| Server { listens: text(&listens.text), events: text(&events.text) }),
            end: leak_all(provider.end.iter().map(|end| text(&end.text)).collect()),
            keys: &[],
            context: Context {
                envelope: self.paths(&provider.envelope),
                message_id: self.paths(&provider.message_id),
                session: self.paths(&provider.session),
                turn: self.paths(&provider.turn),
                agent: self.paths(&provider.agent),
                time: leak_all(
                    provider
                        .time
                        .iter()
                        .map(|(path, unit)| TimeField { path: self.path(path), unit: *unit })
                        .collect(),
                ),
            },
            pairing: self.pairing(),
            dispatch: self.dispatch(),
            rules: self.rules(names),
            values: leak_all(map.values.iter().map(value_map).collect()),
            tools: leak_all(map.tools.iter().map(|one| tool(map, one)).collect()),
            registers: leak_all(
                map.registers
                    .iter()
                    .map(|register| Register { name: text(&register.name.text), scope: register.scope })
                    .collect(),
            ),
            dropped: leak_all(map.drops.iter().flat_map(|one| dropped(map, self.checked, one)).collect()),
            writes: self.writes(),
            cannot: self.cannot(),
            open_readers: leak_all(self.checked.open_readers.iter().map(|command| text(command)).collect()),
            hosts: self.hosts(),
            target: provider.target,
            write_keys: &[],
            prepared: Box::leak(Box::default()),
        }
    }

    fn pairing(&mut self) -> Pairing {
        let provider = &self.map.provider;
        let member = provider.answers.as_ref().and_then(|(_, member)| member.as_ref());
        Pairing {
            asks: provider.asks.as_ref().map_or(Expr::Absent, |asks| self.expr(asks)),
            answers: provider.answers.as_ref().map_or(Expr::Absent, |(answers, _)| self.expr(answers)),
            member: member.map_or("", |member| text(&member.text)),
            turn_answered_at_end: provider.turn_answered_at_end,
        }
    }

    fn rules(&mut self, names: Vec<&'static str>) -> &'static [Rule] {
        let (map, checked) = (self.map, self.checked);
        let mut rules = Vec::new();
        for ((rule, name), bodied) in map.rules.iter().zip(names).zip(&checked.bodied) {
            self.body = if *bodied { body(map) } else { Vec::new() };
            rules.push(self.rule(rule, name));
        }
        self.body.clear();
        leak_all(rules)
    }

    fn rule(&mut self, rule: &ast::Rule, name: &'static str) -> Rule {
        let (actions, ignore) = self.rule_action(&rule.action);
        Rule {
            name,
            place: self.map.sources.place(rule.span),
            patterns: leak_all(rule.patterns.iter().map(|pattern| text(&pattern.to_string())).collect()),
            members: &[],
            condition: rule.condition.as_ref().map(|condition| self.cond(condition)),
            context: leak_all(
                rule.context
                    .iter()
                    .map(|field| (context_field(&field.name.text), self.expr(&field.expr())))
                    .collect(),
            ),
            actions,
            ignore,
        }
    }

    fn rule_action(&mut self, action: &RuleAction) -> (&'static [Action], Option<&'static str>) {
        match action {
            RuleAction::Steps(steps) => (self.steps(steps), None),
            RuleAction::Ignore(reason) => (&[], reason.0.as_ref().map(|reason| text(&reason.text))),
        }
    }

    pub(super) fn steps(&mut self, steps: &[ast::Step]) -> &'static [Action] {
        let mut actions = Vec::new();
        self.steps_into(steps, &mut actions);
        leak_all(actions)
    }

    fn steps_into(&mut self, steps: &[ast::Step], actions: &mut Vec<Action>) {
        for step in steps {
            let action = match &step.kind {
                StepKind::Emit { term, state, fields, spreads, body } => {
                    let (fields, _) = fields::all(self.map, fields, spreads);
                    self.emit(term, *state, &fields, body.as_deref())
                }
                StepKind::Each { single, over, by, arms } => {
                    let over = self.path(over);
                    self.depth += 1;
                    let arms = leak_all(arms.iter().map(|arm| self.arm(arm, by.as_ref())).collect());
                    self.depth -= 1;
                    if *single { Action::One { over, arms } } else { Action::Each { over, arms } }
                }
                StepKind::In(item, body) => Action::In { item: self.expr(item), body: self.steps(body) },
                StepKind::When(arms) => Action::When {
                    arms: leak_all(
                        arms.iter()
                            .map(|(condition, steps)| {
                                let condition = condition
                                    .as_ref()
                                    .map_or(Cond::All(&[]), |condition| self.cond(condition));
                                (condition, self.steps(steps))
                            })
                            .collect(),
                    ),
                },
                StepKind::Set(register, key, value) => Action::Set {
                    register: self.register(register),
                    key: key.as_ref().map(|key| self.expr(key)),
                    value: self.expr(value),
                },
                StepKind::Add(value, merge) => Action::Add {
                    value: self.expr(value),
                    merge: merge.as_ref().map(|merge| (text(&merge.by.text), text(&merge.list.text))),
                },
                StepKind::Send { value, http, .. } => Action::Send {
                    value: value.as_ref().map_or(interlingua_table::Expr::Absent, |value| self.expr(value)),
                    http: http.as_ref().map(|(method, path)| (text(&method.text), self.expr(path))),
                },
                StepKind::Spawn { args, cwd, .. } => Action::Spawn {
                    args: self.expr(args),
                    cwd: cwd.as_ref().map_or(interlingua_table::Expr::Absent, |cwd| self.expr(cwd)),
                },
                StepKind::Tell(_, id) => Action::Tell {
                    id: id.as_ref().map_or(interlingua_table::Expr::Absent, |id| self.expr(id)),
                },
                StepKind::Put(key, value) => Action::Put { key: self.expr(key), value: self.expr(value) },
                StepKind::Rpc { span, what, value } => {
                    let jsonrpc = self.checked.tells_jsonrpc;
                    let message = rpc::message(*span, what, value.as_ref(), self.command, jsonrpc);
                    let message = message.expect("the checker has made the same message");
                    Action::Send { value: self.expr(&message), http: None }
                }
                StepKind::HangUp(_) => Action::HangUp,
                StepKind::Await(_) => Action::Await,
                StepKind::Degrade(what, reason) => {
                    Action::Degrade { what: text(&what.text), reason: text(&reason.text()) }
                }
                StepKind::Once(key) => Action::Once { key: self.expr(key) },
                StepKind::Candidate(number) => Action::Candidate { number: self.expr(number) },
                StepKind::Use(name, how) => {
                    let map = self.map;
                    let Some(block) = map.blocks.iter().find(|block| block.name.text == name.text) else {
                        continue;
                    };
                    if *how == UseAs::Element && matches!(block.gives, Gives::List) {
                        let value = self.used(name, false);
                        actions.push(Action::Add { value, merge: None });
                    } else {
                        self.steps_into(&block.steps, actions);
                    }
                    continue;
                }
            };
            actions.push(action);
        }
    }

    fn emit(
        &mut self,
        term: &Word,
        state: State,
        fields: &[ast::FieldValue],
        body: Option<&[ast::Step]>,
    ) -> Action {
        let spec = spec_of(term).expect("the checker knows every term");
        let fields: Vec<(Field, _)> = fields
            .iter()
            .filter_map(|field| {
                let known =
                    spec.fields_in(self.map.provider.layer).find(|known| known.name == field.name.text)?;
                let flag = known.kind == interlingua_table::FieldKind::Flag;
                let value = if flag { interlingua_table::Expr::Bool(true) } else { self.expr(&field.expr()) };
                Some((known.field, value))
            })
            .collect();
        let completes = fields.iter().any(|(field, _)| *field == Field::Status);
        let verb = match (spec.verb, state) {
            (Verb::Open, State::Whole(_)) => Verb::Whole,
            (Verb::Open, State::Done(_)) => Verb::Close,
            (Verb::Open, State::Unsaid) if completes => Verb::Close,
            (verb, _) => verb,
        };
        Action::Emit {
            verb,
            item: spec.item,
            block: spec.block,
            fields: leak_all(fields),
            body: body.map_or(&[], |body| self.steps(body)),
            place: self.map.sources.place(term.span),
        }
    }

    fn arm(&mut self, arm: &ast::Arm, by: Option<&ast::Path>) -> Arm {
        let shape = match (&arm.shape, by) {
            (ast::ArmShape::Kind(kind), _) => ArmShape::Kind(*kind),
            (ast::ArmShape::Tags(tags), Some(by)) => {
                let values = leak_all(tags.iter().map(|tag| text(&tag.text)).collect());
                ArmShape::Tag(self.path(by), values)
            }
            _ => ArmShape::Any,
        };
        let condition = arm.condition.as_ref().map(|condition| self.cond(condition));
        let (actions, ignore) = self.rule_action(&arm.action);
        Arm { shape, condition, actions, ignore }
    }
}

fn context_field(name: &str) -> Field {
    match name {
        "session" => Field::Session,
        "turn" => Field::Turn,
        "agent" => Field::Agent,
        _ => Field::Time,
    }
}

fn value_map(values: &ast::ValueMap) -> ValueMap {
    let result = |result: &Option<Word>| result.as_ref().map(|word| text(&word.text));
    ValueMap {
        name: text(&values.name.text),
        pairs: leak_all(
            values.pairs.iter().map(|(native, universal)| (text(&native.text), result(universal))).collect(),
        ),
        otherwise: values.otherwise.as_ref().and_then(result),
    }
}

fn tool(map: &ast::Map, tool: &ast::Tool) -> Tool {
    let optional = |word: &Option<Word>| word.as_ref().map(|word| text(&word.text));
    let name = |native: &ast::ToolName| ToolName {
        name: text(&native.name.text),
        since: optional(&native.since),
        until: optional(&native.until),
    };
    Tool {
        table: text(&tool.table),
        name: text(&tool.name.text),
        names: leak_all(tool.names.iter().map(name).collect()),
        kind: optional(&tool.kind),
        place: map.sources.place(tool.name.span),
    }
}

fn dropped<'m>(
    map: &'m ast::Map,
    checked: &'m Checked<'m>,
    dropped: &'m ast::Drop,
) -> impl Iterator<Item = Dropped> + 'm {
    let reason = dropped.reason.0.as_ref().map_or("", |reason| text(&reason.text));
    let rules = leak_all(dropped.rules.iter().map(|rule| text(&rule.text)).collect());
    // The table has paths from the message itself.
    let bodied = |name: &Word| {
        let number = rule_names(map).iter().position(|known| *known == name.text);
        number.and_then(|number| checked.bodied.get(number)).copied().unwrap_or_default()
    };
    let in_body = dropped.rules.first().map_or(map.provider.body.is_some(), bodied);
    let whole = move |path: &ast::Path| {
        let written = ast::Path { start: ast::Start::Here, ..path.clone() }.to_string();
        if in_body && path.start == ast::Start::Here {
            return format!("{}.{written}", body(map).join("."));
        }
        written
    };
    dropped.paths.iter().map(move |path| Dropped {
        path: text(&whole(path)),
        rules,
        reason,
        place: map.sources.place(dropped.span),
    })
}

/// The keys of the setting `body`.
fn body(map: &ast::Map) -> Vec<String> {
    map.provider.body.as_ref().and_then(crate::check::keys).unwrap_or_default()
}

/// Each rule's name: its own or that of its first pattern, with a number where it is taken.
pub(crate) fn rule_names(map: &ast::Map) -> Vec<&'static str> {
    let mut taken: HashMap<String, usize> = HashMap::new();
    let mut names = Vec::new();
    for rule in &map.rules {
        let name = match (&rule.name, rule.patterns.first()) {
            (Some(name), _) => name.text.clone(),
            (None, Some(pattern)) => pattern_name(pattern),
            (None, None) => String::new(),
        };
        let count = taken.entry(name.clone()).or_default();
        *count += 1;
        names.push(if *count == 1 { text(&name) } else { text(&format!("{name}-{count}")) });
    }
    names
}

fn pattern_name(pattern: &ast::Pattern) -> String {
    let steps = pattern.routes().swap_remove(0);
    let words: Vec<String> = steps
        .into_iter()
        .map(|step| match step {
            ast::RouteStep::Value(value) => value,
            ast::RouteStep::Member(member) => member,
            ast::RouteStep::Star => "unknown".to_owned(),
        })
        .collect();
    words.join("-")
}

fn framing(word: &Word) -> Framing {
    match word.text.as_str() {
        "sse" => Framing::Sse,
        "json-rpc" => Framing::JsonRpc,
        "json" => Framing::Json,
        _ => Framing::JsonLines,
    }
}
