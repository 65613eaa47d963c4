//! Which members of a message a rule reads, or its map leaves out: worked out from the rule's steps.

use interlingua_table::{Action, Arm, ArmShape, Cond, Dispatch, Expr, Path, PathStart, Rule, Step, Table};

use crate::engine::memory::hash::FastMap;
use crate::engine::read::eval::is_kind;
use crate::engine::read::scope::key_id;
use crate::json::Value;

/// What is read of a value.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// All of it is read or left out.
    pub(super) is_whole: bool,
    /// It is read whether it is there; what is in it is not.
    pub(super) is_named: bool,
    /// By the number of their keys, sorted.
    members: Vec<(u16, usize)>,
    /// Those that are left out, and that no rule reads.
    names: FastMap<Box<str>, usize>,
    /// Each element of a list, or any member of an object.
    pub(super) element: Option<usize>,
    /// The variants that steps tell apart: for each step its arms, and what each arm reads.
    variants: Vec<(&'static [Arm], Vec<usize>)>,
}

/// What one rule reads.
#[derive(Debug)]
pub(crate) struct Reads {
    nodes: Vec<Node>,
    keys: &'static [&'static str],
}

impl Node {
    pub(super) fn has_members(&self) -> bool {
        !self.members.is_empty() || !self.names.is_empty()
    }

    /// Whether a value that is neither list nor object is read.
    pub(super) fn reads_value(&self) -> bool {
        self.is_whole || self.is_named
    }

    /// The node of a member.
    pub(super) fn member(&self, member: Value<'_>) -> Option<usize> {
        let key = member.key_id();
        if key.is_known() {
            let found = self.members.binary_search_by_key(&key.get(), |(key, _)| *key).ok()?;
            Some(self.members[found].1)
        } else if self.names.is_empty() {
            None
        } else {
            self.names.get(&*member.key()).copied()
        }
    }
}

/// Whether an arm takes a value, as long as its condition holds.
fn takes(arm: &Arm, value: Value<'_>) -> bool {
    match &arm.shape {
        ArmShape::Tag(path, values) => tag(path, value).is_some_and(|tag| values.contains(&&*tag)),
        ArmShape::Kind(kind) => is_kind(value.kind(), *kind),
        ArmShape::Any => true,
    }
}

/// The text at a plain path from a value.
fn tag<'v>(path: &Path, value: Value<'v>) -> Option<std::borrow::Cow<'v, str>> {
    let found = path.steps.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key_id(*key)),
        _ => None,
    });
    found?.as_str()
}

impl Reads {
    /// What a rule of a table reads.
    pub(crate) fn of(table: &'static Table, rule: &'static Rule) -> Self {
        let mut reads = Self { nodes: vec![Node::default()], keys: table.keys };
        let at = [0];
        reads.tags(&table.dispatch);
        let context = &table.context;
        let times = context.time.iter().map(|time| &time.path);
        for paths in [context.message_id, context.session, context.turn, context.agent] {
            paths.iter().for_each(|path| reads.whole(path, &at));
        }
        times.for_each(|path| reads.whole(path, &at));
        reads.expr(&table.pairing.asks, &at);
        reads.expr(&table.pairing.answers, &at);
        if !table.pairing.member.is_empty() {
            reads.left(table.pairing.member);
        }
        for (_, expr) in rule.context {
            reads.expr(expr, &at);
        }
        if let Some(condition) = &rule.condition {
            reads.cond(condition, &at);
        }
        reads.steps(rule.actions, &at);
        let is_about = |rules: &[&str]| rules.is_empty() || rules.contains(&rule.name);
        for dropped in table.dropped.iter().filter(|dropped| is_about(dropped.rules)) {
            reads.left(dropped.path);
        }
        reads
    }

    pub(super) fn node(&self, number: usize) -> &Node {
        &self.nodes[number]
    }

    /// The nodes that say what is read of a value: the given ones, and those of the arms that may take it.
    pub(super) fn of_value(&self, nodes: &[usize], value: Value<'_>) -> Vec<usize> {
        let mut all = nodes.to_vec();
        let mut next = 0;
        while let Some(node) = all.get(next).map(|number| self.node(*number)) {
            for (arms, inner) in &node.variants {
                for (arm, inner) in arms.iter().zip(inner).filter(|(arm, _)| takes(arm, value)) {
                    all.push(*inner);
                    if arm.condition.is_none() {
                        break;
                    }
                }
            }
            next += 1;
        }
        all
    }

