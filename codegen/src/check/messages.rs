//! Message types: which there are, which rule takes them, and that none is forgotten.

use std::collections::HashMap;

use super::types::{Split, Ty};
use crate::ast::{
    Map, Path, PathStep, Pattern, Provider, Route, RouteStep, Rule, RuleAction, Word, route_text, written,
};
use crate::diagnostic::{Fault, list, types};
use crate::schema::{Kinds, Schema};
use crate::sources::{Sources, Span};

/// All message types of a map's `receives`, as a tree of tags.
pub(crate) struct Messages<'s> {
    pub root: Level<'s>,
    /// Messages of any type.
    pub all: Ty<'s>,
    /// The definitions that `receives` names.
    roots: Vec<(Word, Ty<'s>)>,
}

/// One level of telling messages apart.
pub(crate) struct Level<'s> {
    /// The tag's paths as written, for messages.
    tag: String,
    split: Split<'s>,
    next: HashMap<RouteStep, Level<'s>>,
}

/// The keys of a path that consists of keys only.
pub(crate) fn keys(path: &Path) -> Option<Vec<String>> {
    path.steps
        .iter()
        .map(|step| match step {
            PathStep::Key(word) => Some(word.text.clone()),
            _ => None,
        })
        .collect()
}

fn all_keys(paths: &[Path]) -> Vec<Vec<String>> {
    paths.iter().filter_map(keys).collect()
}

fn joined(paths: &[Path]) -> String {
    paths.iter().map(Path::to_string).collect::<Vec<_>>().join(", ")
}

impl<'s> Messages<'s> {
    pub(crate) fn new(provider: &Provider, schema: &'s Schema, faults: &mut Vec<Fault>) -> Self {
        let mut all = Ty::default();
        let mut roots = Vec::new();
        for name in provider.receives.iter().chain(&provider.accepts) {
            if schema.definition(&name.text).is_none() {
                let fault = Fault::new(name.span, format!("no definition `{}` in the schema", name.text));
                faults.push(fault.suggest(&name.text, schema.definition_names()));
            }
        }
        for name in &provider.receives {
            if let Some(ty) = schema.definition(&name.text) {
                let ty = Ty::of(ty);
                all.join(ty.clone());
                roots.push((name.clone(), ty));
            }
        }
        let tags = all_keys(&provider.tag);
        let root = Level { tag: joined(&provider.tag), split: all.split(&tags), next: HashMap::new() };
        let mut messages = Self { root, all, roots };
        if !messages.all.is_empty() {
            messages.add_further_tags(provider, faults);
        }
        messages
    }

    fn add_further_tags(&mut self, provider: &Provider, faults: &mut Vec<Fault>) {
        // Shorter patterns first, whatever the order in the map, since a level hangs below another.
        let mut further: Vec<(Route, &Pattern, &[Path])> = Vec::new();
        for (patterns, paths) in &provider.further_tags {
            for pattern in patterns {
                further.extend(pattern.routes().into_iter().map(|route| (route, pattern, &paths[..])));
            }
        }
        further.sort_by_key(|(route, ..)| route.len());
        for (route, pattern, paths) in further {
            let span = pattern.span;
            let Some((last, before)) = route.split_last() else { continue };
            let place = match self.level(before) {
                _ if matches!(last, RouteStep::Star) => {
                    Err(Fault::new(span, "a value that the schema does not know cannot have a further tag"))
                }
                Some(level) => level.step(last, pattern).map(|ty| (level.next.contains_key(last), ty)),
                None => Err(no_level(before, span)),
            };
            match place {
                Err(fault) => faults.push(fault),
                Ok((true, _)) => {
                    let message = format!("messages of type `{}` have two further tags", route_text(&route));
                    faults.push(Fault::new(span, message));
                }
                Ok((false, ty)) => {
                    let split = ty.split(&all_keys(paths));
                    if split.values.is_empty() && split.open.is_none() && !ty.is_any() {
                        let message = format!(
                            "messages of type `{}` have no text at `{}`, so it cannot be their tag",
                            route_text(&route),
                            joined(paths)
                        );
                        faults.push(Fault::new(paths[0].span, message));
                    }
                    let level = Level { tag: joined(paths), split, next: HashMap::new() };
                    if let Some(parent) = self.level_mut(before) {
                        parent.next.insert(last.clone(), level);
                    }
                }
            }
        }
    }

