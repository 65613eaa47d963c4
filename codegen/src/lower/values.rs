//! Paths, values and conditions.

use interlingua_table::{Cond, Expr, Path, PathStart, Step};

use super::{Lower, leak, leak_all, text, to_u16};
use crate::ast::{self, ExprKind, Gives, PathStep, Start, Word};

impl Lower<'_> {
    pub(super) fn paths(&mut self, paths: &[ast::Path]) -> &'static [Path] {
        leak_all(paths.iter().map(|path| self.path(path)).collect())
    }

    pub(super) fn path(&mut self, path: &ast::Path) -> Path {
        let (start, steps) = (&path.start, &path.steps);
        let outer = |levels: u8| if levels == 0 { PathStart::Here } else { PathStart::Outer(levels) };
        let scope = match start {
            Start::Root if self.root > 0 => outer(self.depth),
            Start::Root | Start::Around => PathStart::Root,
            Start::Here => PathStart::Here,
            Start::Named(levels, _) => outer(*levels),
        };
        // A path from what a rule reads starts, where the map says so, from a member of the message.
        let is_outermost = match start {
            Start::Here => self.depth == 0,
            Start::Named(levels, _) => *levels == self.depth,
            Start::Root | Start::Around => false,
        };
        let key = |key: &String| PathStep::Key(Word { text: key.clone(), span: path.span });
        let body: Vec<PathStep> = if is_outermost { self.body.iter().map(key).collect() } else { Vec::new() };
        if body.is_empty() {
            return Path { scope, steps: self.path_steps(steps) };
        }
        Path { scope, steps: self.path_steps(&[body, steps.clone()].concat()) }
    }

    fn path_steps(&mut self, steps: &[PathStep]) -> &'static [Step] {
        let step = |step: &PathStep| match step {
            PathStep::Key(word) => Step::Key(self.key(&word.text)),
            PathStep::Index(index, _) => Step::Index(*index),
            PathStep::Lookup(key, _) => Step::Lookup(leak(self.expr(key))),
            PathStep::Find(steps, value, _) => {
                let steps = self.path_steps(steps);
                Step::Find(steps, leak(self.expr(value)))
            }
            PathStep::Every(_) => {
                unreachable!("the parser allows `[]` only in `drop`, which keeps its text")
            }
        };
        leak_all(steps.iter().map(step).collect())
    }

    pub(super) fn register(&self, name: &Word) -> u16 {
        to_u16(self.map.registers.iter().position(|known| known.name.text == name.text).unwrap_or_default())
    }

    fn all(&mut self, all: &[ast::Expr]) -> &'static [Expr] {
        leak_all(all.iter().map(|one| self.expr(one)).collect())
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        match &expr.kind {
            ExprKind::Path(path) => Expr::Path(self.path(path)),
            ExprKind::Text(constant) => Expr::Text(text(constant)),
            ExprKind::Number(number) => Expr::Number(*number),
            ExprKind::Bool(value) => Expr::Bool(*value),
            ExprKind::Absent => Expr::Absent,
            ExprKind::First(all) => Expr::First(self.all(all)),
            ExprKind::Concat(all) => Expr::Concat(self.all(all)),
            ExprKind::Join(over, separator, element) => {
                let over = self.path(over);
                Expr::Join(over, text(separator), leak(self.inner(element)))
            }
            ExprKind::Object(members) => Expr::Object(leak_all(
                members.iter().map(|(name, value)| (text(&name.text), self.expr(value))).collect(),
            )),
            ExprKind::List(all) => Expr::List(self.all(all)),
            ExprKind::Json(path) => Expr::Json(self.path(path)),
            ExprKind::Parse(path, steps) => Expr::Parse(self.path(path), self.path_steps(steps)),
            ExprKind::Via(inner, map) => {
                let number = self.map.values.iter().position(|values| values.name.text == map.text);
                Expr::Via(leak(self.expr(inner)), to_u16(number.unwrap_or_default()))
            }
            ExprKind::Register(name) => Expr::Register(self.register(name)),
            ExprKind::Recall(name, key) => Expr::Recall(self.register(name), leak(self.expr(key))),
            ExprKind::Build(steps) => Expr::Build(self.steps(steps)),
            ExprKind::Use(name, nonempty) => self.used(name, *nonempty),
            ExprKind::Needed(value) => Expr::Needed(leak(self.expr(value))),
            ExprKind::Without(path, keys) => {
                Expr::Without(self.path(path), leak_all(keys.iter().map(|key| text(&key.text)).collect()))
            }
            ExprKind::Merge(one, other) => Expr::Merge(leak(self.expr(one)), leak(self.expr(other))),
            ExprKind::BuildMap(steps) => Expr::BuildMap(self.steps(steps)),
            ExprKind::Null => Expr::Null,
            ExprKind::Position => Expr::Position,
            ExprKind::EachKey => Expr::EachKey,
            ExprKind::Time(path, unit) => Expr::Time(self.path(path), *unit),
            ExprKind::Minus(all) => Expr::Minus(self.all(all)),
            ExprKind::Plus(all) => Expr::Plus(self.all(all)),
            ExprKind::If(condition, then, otherwise) => {
                let condition = leak(self.cond(condition));
                Expr::If(condition, leak(self.expr(then)), leak(self.expr(otherwise)))
            }
            ExprKind::Piece(inner, piece, separator) => {
                Expr::Piece(leak(self.expr(inner)), *piece, text(separator))
            }
            ExprKind::Between(inner, form, number) => {
                let form = leak_all(form.iter().map(|constant| text(constant)).collect());
                Expr::Between(leak(self.expr(inner)), form, to_u16(*number))
            }
            ExprKind::Diff(old, new) => Expr::Diff(leak(self.expr(old)), leak(self.expr(new))),
            // The sum of one number is that number, and absent when it is none.
            ExprKind::NumberIn(inner) => Expr::Plus(leak_all(vec![self.expr(inner)])),
            ExprKind::Split(inner, separator, whole) => {
                let whole = whole.as_ref().map(|(over, element)| {
                    let over = self.path(over);
                    let whole: &'static _ = leak((over, self.inner(element)));
                    whole
                });
                Expr::Split(leak(self.expr(inner)), text(separator), whole)
            }
        }
    }

    /// A value of the elements that a function goes through.
    fn inner(&mut self, value: &ast::Expr) -> Expr {
        self.depth += 1;
        let value = self.expr(value);
        self.depth -= 1;
        value
    }

    /// The value of a block.
    pub(super) fn used(&mut self, name: &Word, nonempty: bool) -> Expr {
        let map = self.map;
        let block = map.blocks.iter().find(|block| block.name.text == name.text);
        match block.map(|block| (&block.gives, &block.steps)) {
            Some((Gives::Value(Some(value)), _)) => self.expr(value),
            Some((Gives::List, steps)) => {
                let built = Expr::Build(self.steps(steps));
                if nonempty { built } else { Expr::First(leak_all(vec![built, Expr::List(&[])])) }
            }
            _ => unreachable!("the checker lets only blocks that are values be used as values"),
        }
    }

    pub(super) fn cond(&mut self, cond: &ast::Cond) -> Cond {
        match cond {
            ast::Cond::Holds(value) => Cond::Holds(self.expr(value)),
            ast::Cond::Present(value) => Cond::Present(self.expr(value)),
            ast::Cond::Equal(left, right) => self.equal(left, right),
            ast::Cond::Less(left, right) => Cond::Less(self.expr(left), self.expr(right)),
            ast::Cond::In(value, texts) => {
                Cond::In(self.expr(value), leak_all(texts.iter().map(|word| text(&word.text)).collect()))
            }
            ast::Cond::Ends(value, suffix) => Cond::Ends(self.expr(value), text(&suffix.text)),
            ast::Cond::Contains(value, inner) => Cond::Contains(self.expr(value), text(&inner.text)),
            ast::Cond::Starts(value, prefix) => Cond::Starts(self.expr(value), text(&prefix.text)),
            ast::Cond::Is(path, kind) => Cond::Is(self.path(path), *kind),
            ast::Cond::Not(inner) => Cond::Not(leak(self.cond(inner))),
            ast::Cond::All(all) => Cond::All(leak_all(all.iter().map(|one| self.cond(one)).collect())),
            ast::Cond::Any(any) => Cond::Any(leak_all(any.iter().map(|one| self.cond(one)).collect())),
        }
    }

    fn equal(&mut self, left: &ast::Expr, right: &ast::Expr) -> Cond {
        match (&left.kind, &right.kind) {
            (ExprKind::Path(path), ExprKind::Bool(value)) => Cond::IsBool(self.path(path), *value),
            (_, ExprKind::Text(constant)) => Cond::In(self.expr(left), leak_all(vec![text(constant)])),
            (_, ExprKind::Number(number)) => Cond::IsNumber(self.expr(left), *number),
            _ => Cond::Same(self.expr(left), self.expr(right)),
        }
    }
}