    /// Whether each step that tells the variants of a value apart ignores the variant that it is.
    pub(super) fn ignores(&self, nodes: &[usize], value: Value<'_>) -> bool {
        let mut steps = nodes.iter().flat_map(|number| &self.node(*number).variants).peekable();
        let is_left = |(arms, _): &(&'static [Arm], Vec<usize>)| {
            let arm = arms.iter().find(|arm| takes(arm, value));
            arm.is_some_and(|arm| arm.actions.is_empty() && arm.condition.is_none())
        };
        steps.peek().is_some() && steps.all(is_left)
    }

    fn add(&mut self) -> usize {
        self.nodes.push(Node::default());
        self.nodes.len() - 1
    }

    fn element(&mut self, of: usize) -> usize {
        match self.nodes[of].element {
            Some(element) => element,
            None => {
                let element = self.add();
                self.nodes[of].element = Some(element);
                element
            }
        }
    }

    fn member(&mut self, of: usize, key: u16) -> usize {
        let id = key_id(key).get();
        match self.nodes[of].members.binary_search_by_key(&id, |(key, _)| *key) {
            Ok(found) => self.nodes[of].members[found].1,
            Err(place) => {
                let member = self.add();
                self.nodes[of].members.insert(place, (id, member));
                member
            }
        }
    }

    fn named(&mut self, of: usize, name: &str) -> usize {
        if let Some(key) = self.keys.iter().position(|key| *key == name) {
            // A table has no more keys than fit.
            return self.member(of, key as u16);
        }
        if let Some(known) = self.nodes[of].names.get(name) {
            return *known;
        }
        let member = self.add();
        self.nodes[of].names.insert(name.into(), member);
        member
    }

    /// Notes a path that the map leaves out, as it is written there.
    fn left(&mut self, path: &str) {
        let mut at = 0;
        for step in path.split('.') {
            let name = step.trim_end_matches("[*]").trim_end_matches("[]");
            at = self.named(at, name.trim_matches('"'));
            if name.len() < step.len() {
                at = self.element(at);
            }
        }
        self.nodes[at].is_whole = true;
    }

    fn tags(&mut self, dispatch: &'static Dispatch) {
        dispatch.tag.iter().for_each(|path| self.whole(path, &[0]));
        let shapes = dispatch.arms.iter().map(|(_, shape)| shape);
        for shape in shapes.chain(dispatch.present.iter().map(|(_, shape)| shape)) {
            if let Some(next) = shape.next {
                self.tags(next);
            }
        }
        for (path, _) in dispatch.present {
            let found = self.find(path, &[0]);
            self.nodes[found].is_named = true;
        }
    }

    /// The node at a path. The last of `at` is that of the current value, those before are around it.
    fn find(&mut self, path: &'static Path, at: &[usize]) -> usize {
        let start = match path.scope {
            PathStart::Root => 0,
            PathStart::Here => at.len() - 1,
            PathStart::Outer(levels) => (at.len() - 1).saturating_sub(usize::from(levels)),
        };
        self.follow(at[start], path.steps, at)
    }

    fn follow(&mut self, from: usize, steps: &'static [Step], at: &[usize]) -> usize {
        let mut node = from;
        for step in steps {
            node = match step {
                Step::Key(key) => self.member(node, *key),
                Step::Index(_) => self.element(node),
                Step::Lookup(key) => {
                    self.expr(key, at);
                    self.element(node)
                }
                Step::Find(path, wanted) => {
                    self.expr(wanted, at);
                    let element = self.element(node);
                    let found = self.follow(element, path, at);
                    self.nodes[found].is_whole = true;
                    element
                }
            };
        }
        node
    }

    fn whole(&mut self, path: &'static Path, at: &[usize]) {
        let found = self.find(path, at);
        self.nodes[found].is_whole = true;
    }

