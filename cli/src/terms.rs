//! `interlingua terms`: the mapping tables of the providers, and the reference of the map language.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use interlingua::table::{Layer, Rule, Table};
use interlingua_codegen::describe::{self, Content, Line, Row};

use crate::args::Terms;
use crate::failure::{FINE, Failure};
use crate::output;
use crate::provider::load;
use crate::universal;

const HEADING: Style = Style::new().bold();
const NATIVE: Style = AnsiColor::Cyan.on_default();
const UNIVERSAL: Style = AnsiColor::Green.on_default();
const QUIET: Style = Style::new().dimmed();

/// One rule, as the map has it: for `explain`.
pub fn rule(output: &mut impl Write, table: &Table, rule: &Rule) -> io::Result<()> {
    let rows = describe::rows(table);
    for row in rows.iter().filter(|row| std::ptr::eq(row.rule, rule)) {
        match &row.content {
            Content::Terms(lines) => translation(output, row, lines)?,
            Content::Ignored(reason) => ignored(output, row, reason)?,
        }
    }
    Ok(())
}

/// How wide the column of the native patterns is at most, and that of the universal terms.
const COLUMNS: (usize, usize) = (42, 36);

/// How many characters of fields stand on one line.
const FIELDS: usize = 90;

/// Runs the command.
pub fn run(options: &Terms) -> Result<u8, Failure> {
    let mut output = output::people();
    let table = match (&options.map, options.provider.as_deref()) {
        (Some(map), _) => Some(load(map, options.schema.as_deref())?),
        (None, name) => name.and_then(interlingua::provider),
    };
    let written = if options.language {
        language(&mut output)
    } else if let Some(table) = table {
        let print = if options.commands { commands } else { provider };
        print(&mut output, table)
    } else {
        // Models have other terms, which each one's own table shows.
        let agents: Vec<&Table> =
            interlingua::providers().iter().copied().filter(|table| table.layer == Layer::Agent).collect();
        universal::print(&mut output, &agents)
    };
    written.and_then(|()| output.flush()).map_err(|error| Failure::output(&error))?;
    Ok(FINE)
}

/// The table of one provider: translations, what is ignored, what is dropped, and the value maps.
fn provider(output: &mut impl Write, table: &Table) -> io::Result<()> {
    writeln!(output, "{HEADING}{}{HEADING:#} ({})  {}", table.title, table.provider, table.file)?;
    let rows = describe::rows(table);
    writeln!(output)?;
    for row in &rows {
        if let Content::Terms(lines) = &row.content {
            translation(output, row, lines)?;
        }
    }
    let ignored_rows = rows.iter().filter(|row| matches!(row.content, Content::Ignored(_)));
    for (place, row) in ignored_rows.enumerate() {
        if place == 0 {
            writeln!(output, "\n  {HEADING}ignored{HEADING:#}")?;
        }
        let Content::Ignored(reason) = row.content else { continue };
        ignored(output, row, reason)?;
    }
    if !table.dropped.is_empty() {
        writeln!(output, "\n  {HEADING}dropped fields{HEADING:#}")?;
        for dropped in table.dropped {
            let rules = dropped.rules.join(", ");
            columns(output, 0, dropped.path, &format!("{QUIET}{}{QUIET:#}", dropped.reason), &rules)?;
        }
    }
    tools(output, table)?;
    let is_of_tools = |name: &str| table.tools.iter().any(|tool| tool.table == name);
    let plain = table.values.iter().filter(|values| !is_of_tools(values.name));
    for (place, values) in plain.enumerate() {
        if place == 0 {
            writeln!(output, "\n  {HEADING}values{HEADING:#}")?;
        }
        writeln!(output, "  {}", values.name)?;
        for (native, universal) in describe::value_map(values) {
            let mut universal = universal.as_str();
            for native in alternatives(&native) {
                columns(output, 1, &native, std::mem::take(&mut universal), "")?;
            }
        }
    }
    writeln!(output)
}

/// What the provider can be told.
fn commands(output: &mut impl Write, table: &Table) -> io::Result<()> {
    writeln!(output, "{HEADING}{}{HEADING:#} ({})  {}\n", table.title, table.provider, table.file)?;
    let all = table.capabilities();
    if all.is_empty() {
        writeln!(output, "  (takes no commands)")?;
    }
    for command in all {
        match command.impossible {
            Some(reason) => {
                columns(output, 0, command.command, "cannot", &format!("{QUIET}{reason}{QUIET:#}"))?;
            }
            None => columns(output, 0, command.command, &command.fields.join(", "), "")?,
        }
        for limit in &command.limits {
            let what = format!("cannot {}", describe::limit(table, limit));
            columns(output, 0, "", &what, &format!("{QUIET}{}{QUIET:#}", limit.reason))?;
        }
    }
    Ok(())
}

/// What the provider calls its tools: the names, the kind, and the name across providers.
fn tools(output: &mut impl Write, table: &Table) -> io::Result<()> {
    for (place, tool) in table.tools.iter().enumerate() {
        if place == 0 {
            writeln!(output, "\n  {HEADING}tools{HEADING:#}")?;
        }
        let mut right = (tool.kind.unwrap_or("absent"), tool.name);
        for name in tool.names {
            let versions = [("from", name.since), ("to", name.until)].into_iter();
            let versions = versions.filter_map(|(word, version)| Some(format!(" {word} {}", version?)));
            let native = format!("{}{}", name.name, versions.collect::<String>());
            let (kind, tool) = std::mem::take(&mut right);
            columns(output, 0, &native, kind, &format!("{QUIET}{tool}{QUIET:#}"))?;
        }
    }
    Ok(())
}

