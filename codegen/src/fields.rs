//! The fields of a term that stand in an object: `..use counts`.

use crate::ast::{Expr, ExprKind, FieldValue, Gives, Map, Word};
use crate::diagnostic::Fault;

/// The fields of a term, with those of the objects that are spread in it. Of two with the same name, the one that is
/// written first counts. Beside them, what is wrong.
pub(crate) fn all(map: &Map, fields: &[FieldValue], spreads: &[Expr]) -> (Vec<FieldValue>, Vec<Fault>) {
    let mut all = fields.to_vec();
    let mut faults = Vec::new();
    for spread in spreads {
        match members(map, spread, 0) {
            Ok(members) => {
                for (name, value) in members {
                    if !all.iter().any(|known| known.name.text == name.text) {
                        all.push(FieldValue { name, value: Some(value) });
                    }
                }
            }
            Err(fault) => faults.push(fault),
        }
    }
    (all, faults)
}

/// The blocks that a spread names.
pub(crate) fn blocks(spread: &Expr) -> Vec<&Word> {
    match &spread.kind {
        ExprKind::Use(name, _) => vec![name],
        ExprKind::If(_, then, otherwise) => [blocks(then), blocks(otherwise)].concat(),
        _ => Vec::new(),
    }
}

/// How many blocks may use each other.
const DEPTH: usize = 16;

/// The members that an object has, each with its value.
fn members(map: &Map, spread: &Expr, depth: usize) -> Result<Vec<(Word, Expr)>, Fault> {
    match &spread.kind {
        ExprKind::Object(members) => Ok(members.clone()),
        ExprKind::Absent => Ok(Vec::new()),
        ExprKind::Use(name, _) => {
            let block = map.blocks.iter().find(|block| block.name.text == name.text);
            match block.map(|block| &block.gives) {
                Some(Gives::Value(Some(value))) if depth < DEPTH => members(map, value, depth + 1),
                Some(_) => Err(Fault::new(name.span, format!("the block `{}` is no object", name.text))),
                None => Err(Fault::new(name.span, format!("unknown block `{}`", name.text))),
            }
        }
        ExprKind::If(condition, then, otherwise) => {
            let (mut then, otherwise) = (members(map, then, depth)?, members(map, otherwise, depth)?);
            let absent = |span| Expr { span, kind: ExprKind::Absent };
            let when = |one: Expr, other: Expr| Expr {
                span: one.span,
                kind: ExprKind::If(condition.clone(), Box::new(one), Box::new(other)),
            };
            for (name, value) in &mut then {
                let other = otherwise.iter().find(|(other, _)| other.text == name.text);
                let other = other.map_or_else(|| absent(value.span), |(_, other)| other.clone());
                *value = when(value.clone(), other);
            }
            for (name, value) in otherwise {
                if !then.iter().any(|(known, _)| known.text == name.text) {
                    then.push((name, when(absent(value.span), value)));
                }
            }
            Ok(then)
        }
        _ => {
            let message = "the fields of a term must be known: spread an object, or a block that is one";
            Err(Fault::new(spread.span, message))
        }
    }
}
