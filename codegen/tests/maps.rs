//! Maps that are right: what becomes of them, as people read it.

mod common;

use std::fmt::Write;

use insta::assert_snapshot;
use interlingua_codegen::describe::{Content, Need, Source, path, rows, synthetics, universal, value_map};
use interlingua_codegen::{Beside, FieldUse, Handling, coverage};
use interlingua_table::{Dispatch, Layer, Path, Table};

use common::{compile_file, maps};

fn paths(table: &Table, paths: &[Path]) -> String {
    paths.iter().map(|one| path(table, one)).collect::<Vec<_>>().join(", ")
}

fn write_dispatch(table: &Table, dispatch: &Dispatch, depth: usize, text: &mut String) {
    let indent = "  ".repeat(depth);
    let names = |rules: &[u16]| {
        rules.iter().map(|rule| table.rules[usize::from(*rule)].name).collect::<Vec<_>>().join(", ")
    };
    writeln!(text, "{indent}by {}", paths(table, dispatch.tag)).unwrap();
    let arms = dispatch.arms.iter().map(|(value, shape)| (format!("{value:?}"), shape));
    let present = dispatch.present.iter().map(|(member, shape)| (format!("?{}", path(table, member)), shape));
    for (name, shape) in arms.chain(present) {
        writeln!(text, "{indent}  {name} => {}", names(shape.rules)).unwrap();
        if let Some(next) = shape.next {
            write_dispatch(table, next, depth + 2, text);
        }
    }
    if !dispatch.unknown.is_empty() {
        writeln!(text, "{indent}  _ => {}", names(dispatch.unknown)).unwrap();
    }
}

fn readable(table: &Table) -> String {
    let framings: Vec<String> = table.framing.iter().map(|framing| format!("{framing:?}")).collect();
    let mut text = format!("{} ({}), {}\n", table.provider, table.title, framings.join(" or "));
    writeln!(text, "keys: {}", table.keys.join(" ")).unwrap();
    writeln!(text, "session: {}", paths(table, table.context.session)).unwrap();
    writeln!(text, "turn: {}", paths(table, table.context.turn)).unwrap();
    writeln!(text, "agent: {}", paths(table, table.context.agent)).unwrap();
    for time in table.context.time {
        writeln!(text, "time: {} in {:?}", path(table, &time.path), time.unit).unwrap();
    }
    for register in table.registers {
        writeln!(text, "register {} per {:?}", register.name, register.scope).unwrap();
    }
    for map in table.values {
        let pairs: Vec<String> = value_map(map).iter().map(|(from, to)| format!("{from} => {to}")).collect();
        writeln!(text, "values {}: {}", map.name, pairs.join("; ")).unwrap();
    }
    write_dispatch(table, &table.dispatch, 0, &mut text);
    for row in rows(table) {
        let place = row.rule.place;
        let condition = row.condition.map(|condition| format!(" if {condition}")).unwrap_or_default();
        writeln!(
            text,
            "\n{} at {}:{}: {}{condition}",
            row.rule.name,
            place.line,
            place.column,
            row.patterns.join(" | ")
        )
        .unwrap();
        match row.content {
            Content::Ignored(reason) => writeln!(text, "  ignored because {reason:?}").unwrap(),
            Content::Terms(lines) => {
                for line in lines {
                    let indent = "  ".repeat(line.depth + 1);
                    let ignored =
                        line.ignored.map(|reason| format!(" ignored because {reason:?}")).unwrap_or_default();
                    writeln!(text, "{indent}{} {{ {} }}{ignored}", line.head, line.fields.join(", "))
                        .unwrap();
                }
            }
        }
    }
    for dropped in table.dropped {
        let rules = match dropped.rules {
            [] => String::new(),
            rules => format!(" in {}", rules.join(", ")),
        };
        writeln!(text, "\ndropped {}{rules} because {:?}", dropped.path, dropped.reason).unwrap();
    }
    text
}