    fn level(&self, route: &[RouteStep]) -> Option<&Level<'s>> {
        route.iter().try_fold(&self.root, |level, step| level.next.get(step))
    }

    fn level_mut(&mut self, route: &[RouteStep]) -> Option<&mut Level<'s>> {
        route.iter().try_fold(&mut self.root, |level, step| level.next.get_mut(step))
    }

    /// The type of the messages that a route takes.
    pub(crate) fn route(&self, route: &[RouteStep], pattern: &Pattern) -> Result<Ty<'s>, Fault> {
        let Some((last, before)) = route.split_last() else { return Ok(Ty::any()) };
        let level = self.level(before).ok_or_else(|| {
            // The values before may be wrong themselves, which is the better thing to say.
            self.route(before, pattern).err().unwrap_or_else(|| no_level(before, pattern.span))
        })?;
        let ty = level.step(last, pattern)?;
        Ok(match level.next.get(last).and_then(|next| next.split.absent.clone()) {
            Some(absent) => absent,
            None => ty,
        })
    }

    /// Every message type that some rule must take, with what names it.
    fn needed(&self) -> Vec<(Route, Vec<&'s str>)> {
        let mut needed = Vec::new();
        self.root.needed(&mut Vec::new(), &mut needed);
        needed
    }
}

/// The first key of a path; one that is no word is written `."the key"`.
fn first_key(path: &str) -> &str {
    let key = match path.strip_prefix(".\"") {
        Some(quoted) => quoted.split('"').next(),
        None => path.split('.').next(),
    };
    key.unwrap_or(path)
}

fn no_level(route: &[RouteStep], span: Span) -> Fault {
    let text = route_text(route);
    Fault::new(span, format!("messages of type `{text}` have no further tag"))
        .help(format!("add `tag {text}: path;` to the provider's settings"))
}

impl<'s> Level<'s> {
    fn step(&self, step: &RouteStep, pattern: &Pattern) -> Result<Ty<'s>, Fault> {
        let span = pattern.span_of(step);
        match step {
            RouteStep::Star => Ok(self.split.unknown.clone()),
            RouteStep::Value(value) => match (self.split.value(value), &self.split.open) {
                (Some(ty), _) | (None, Some(ty)) => Ok(ty.clone()),
                (None, None) => {
                    let known = self.split.values.iter().map(|(known, _)| known.as_str());
                    let message = format!("no message has `{}` as its `{}`", written(value), self.tag);
                    Err(Fault::new(span, message).suggest(value, known))
                }
            },
            RouteStep::Member(member) => self.member(member, span),
        }
    }

    /// Messages without a tag that have this member.
    fn member(&self, member: &str, span: Span) -> Result<Ty<'s>, Fault> {
        let key = first_key(member);
        let untagged = self.split.absent.clone().unwrap_or_default();
        let with = untagged.with_member(key);
        if with.is_empty() && self.split.open.is_none() {
            let message = format!("no message without `{}` has the member `{key}`", self.tag);
            return Err(Fault::new(span, message).suggest(key, untagged.property_names()));
        }
        Ok(if with.is_empty() { Ty::any() } else { with })
    }

    fn needed(&self, before: &mut Route, needed: &mut Vec<(Route, Vec<&'s str>)>) {
        for (value, ty) in &self.split.values {
            let step = RouteStep::Value(value.clone());
            before.push(step.clone());
            match self.next.get(&step) {
                None => needed.push((before.clone(), ty.names())),
                Some(next) => {
                    next.needed(before, needed);
                    if let Some(absent) = &next.split.absent {
                        needed.push((before.clone(), absent.names()));
                    }
                }
            }
            before.pop();
        }
    }
}

