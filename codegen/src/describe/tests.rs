use super::*;
use interlingua_table::{
    Action, Arm, ArmShape, BlockKind, Cond, Context, Demands, Dispatch, Expr, Field, Framing, ItemKind,
    JsonKind, Layer, Pairing, Path, PathStart, Place, Prepared, Rule, Step, Table, ValueMap, Verb,
};

const fn here(steps: &'static [Step]) -> Path {
    Path { scope: PathStart::Here, steps }
}

const MODEL: Expr = Expr::Path(here(&[Step::Key(0)]));
const ODD: Expr = Expr::Path(here(&[Step::Key(1), Step::Index(-1)]));

static PREPARED: Prepared = Prepared::new();

static TABLE: Table = Table {
    provider: "demo",
    title: "Demo",
    install: "",
    files: &[],
    written_by: "",
    resume: "",
    layer: Layer::Agent,
    dialect_of: None,
    file: "demo.map",
    included: &[],
    framing: &[Framing::JsonLines],
    end: &[],
    server: None,
    turn_ends_with_input: false,
    demands: Demands::NONE,
    keys: &["model", "odd-key", "id", "content", "type"],
    context: Context { envelope: &[], message_id: &[], session: &[], turn: &[], agent: &[], time: &[] },
    pairing: Pairing { asks: Expr::Absent, answers: Expr::Absent, member: "", turn_answered_at_end: false },
    dispatch: Dispatch { tag: &[], arms: &[], present: &[], unknown: &[] },
    rules: &[
        Rule {
            name: "say",
            place: Place { file: 0, line: 3, column: 5 },
            patterns: &["say", "say/again"],
            members: &[],
            condition: Some(Cond::Not(&Cond::In(MODEL, &["none"]))),
            context: &[],
            actions: &[Action::Emit {
                verb: Verb::Close,
                item: ItemKind::Message,
                block: BlockKind::None,
                fields: &[(Field::Id, ODD), (Field::Model, MODEL)],
                body: &[Action::Each {
                    over: here(&[Step::Key(3)]),
                    arms: &[
                        Arm {
                            shape: ArmShape::Tag(here(&[Step::Key(4)]), &["text", "note"]),
                            condition: None,
                            actions: &[Action::Emit {
                                verb: Verb::Part,
                                item: ItemKind::None,
                                block: BlockKind::Text,
                                fields: &[
                                    (Field::Next, Expr::Bool(true)),
                                    (Field::Whole, Expr::Path(here(&[]))),
                                ],
                                body: &[],
                                place: Place { file: 0, line: 5, column: 9 },
                            }],
                            ignore: None,
                        },
                        Arm {
                            shape: ArmShape::Kind(JsonKind::Number),
                            condition: None,
                            actions: &[],
                            ignore: Some("never sent"),
                        },
                    ],
                }],
                place: Place { file: 0, line: 4, column: 7 },
            }],
            ignore: None,
        },
        Rule {
            name: "ping",
            place: Place { file: 0, line: 9, column: 5 },
            patterns: &["ping"],
            members: &[],
            condition: None,
            context: &[],
            actions: &[],
            ignore: Some("heartbeat"),
        },
    ],
    tools: &[],
    values: &[ValueMap {
        name: "kind",
        pairs: &[("a", Some("x")), ("b", Some("x")), ("c", None)],
        otherwise: Some("y"),
    }],
    registers: &[],
    dropped: &[],
    writes: &[],
    open_readers: &[],
    cannot: &[],
    hosts: &[],
    target: None,
    write_keys: &[],
    prepared: &PREPARED,
};

#[test]
fn a_rule_reads_as_one_row_with_its_body_indented() {
    let rows = rows(&TABLE);
    assert_eq!(rows[0].patterns, ["say", "say/again"]);
    assert_eq!(rows[0].condition.as_deref(), Some("model != \"none\""));
    let Content::Terms(lines) = &rows[0].content else { panic!("not terms: {:?}", rows[0].content) };
    let lines: Vec<String> = lines
        .iter()
        .map(|line| {
            let reason = line.ignored.map(|reason| format!(" -- {reason}")).unwrap_or_default();
            format!("{}{} [{}]{reason}", "  ".repeat(line.depth), line.head, line.fields.join(", "))
        })
        .collect();
    assert_eq!(
        lines,
        [
            "item message [id: .\"odd-key\"[-1], done, model]",
            "  each content by type []",
            "    text | note []",
            "      part text [next, whole: this]",
            "    number [] -- never sent",
        ]
    );
    assert_eq!(rows[1].content, Content::Ignored("heartbeat"));
}

#[test]
fn expressions_read_as_the_map_writes_them() {
    let said = |value: &Expr| expression(&TABLE, value);
    assert_eq!(said(&Expr::First(&[MODEL, Expr::Text("c")])), "model ?? \"c\"");
    assert_eq!(said(&Expr::Via(&MODEL, 0)), "kind(model)");
    assert_eq!(said(&Expr::Minus(&[MODEL, Expr::Number(3)])), "minus(model, 3)");
    assert_eq!(said(&Expr::Object(&[("model", MODEL), ("last", ODD)])), "{ model, last: .\"odd-key\"[-1] }");
    assert_eq!(said(&Expr::List(&[MODEL, ODD])), "[model, .\"odd-key\"[-1]]");
    assert_eq!(said(&Expr::If(&Cond::Holds(MODEL), &Expr::Bool(true), &Expr::Absent)), "if model then true");
    let outer =
        Path { scope: PathStart::Outer(2), steps: &[Step::Key(3), Step::Find(&[Step::Key(2)], &MODEL)] };
    assert_eq!(path(&TABLE, &outer), "$.content[id == model]");
    assert_eq!(path(&TABLE, &Path { scope: PathStart::Root, steps: &[] }), "$");
}

#[test]
fn conditions_keep_their_grouping() {
    const BOTH: Cond = Cond::All(&[
        Cond::Any(&[Cond::Present(MODEL), Cond::IsBool(here(&[Step::Key(2)]), true)]),
        Cond::Not(&Cond::Is(here(&[Step::Key(3)]), JsonKind::Array)),
    ]);
    assert_eq!(condition(&TABLE, &BOTH), "(model is present || id == true) && !(content is array)");
}

#[test]
fn a_value_map_puts_equal_outcomes_together() {
    let lines = value_map(&TABLE.values[0]);
    let lines: Vec<(&str, &str)> = lines.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    assert_eq!(lines, [("a | b", "\"x\""), ("c", "absent"), ("_", "\"y\"")]);
}

#[test]
fn the_reference_names_every_term_once_and_every_field_with_what_it_takes() {
    let terms = terms();
    let mut names: Vec<&str> = terms.iter().map(|term| term.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), terms.len());
    let fields = fields();
    for term in &terms {
        for (name, _) in &term.fields {
            assert!(
                fields.iter().any(|field| field.name == *name && field.of.contains(&term.name)),
                "{name} of {} is missing",
                term.name
            );
        }
    }
    let body = &terms.iter().find(|term| term.name == "result").expect("the term result").body;
    assert_eq!(body.as_slice(), ["part", "attach"]);
}