    fn expr(&mut self, expr: &'static Expr, at: &[usize]) {
        match expr {
            Expr::Path(path)
            | Expr::Time(path, _)
            | Expr::Json(path)
            | Expr::Parse(path, _)
            | Expr::Without(path, _) => self.whole(path, at),
            Expr::First(parts)
            | Expr::Concat(parts)
            | Expr::List(parts)
            | Expr::Minus(parts)
            | Expr::Plus(parts) => parts.iter().for_each(|part| self.expr(part, at)),
            Expr::Object(members) => members.iter().for_each(|(_, member)| self.expr(member, at)),
            Expr::Join(path, _, each) => self.each_expr(path, each, at),
            Expr::Split(inner, _, whole) => {
                self.expr(inner, at);
                if let Some((path, each)) = whole {
                    self.each_expr(path, each, at);
                }
            }
            Expr::Via(inner, _)
            | Expr::Piece(inner, ..)
            | Expr::Between(inner, ..)
            | Expr::Needed(inner)
            | Expr::Recall(_, inner) => self.expr(inner, at),
            Expr::Merge(one, other) | Expr::Diff(one, other) => {
                self.expr(one, at);
                self.expr(other, at);
            }
            Expr::If(condition, then, otherwise) => {
                self.cond(condition, at);
                self.expr(then, at);
                self.expr(otherwise, at);
            }
            Expr::Build(steps) | Expr::BuildMap(steps) => self.steps(steps, at),
            Expr::Text(_)
            | Expr::Number(_)
            | Expr::Bool(_)
            | Expr::Register(_)
            | Expr::Null
            | Expr::Position
            | Expr::EachKey
            | Expr::Absent => {}
        }
    }

    fn each_expr(&mut self, path: &'static Path, each: &'static Expr, at: &[usize]) {
        let list = self.find(path, at);
        let element = self.element(list);
        self.expr(each, &inside(at, element));
    }

    fn cond(&mut self, condition: &'static Cond, at: &[usize]) {
        match condition {
            // Whether something is there says nothing of what is in it.
            Cond::Present(Expr::Path(path)) | Cond::Holds(Expr::Path(path)) | Cond::Is(path, _) => {
                let found = self.find(path, at);
                self.nodes[found].is_named = true;
            }
            Cond::Present(expr)
            | Cond::Holds(expr)
            | Cond::In(expr, _)
            | Cond::Starts(expr, _)
            | Cond::Ends(expr, _)
            | Cond::Contains(expr, _) => {
                self.expr(expr, at);
            }
            Cond::IsNumber(expr, _) => self.expr(expr, at),
            Cond::IsBool(path, _) => self.whole(path, at),
            Cond::Same(one, other) | Cond::Less(one, other) => {
                self.expr(one, at);
                self.expr(other, at);
            }
            Cond::Not(inner) => self.cond(inner, at),
            Cond::All(all) | Cond::Any(all) => all.iter().for_each(|inner| self.cond(inner, at)),
        }
    }

    /// Steps nest as deep as the map writes them.
    fn steps(&mut self, steps: &'static [Action], at: &[usize]) {
        for step in steps {
            match step {
                Action::Emit { fields, body, .. } => {
                    fields.iter().for_each(|(_, field)| self.expr(field, at));
                    self.steps(body, at);
                }
                Action::Each { over, arms } => {
                    let list = self.find(over, at);
                    let element = self.element(list);
                    self.arms(arms, element, at);
                }
                Action::One { over, arms } => {
                    let value = self.find(over, at);
                    self.arms(arms, value, at);
                }
                Action::In { item, body } => {
                    self.expr(item, at);
                    self.steps(body, at);
                }
                Action::When { arms } => {
                    for (condition, steps) in *arms {
                        self.cond(condition, at);
                        self.steps(steps, at);
                    }
                }
                Action::Set { key, value, .. } => {
                    key.iter().for_each(|key| self.expr(key, at));
                    self.expr(value, at);
                }
                Action::Once { key } | Action::Candidate { number: key } => self.expr(key, at),
                Action::Add { value, .. } => self.expr(value, at),
                // These stand in rules that write.
                Action::Put { .. }
                | Action::HangUp
                | Action::Await
                | Action::Send { .. }
                | Action::Spawn { .. }
                | Action::Tell { .. }
                | Action::Degrade { .. } => {}
            }
        }
    }

    fn arms(&mut self, arms: &'static [Arm], value: usize, at: &[usize]) {
        let around = inside(at, value);
        let mut variants = Vec::new();
        for arm in arms {
            if let ArmShape::Tag(path, _) = &arm.shape {
                self.whole(path, &around);
            }
            if let Some(condition) = &arm.condition {
                self.cond(condition, &around);
            }
            let variant = self.add();
            self.steps(arm.actions, &inside(at, variant));
            variants.push(variant);
        }
        self.nodes[value].variants.push((arms, variants));
    }
}

fn inside(at: &[usize], value: usize) -> Vec<usize> {
    at.iter().copied().chain([value]).collect()
}