/// Who takes a route: the rules in order, and whether one of them takes all.
#[derive(Default)]
struct Taken {
    rules: usize,
    whole: Option<Span>,
}

/// Checks that every message type is taken by a rule, and every rule can take some message.
pub(crate) fn check(map: &Map, messages: &Messages<'_>, faults: &mut Vec<Fault>) {
    let mut taken: HashMap<Route, Taken> = HashMap::new();
    let mut order: Vec<(Route, Span)> = Vec::new();
    for rule in &map.rules {
        for pattern in &rule.patterns {
            take(rule, pattern, &map.sources, &mut taken, &mut order, faults);
        }
    }
    for (route, span) in order {
        if taken[&route].whole.is_none() {
            let text = route_text(&route);
            let message = format!(
                "all rules for `{text}` have conditions, so that some of its messages are not mapped"
            );
            let help = format!("end with a rule without `if`, or with `ignore {text} because \"…\";`");
            faults.push(Fault::new(span, message).help(help));
        }
    }
    missing(map, messages, &taken, faults);
}

fn take(
    rule: &Rule,
    pattern: &Pattern,
    sources: &Sources,
    taken: &mut HashMap<Route, Taken>,
    order: &mut Vec<(Route, Span)>,
    faults: &mut Vec<Fault>,
) {
    for route in pattern.routes() {
        let text = route_text(&route);
        let entry = taken.entry(route.clone()).or_default();
        if let Some(first) = entry.whole {
            let what = if matches!(rule.action, RuleAction::Ignore(_)) { "ignore" } else { "rule" };
            let message = format!(
                "unreachable {what}: the rule in {} takes every message of type `{text}`",
                sources.line_from(first, pattern.span)
            );
            faults.push(Fault::new(pattern.span, message));
            continue;
        }
        entry.rules += 1;
        if rule.condition.is_none() {
            entry.whole = Some(rule.span);
        }
        if entry.rules == 1 {
            order.push((route, pattern.span));
        }
    }
}

fn missing(map: &Map, messages: &Messages<'_>, taken: &HashMap<Route, Taken>, faults: &mut Vec<Fault>) {
    let tags = all_keys(&map.provider.tag);
    let roots: Vec<_> = messages.roots.iter().map(|(word, ty)| (word, ty.split(&tags))).collect();
    for (route, names) in messages.needed() {
        if taken.contains_key(&route) {
            continue;
        }
        let text = route_text(&route);
        // A tag's value belongs to one root, as a rule, and the fault is shown there.
        let Some(root) = roots.iter().find_map(|(word, split)| match &route[0] {
            RouteStep::Value(value) => split.value(value).map(|_| *word),
            _ => None,
        }) else {
            continue;
        };
        let named = match &names[..] {
            [] => String::new(),
            [only] if *only == root.text => String::new(),
            names => format!(" ({})", list(names)),
        };
        faults.push(
            Fault::new(root.span, format!("message type `{text}`{named} of `{}` is not mapped", root.text))
                .help(format!("add `on {text} {{ … }}` or `ignore {text} because \"…\";`")),
        );
    }
    let members: Vec<String> = taken
        .keys()
        .filter_map(|route| match route.first() {
            Some(RouteStep::Member(member)) => Some(first_key(member).to_owned()),
            _ => None,
        })
        .collect();
    for untagged in messages.root.split.absent.iter().flat_map(Ty::alone) {
        if untagged.kinds().intersects(Kinds::OBJECT)
            && !members.iter().any(|member| untagged.requires(member))
            // Where nothing must be there, some member is.
            && !untagged.property_names().iter().all(|name| members.iter().any(|member| member == name))
        {
            let names = types(&untagged.names());
            let known = list(&untagged.property_names());
            let tag = &messages.root.tag;
            faults.push(
                Fault::new(
                    map.provider.name.span,
                    format!("messages of {names} have no `{tag}` and are not mapped"),
                )
                .help(format!("add `on ?member {{ … }}` with one of their members: {known}")),
            );
        }
    }
}
