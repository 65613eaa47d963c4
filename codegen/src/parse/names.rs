//! The names that `as $name` and `let` give to values.
//!
//! Both are known when a map is read: `as` names the current value of a level, and the value of a `let` is put in the place
//! of its name. So neither the checker nor the engine knows of names.

use crate::ast::{Expr, ExprKind, Path, PathStep, Start, Word};
use crate::diagnostic::Fault;
use crate::sources::Span;

/// The names at a place in a map.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// How many of `each`, `with` and the like are around in the same rule or block.
    level: u8,
    known: Vec<Known>,
}

#[derive(Debug)]
struct Known {
    name: String,
    /// The level whose current value it is, or where its value was read.
    level: u8,
    value: Option<Expr>,
}

impl Names {
    /// What is known now, to be given to [`Names::forget`].
    pub(super) fn mark(&self) -> usize {
        self.known.len()
    }

    /// Forgets the names that were given since.
    pub(super) fn forget(&mut self, mark: usize) {
        self.known.truncate(mark);
    }

    /// One level deeper.
    pub(super) fn enter(&mut self) {
        self.level = self.level.saturating_add(1);
    }

    /// One level less deep.
    pub(super) fn leave(&mut self) {
        self.level = self.level.saturating_sub(1);
    }

    /// `as $name`: the current value.
    pub(super) fn bind(&mut self, name: &Word) {
        self.known.push(Known { name: name.text.clone(), level: self.level, value: None });
    }

    /// `let name = value;`.
    pub(super) fn set(&mut self, name: &Word, value: Expr) {
        self.known.push(Known { name: name.text.clone(), level: self.level, value: Some(value) });
    }

    /// The value of a name, with the steps of a path behind it; `None` for a name of what surrounds the rule.
    pub(super) fn value(&self, name: &Word, steps: &[PathStep], span: Span) -> Result<Option<Expr>, Fault> {
        let Some(known) = self.known.iter().rev().find(|known| known.name == name.text) else {
            return Ok(None);
        };
        let levels = self.level - known.level;
        let Some(value) = &known.value else {
            let start = Start::Named(levels, name.text.clone());
            let path = Path { span, start, steps: steps.to_vec() };
            return Ok(Some(Expr { span, kind: ExprKind::Path(path) }));
        };
        let mut value = value.clone();
        value.span = span;
        shift(&mut value, levels, name)?;
        if steps.is_empty() {
            return Ok(Some(value));
        }
        match &mut value.kind {
            ExprKind::Path(path) => path.steps.extend(steps.iter().cloned()),
            ExprKind::Parse(_, inside) => inside.extend(steps.iter().cloned()),
            _ => {
                let message = format!("`${}` is no path, so that nothing can be read in it", name.text);
                return Err(Fault::new(span, message));
            }
        }
        Ok(Some(value))
    }
}

/// Makes a value that was read some levels further out mean the same here.
fn shift(value: &mut Expr, levels: u8, name: &Word) -> Result<(), Fault> {
    if levels == 0 {
        return Ok(());
    }
    let cannot = |what: &str| {
        let message = format!("`${}` holds {what}, which can only be read where its `let` is", name.text);
        Fault::new(name.span, message)
    };
    let mut result = Ok(());
    value.visit_paths(
        0,
        &mut |path, depth| {
            // A path that starts inside the value itself stays as it is.
            let outside = |from: u8| from >= depth;
            match &mut path.start {
                Start::Here if outside(0) => path.start = Start::Named(levels, name.text.clone()),
                Start::Named(from, _) if outside(*from) => *from = from.saturating_add(levels),
                _ => {}
            }
        },
        &mut |kind| {
            let what = match kind {
                ExprKind::Position => "`$index`",
                ExprKind::EachKey => "`$key`",
                _ => "a list or an object that is put together",
            };
            result = Err(cannot(what));
        },
    );
    result
}