#[test]
fn right_maps_become_these_tables() {
    for map in maps("maps") {
        let compiled =
            compile_file(&map).unwrap_or_else(|faults| panic!("{}:\n{}", map.display(), faults.join("\n")));
        let name = map.file_stem().expect("a name").to_string_lossy().into_owned();
        assert_snapshot!(name, readable(compiled.table));
    }
}

/// The coverage ledger: what becomes of each field that the schema knows.
#[test]
fn every_field_of_the_schema_is_accounted_for() {
    for map in maps("maps") {
        let text = std::fs::read_to_string(&map).expect("a readable map");
        let fields = coverage(&text, "any.map", Beside::new(&map)).expect("a right map");
        let mut ledger = String::new();
        for FieldUse { message, path, handling, .. } in fields {
            let handling = match handling {
                Handling::Read(rules) => format!("read by {}", rules.join(", ")),
                Handling::Left(reason) => format!("left: {reason}"),
                Handling::Unmapped => "UNMAPPED".to_owned(),
            };
            writeln!(ledger, "{message} | {path} | {handling}").unwrap();
        }
        let name = map.file_stem().expect("a name").to_string_lossy();
        assert_snapshot!(format!("{name}_coverage"), ledger);
    }
}

/// A table refers to its rules, keys, registers and value maps by number.
#[test]
fn keys_are_sorted_and_each_is_there_once() {
    for map in maps("maps") {
        let table = compile_file(&map).expect("a right map").table;
        assert!(table.keys.is_sorted_by(|left, right| left < right), "{:?}", table.keys);
        assert!(!table.keys.is_empty());
    }
}

/// A map in the middle of being written is never more than faulty.
#[test]
fn a_map_without_one_of_its_tokens_does_not_panic() {
    for map in maps("maps") {
        let text = std::fs::read_to_string(&map).expect("a readable map");
        let words: Vec<(usize, &str)> = text
            .split_inclusive([' ', ';', '{', '}'])
            .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
            .collect();
        let mut faulty = 0;
        for (at, word) in words.iter().step_by(9) {
            let without = [&text[..*at], &text[at + word.len()..]].concat();
            let compiled = interlingua_codegen::compile(&without, "cut.map", Beside::new(&map));
            faulty += usize::from(compiled.is_err());
        }
        assert!(faulty > 4, "only {faulty} of the cut maps are faulty");
    }
}

#[test]
fn the_universal_side_names_the_native_terms_of_each_provider() {
    let tables: Vec<&'static Table> =
        maps("maps").iter().map(|map| compile_file(map).expect("a right map").table).collect();
    let tables: Vec<&'static Table> =
        tables.into_iter().filter(|table| table.layer == Layer::Agent && table.included.is_empty()).collect();
    let mut text = String::new();
    for section in universal(&tables) {
        writeln!(text, "{}", section.title).unwrap();
        for row in section.rows {
            for (table, cell) in tables.iter().zip(&row.cells) {
                let natives = cell.natives.iter().map(|native| match native.source {
                    Source::Term(place) => format!("{} at {}", native.text, place.line),
                    Source::Setting(name) => format!("{} in {name}", native.text),
                });
                let natives: Vec<String> = natives.collect();
                let also = if cell.also { " also" } else { "" };
                let otherwise = cell.otherwise;
                writeln!(
                    text,
                    "  {} ({}): {} [{otherwise}{also}]",
                    row.term,
                    table.provider,
                    natives.join("; ")
                )
                .unwrap();
            }
        }
    }
    for synthetic in synthetics(&tables) {
        let needs = synthetic.needs.iter().map(|need| match need {
            Need::For(natives) => {
                format!("for {}", natives.iter().map(|one| one.text.as_str()).collect::<Vec<_>>().join("; "))
            }
            other => format!("{other:?}"),
        });
        writeln!(text, "{}: {}", synthetic.element, needs.collect::<Vec<_>>().join(" / ")).unwrap();
    }
    assert_snapshot!(text);
}
