//! Goes through the paths that a value reads.

use crate::ast::{Cond, Expr, ExprKind, Path, PathStep};

impl Expr {
    /// Goes through the paths that the value reads, each with the number of levels around it inside the value. What
    /// cannot be moved to another place is given to `fixed`.
    pub(crate) fn visit_paths(
        &mut self,
        depth: u8,
        path: &mut impl FnMut(&mut Path, u8),
        fixed: &mut impl FnMut(&ExprKind),
    ) {
        match &mut self.kind {
            ExprKind::Path(one)
            | ExprKind::Json(one)
            | ExprKind::Parse(one, _)
            | ExprKind::Time(one, _)
            | ExprKind::Without(one, _) => one.visit(depth, path, fixed),
            ExprKind::Text(_)
            | ExprKind::Number(_)
            | ExprKind::Bool(_)
            | ExprKind::Absent
            | ExprKind::Null
            | ExprKind::Register(_) => {}
            ExprKind::First(all)
            | ExprKind::Concat(all)
            | ExprKind::List(all)
            | ExprKind::Minus(all)
            | ExprKind::Plus(all) => all.iter_mut().for_each(|one| one.visit_paths(depth, path, fixed)),
            ExprKind::Join(over, _, element) => {
                over.visit(depth, path, fixed);
                element.visit_paths(depth + 1, path, fixed);
            }
            ExprKind::Object(members) => {
                members.iter_mut().for_each(|(_, one)| one.visit_paths(depth, path, fixed));
            }
            ExprKind::Via(one, _) | ExprKind::Needed(one) | ExprKind::Recall(_, one) => {
                one.visit_paths(depth, path, fixed);
            }
            ExprKind::Merge(one, other) | ExprKind::Diff(one, other) => {
                one.visit_paths(depth, path, fixed);
                other.visit_paths(depth, path, fixed);
            }
            ExprKind::If(condition, then, otherwise) => {
                condition.visit_paths(depth, path, fixed);
                then.visit_paths(depth, path, fixed);
                otherwise.visit_paths(depth, path, fixed);
            }
            ExprKind::Piece(one, ..) | ExprKind::NumberIn(one) | ExprKind::Between(one, ..) => {
                one.visit_paths(depth, path, fixed)
            }
            ExprKind::Split(text, _, whole) => {
                text.visit_paths(depth, path, fixed);
                if let Some((over, element)) = whole {
                    over.visit(depth, path, fixed);
                    element.visit_paths(depth + 1, path, fixed);
                }
            }
            ExprKind::Position | ExprKind::EachKey if depth > 0 => {}
            ExprKind::Position
            | ExprKind::EachKey
            | ExprKind::Build(_)
            | ExprKind::BuildMap(_)
            | ExprKind::Use(..) => fixed(&self.kind),
        }
    }
}

impl Cond {
    pub(crate) fn visit_paths(
        &mut self,
        depth: u8,
        path: &mut impl FnMut(&mut Path, u8),
        fixed: &mut impl FnMut(&ExprKind),
    ) {
        match self {
            Self::Holds(one)
            | Self::Present(one)
            | Self::In(one, _)
            | Self::Starts(one, _)
            | Self::Ends(one, _)
            | Self::Contains(one, _) => {
                one.visit_paths(depth, path, fixed);
            }
            Self::Equal(one, other) | Self::Less(one, other) => {
                one.visit_paths(depth, path, fixed);
                other.visit_paths(depth, path, fixed);
            }
            Self::Is(one, _) => one.visit(depth, path, fixed),
            Self::Not(one) => one.visit_paths(depth, path, fixed),
            Self::All(all) | Self::Any(all) => {
                all.iter_mut().for_each(|one| one.visit_paths(depth, path, fixed));
            }
        }
    }
}

impl Path {
    pub(crate) fn visit(
        &mut self,
        depth: u8,
        path: &mut impl FnMut(&mut Path, u8),
        fixed: &mut impl FnMut(&ExprKind),
    ) {
        path(self, depth);
        for step in &mut self.steps {
            if let PathStep::Lookup(value, _) | PathStep::Find(_, value, _) = step {
                value.visit_paths(depth, path, fixed);
            }
        }
    }
}
