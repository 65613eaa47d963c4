//! The compiled form of a term map: plain, constant data.
//!
//! A term map is compiled once, by the `term_map!` macro at build time or by
//! `interlingua-codegen` at run time, into one [`Table`]. The engine of the
//! `interlingua` crate reads it; `explain`, the generated documents and the
//! coverage ledger read the same data. Nothing here computes: every type can be
//! written as a `static` initialiser, and refers to other parts by `'static`
//! reference. A map that is loaded at run time is leaked on purpose, since it
//! lives as long as the process that uses it.
//!
//! The language that these types mirror is described in `docs/map-language.md`.

#![forbid(unsafe_code)]

mod capability;
mod demand;
mod expr;
mod field;
mod prepared;
mod rule;
mod term;
mod terms;

pub use capability::{ANSWERED_BY_OWNER, Capability, Limit, READ_BY_SESSION, REQUEST};
pub use demand::{CallIds, Demands, Results};
pub use expr::{Cond, Expr, JsonKind, Path, PathStart, Piece, Step, TimeUnit, piece_between};
pub use field::Field;
pub use prepared::Prepared;
pub use rule::{
    Action, Arm, ArmShape, Cannot, Context, Dispatch, Dropped, Framing, Host, Layer, Member, Pairing, Place,
    Register, RegisterScope, Rule, Server, Shape, Table, Target, TimeField, Tool, ToolName, ValueMap, Write,
};
pub use term::{BlockKind, FieldKind, FieldSpec, ItemKind, Layers, Verb, VerbSpec, spec, verbs};