/// The native patterns of a row, one a line, the last one with the condition.
fn left_side(row: &Row<'_>) -> Vec<String> {
    let mut lines: Vec<String> = row.patterns.iter().flat_map(|pattern| alternatives(pattern)).collect();
    if let Some(condition) = &row.condition {
        lines.push(format!("  where {condition}"));
    }
    lines
}

/// An ignored message type with its reason.
fn ignored(output: &mut impl Write, row: &Row<'_>, reason: &str) -> io::Result<()> {
    let mut reason = format!("{QUIET}{reason}{QUIET:#}");
    for native in left_side(row) {
        columns(output, 0, &native, &std::mem::take(&mut reason), "")?;
    }
    Ok(())
}

/// One rule: its patterns beside its terms.
fn translation(output: &mut impl Write, row: &Row<'_>, lines: &[Line]) -> io::Result<()> {
    let mut natives = left_side(row).into_iter();
    let silent = [Line { depth: 0, head: "(nothing)".to_string(), fields: Vec::new(), ignored: None }];
    for line in if lines.is_empty() { &silent } else { lines } {
        let native = natives.next().unwrap_or_default();
        let indented = format!("{}{}", "  ".repeat(line.depth), line.head);
        let right = match line.ignored {
            Some(reason) => vec![format!("{QUIET}ignored: {reason}{QUIET:#}")],
            None => filled(&line.fields),
        };
        let mut right = right.into_iter();
        columns(output, 0, &native, &indented, &right.next().unwrap_or_default())?;
        for more in right {
            columns(output, 0, &natives.next().unwrap_or_default(), "", &more)?;
        }
    }
    natives.try_for_each(|native| columns(output, 0, &native, "", ""))
}

/// A pattern on as many lines as its column asks for, broken before a `|`.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in pattern.split(" | ") {
        match lines.last_mut() {
            None => lines.push(part.to_string()),
            Some(line) if line.chars().count() + part.chars().count() + 5 <= COLUMNS.0 => {
                line.push_str(&format!(" | {part}"));
            }
            Some(_) => lines.push(format!("  | {part}")),
        }
    }
    lines
}

/// Fields on as few lines as fit; a longer field has a line for itself.
fn filled(fields: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (place, field) in fields.iter().enumerate() {
        let comma = if place + 1 < fields.len() { "," } else { "" };
        match lines.last_mut() {
            Some(line) if line.chars().count() + field.chars().count() + 2 <= FIELDS => {
                line.push_str(&format!(" {field}{comma}"));
            }
            _ => lines.push(format!("{field}{comma}")),
        }
    }
    lines
}

/// One line of three columns. What is too long for its column pushes the others to the right.
fn columns(output: &mut impl Write, depth: usize, native: &str, term: &str, right: &str) -> io::Result<()> {
    let (first, second) = COLUMNS;
    let indent = "  ".repeat(depth + 1);
    let first = first.saturating_sub(2 * depth);
    let mut line = format!("{indent}{}", styled(NATIVE, native));
    if !(term.is_empty() && right.is_empty()) {
        line.push_str(&" ".repeat(first.saturating_sub(native.chars().count()).max(2)));
        line.push_str(&styled(UNIVERSAL, term));
    }
    if !right.is_empty() {
        // Without a term the right side still stands in its column when it goes on with fields.
        line.push_str(&" ".repeat(second.saturating_sub(term.chars().count()).max(2)));
        line.push_str(right);
    }
    writeln!(output, "{}", line.trim_end())
}

/// Text in a style; nothing stays nothing.
fn styled(style: Style, text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{style}{text}{style:#}") }
}

/// The reference of the map language.
fn language(output: &mut impl Write) -> io::Result<()> {
    writeln!(output, "{HEADING}Terms{HEADING:#}  (* fields that a map must give)\n")?;
    for term in describe::terms() {
        writeln!(output, "{UNIVERSAL}{}{UNIVERSAL:#}", term.name)?;
        writeln!(output, "    {}", term.doc)?;
        if !term.fields.is_empty() {
            let fields: Vec<String> = term
                .fields
                .iter()
                .map(|(name, required)| if *required { format!("{name}*") } else { name.to_string() })
                .collect();
            writeln!(output, "    fields: {}", fields.join(", "))?;
        }
        if !term.body.is_empty() {
            writeln!(output, "    holds:  {}", term.body.join(", "))?;
        }
    }
    writeln!(output, "\n{HEADING}Fields{HEADING:#}\n")?;
    for field in describe::fields() {
        writeln!(output, "{NATIVE}{}{NATIVE:#}: {}", field.name, field.takes)?;
        writeln!(output, "    {}", field.doc)?;
        writeln!(output, "    {QUIET}in {}{QUIET:#}", field.of.join(", "))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_fill_lines_and_keep_their_commas() {
        let fields: Vec<String> =
            ["a".repeat(60), "b".repeat(25), "c".repeat(FIELDS + 9), "d".into()].to_vec();
        let lines = filled(&fields);
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert_eq!(lines[0], format!("{}, {},", fields[0], fields[1]));
        assert_eq!(lines[2], "d");
        assert!(filled(&[]).is_empty());
    }

    #[test]
    fn a_long_pattern_is_broken_between_its_alternatives() {
        assert_eq!(alternatives("a | b"), ["a | b"]);
        let (one, two) = ("a".repeat(30), "b".repeat(30));
        assert_eq!(alternatives(&format!("{one} | {two} | c")), [one, format!("  | {two} | c")]);
    }
}
