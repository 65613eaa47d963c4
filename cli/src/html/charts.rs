//! Charts as SVG inside the page. Each has a text that says what it shows, and its numbers as a table.

use interlingua::vocabulary::{ItemKind, TranscriptSession, Usage};
use maud::{Markup, html};

use super::format::{between, cost, count, duration, name, short};
use super::trace::SessionTrace;

const WIDTH: usize = 270;
const HEIGHT: usize = 100;

/// How many bars a chart has at most: more turns are put together.
const BARS: usize = 120;

/// How many rows a table has at most.
const ROWS: usize = 500;

/// The longest pause between two events that the timeline shows in full, in milliseconds.
const PAUSE: i64 = 60_000;

/// All charts of a session; those without numbers are left out.
pub fn rendered(session: &TranscriptSession, trace: &SessionTrace) -> Markup {
    let charts =
        [tokens(session), costs(session), tools(session), context(session, trace), timeline(session)];
    html! {
        @if charts.iter().any(Option::is_some) {
            section.charts aria-label="Charts" {
                h2 { "Charts" }
                div.grid { @for chart in charts.into_iter().flatten() { (chart) } }
            }
        }
    }
}

/// A chart with its title, what it says, and its table.
pub fn figure(title: &str, says: &str, svg: Markup, heads: &[&str], rows: &[Vec<String>]) -> Markup {
    html! {
        figure {
            figcaption { strong { (title) } " " span.quiet { (says) } }
            (svg)
            details {
                summary { "Numbers" span.sr { " of the chart " (title) } }
                div.scroll tabindex="0" role="group" aria-label=(title) {
                    table {
                        thead { tr { @for head in heads { th scope="col" { (head) } } } }
                        tbody {
                            @for row in rows.iter().take(ROWS) { tr { @for cell in row { td { (cell) } } } }
                        }
                    }
                    @if rows.len() > ROWS { p.quiet { "and " (rows.len() - ROWS) " more rows" } }
                }
            }
        }
    }
}

/// Stacked bars: for each bar its values from the bottom up, with their classes.
pub fn bars(label: &str, bars: &[Vec<f64>], classes: &[&str], titles: &[String]) -> Markup {
    let group = bars.len().div_ceil(BARS).max(1);
    let sums: Vec<Vec<f64>> = bars
        .chunks(group)
        .map(|bars| {
            (0..classes.len()).map(|part| bars.iter().filter_map(|bar| bar.get(part)).sum()).collect()
        })
        .collect();
    let most = sums.iter().map(|bar| bar.iter().sum::<f64>()).fold(0.0, f64::max);
    let step = as_f64(WIDTH) / as_f64(sums.len().max(1));
    let width = (step * 0.8).min(40.0);
    html! {
        svg role="img" aria-label=(label) viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" {
            @for (place, bar) in sums.iter().enumerate() {
                @let scale = if most > 0.0 { as_f64(HEIGHT - 2) / most } else { 0.0 };
                g {
                    title { (titles.get(place * group).map_or("", String::as_str)) @if group > 1 { " and " (group - 1) " more" } }
                    @for (part, class) in classes.iter().enumerate() {
                        @let below: f64 = bar[..part].iter().sum();
                        @if bar[part] > 0.0 {
                            rect class=(class) x=(at(step * as_f64(place))) width=(at(width))
                                y=(at(as_f64(HEIGHT) - (below + bar[part]) * scale)) height=(at(bar[part] * scale)) {}
                        }
                    }
                }
            }
        }
    }
}

/// Bars beside their names: name, value, and the value for people. Only the first ones.
pub fn lying(label: &str, lines: &[(String, u64, String)]) -> Markup {
    let most = lines.iter().map(|(_, value, _)| *value).max().unwrap_or_default().max(1);
    let shown = lines.len().min(8);
    html! {
        svg role="img" aria-label=(label) viewBox={ "0 0 " (WIDTH) " " (shown * 20) } {
            @for (place, (name, value, told)) in lines.iter().take(shown).enumerate() {
                @let length = as_f64(WIDTH - 185) * as_f64(*value as usize) / as_f64(most as usize);
                text x="0" y=(place * 20 + 14) { (super::format::excerpt(name, 17)) }
                rect.c1 x="120" y=(place * 20 + 3) height="14" width=(at(length.max(1.0))) {}
                text x=(at(length + 125.0)) y=(place * 20 + 14) { (told) }
            }
        }
    }
}

/// The names of the classes of a chart.
fn legend(names: &[(&str, &str)]) -> Markup {
    html! { p.legend { @for (class, name) in names { span.key.(class) {} (name) " " } } }
}

fn tokens(session: &TranscriptSession) -> Option<Markup> {
    let of = |usage: &Usage| {
        let cached = usage.cache_read.unwrap_or(0);
        let written = usage.cache_write.unwrap_or(0);
        let output = usage.output.unwrap_or(0) + usage.reasoning.unwrap_or(0);
        [cached, written, usage.input.unwrap_or(0), output].map(|tokens| as_f64(tokens as usize)).to_vec()
    };
    let known: Vec<(usize, &Usage)> = turns(session).collect();
    if known.iter().all(|(_, usage)| of(usage).iter().sum::<f64>() == 0.0) {
        return None;
    }
    let cell = |tokens: Option<u64>| tokens.map_or("not recorded".to_owned(), count);
    let rows: Vec<Vec<String>> = known
        .iter()
        .map(|(number, usage)| {
            let counts = [usage.cache_read, usage.cache_write, usage.input, usage.output];
            let mut row = vec![number.to_string()];
            row.extend(counts.into_iter().map(cell));
            row
        })
        .collect();
    let titles: Vec<String> = known
        .iter()
        .map(|(number, usage)| format!("turn {number}: {}", super::format::tokens(usage)))
        .collect();
    let values: Vec<Vec<f64>> = known.iter().map(|(_, usage)| of(usage)).collect();
    let most = values.iter().map(|bar| bar.iter().sum::<f64>()).fold(0.0, f64::max);
    let says = format!("by turn, at most {}", short(most as u64));
    let svg = html! {
        (bars(&format!("Tokens {says}"), &values, &["c1", "c2", "c3", "c4"], &titles))
        (legend(&[("c1", "cache read"), ("c2", "cache write"), ("c3", "input"), ("c4", "output")]))
    };
    Some(figure("Tokens", &says, svg, &["turn", "cache read", "cache write", "input", "output"], &rows))
}

fn turns(session: &TranscriptSession) -> impl Iterator<Item = (usize, &Usage)> {
    session.turns.iter().enumerate().filter_map(|(place, turn)| Some((place + 1, turn.usage.as_ref()?)))
}

fn costs(session: &TranscriptSession) -> Option<Markup> {
    let known: Vec<_> =
        turns(session).filter_map(|(number, usage)| Some((number, usage.cost.as_ref()?))).collect();
    let currency = known.first().map(|(_, cost)| cost.currency.clone())?;
    if known.iter().any(|(_, cost)| cost.currency != currency) {
        return None;
    }
    let values: Vec<Vec<f64>> = known.iter().map(|(_, cost)| vec![cost.amount.max(0.0)]).collect();
    let rows: Vec<Vec<String>> =
        known.iter().map(|(number, value)| vec![number.to_string(), cost(value)]).collect();
    let titles: Vec<String> =
        known.iter().map(|(number, value)| format!("turn {number}: {}", cost(value))).collect();
    let says = "by turn, as the provider or the agent says";
    Some(figure(
        "Cost",
        says,
        bars(&format!("Cost {says}"), &values, &["c2"], &titles),
        &["turn", "cost"],
        &rows,
    ))
}

fn tools(session: &TranscriptSession) -> Option<Markup> {
    struct Tool {
        name: String,
        calls: u64,
        failed: u64,
        millis: u64,
    }
    let mut tools: Vec<Tool> = Vec::new();
    for entry in session.all_items().filter(|entry| entry.item.kind == ItemKind::ToolCall) {
        let Some(call) = entry.item.call() else { continue };
        let result = entry.result.as_deref().and_then(|result| result.item.tool_result());
        let millis = result.and_then(|result| result.duration_ms).or_else(|| entry.duration_ms());
        let place = match tools.iter().position(|tool| tool.name == call.name) {
            Some(place) => place,
            None => {
                tools.push(Tool { name: call.name.clone(), calls: 0, failed: 0, millis: 0 });
                tools.len() - 1
            }
        };
        let tool = &mut tools[place];
        tool.calls += 1;
        tool.failed += u64::from(result.is_some_and(|result| result.is_error));
        tool.millis += millis.unwrap_or_default();
    }
    if tools.is_empty() {
        return None;
    }
    let timed = tools.iter().any(|tool| tool.millis > 0);
    let value = |tool: &Tool| if timed { tool.millis } else { tool.calls };
    tools.sort_by_key(|tool| std::cmp::Reverse(value(tool)));
    let says = if timed { "by tool" } else { "calls by tool; times are not recorded" };
    let title = if timed { "Time" } else { "Tools" };
    let told = |tool: &Tool| if timed { duration(tool.millis) } else { count(tool.calls) };
    let lines: Vec<(String, u64, String)> =
        tools.iter().map(|tool| (tool.name.clone(), value(tool), told(tool))).collect();
    let svg = lying(&format!("{title} {says}"), &lines);
    let rows: Vec<Vec<String>> = tools
        .iter()
        .map(|tool| {
            vec![
                name(&tool.name),
                count(tool.calls),
                count(tool.failed),
                if timed { duration(tool.millis) } else { "not recorded".to_owned() },
            ]
        })
        .collect();
    Some(figure(title, says, svg, &["tool", "calls", "failed", "time"], &rows))
}

fn context(session: &TranscriptSession, trace: &SessionTrace) -> Option<Markup> {
    if trace.contexts.len() < 2 {
        return None;
    }
    let used: Vec<u64> = trace.contexts.iter().map(|(_, tokens)| *tokens).collect();
    let most = used.iter().copied().max().unwrap_or(1);
    let window = session.usage.context_window;
    let top = window.unwrap_or(most).max(most).max(1);
    let step = as_f64(WIDTH) / as_f64(used.len() - 1);
    let each = used.len().div_ceil(WIDTH);
    let y =
        |tokens: u64| as_f64(HEIGHT) - as_f64(tokens as usize) / as_f64(top as usize) * as_f64(HEIGHT - 4);
    let points: Vec<String> = used
        .iter()
        .enumerate()
        .step_by(each)
        .map(|(place, tokens)| format!("{},{}", at(step * as_f64(place)), at(y(*tokens))))
        .collect();
    let says = match window {
        Some(window) => format!("by model call, at most {} of {}", short(most), short(window)),
        None => format!("by model call, at most {}; the size of the window is not recorded", short(most)),
    };
    let svg = html! {
        svg role="img" aria-label={ "Context " (says) } viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } preserveAspectRatio="none" {
            @if let Some(window) = window { line.window x1="0" x2=(WIDTH) y1=(at(y(window))) y2=(at(y(window))) {} }
            polyline.line points=(points.join(" ")) {}
        }
    };
    let rows: Vec<Vec<String>> = used
        .iter()
        .enumerate()
        .map(|(place, tokens)| vec![(place + 1).to_string(), count(*tokens)])
        .collect();
    Some(figure("Context", &says, svg, &["model call", "tokens"], &rows))
}

/// When turns and tools ran. Long pauses are shortened.
fn timeline(session: &TranscriptSession) -> Option<Markup> {
    let spans = |items: Vec<(
        Option<interlingua::vocabulary::Timestamp>,
        Option<interlingua::vocabulary::Timestamp>,
    )>| {
        let known = items
            .into_iter()
            .filter_map(|(from, to)| Some((from?.unix_millis(), to.or(from)?.unix_millis())));
        known.filter(|(from, to)| from <= to).collect::<Vec<_>>()
    };
    let turns = spans(session.turns.iter().map(|turn| (turn.started_at, turn.ended_at)).collect());
    let calls = session.all_items().filter(|entry| entry.item.kind == ItemKind::ToolCall);
    let tools = spans(calls.map(|entry| (entry.started_at, entry.ended_at)).collect());
    let errors = spans(session.errors.iter().map(|error| (error.at, error.at)).collect());
    let mut moments: Vec<i64> =
        [&turns, &tools, &errors].into_iter().flatten().flat_map(|(from, to)| [*from, *to]).collect();
    moments.sort_unstable();
    moments.dedup();
    if moments.len() < 3 {
        return None;
    }
    // For each moment, where it stands when pauses are cut.
    let mut places = Vec::with_capacity(moments.len());
    let mut place = 0;
    for (number, moment) in moments.iter().enumerate() {
        if number > 0 {
            place += (moment - moments[number - 1]).min(PAUSE);
        }
        places.push(place);
    }
    let whole = as_f64(usize::try_from(place).unwrap_or(1).max(1));
    let x = |moment: i64| {
        let found = moments.binary_search(&moment).map_or(0, |found| places[found]);
        as_f64(usize::try_from(found).unwrap_or_default()) / whole * as_f64(WIDTH - 50) + 45.0
    };
    let lane = |spans: &[(i64, i64)], y: usize, class: &str| {
        let each = spans.len().div_ceil(400).max(1);
        html! {
            @for spans in spans.chunks(each) {
                @let (from, to) = (x(spans[0].0), x(spans[spans.len() - 1].1));
                rect class=(class) x=(at(from)) y=(y) height="14" width=(at((to - from).max(1.5))) {}
            }
        }
    };
    let length = between(session.started_at, session.updated_at);
    let says = length.map_or("when turns and tools ran".to_owned(), |millis| {
        format!("of {}; pauses are shortened", duration(millis))
    });
    let svg = html! {
        svg role="img" aria-label={ "Timeline " (says) } viewBox={ "0 0 " (WIDTH) " 70" } {
            @for (name, y) in [("turns", 16), ("tools", 38), ("errors", 60)] { text x="0" y=(y) { (name) } }
            (lane(&turns, 5, "c1")) (lane(&tools, 27, "c2")) (lane(&errors, 49, "c5"))
        }
    };
    let rows: Vec<Vec<String>> = session
        .turns
        .iter()
        .enumerate()
        .map(|(place, turn)| {
            let at = turn.started_at.map_or("not recorded".to_owned(), |at| at.to_string());
            let took = between(turn.started_at, turn.ended_at).map_or("not recorded".to_owned(), duration);
            vec![(place + 1).to_string(), at, took]
        })
        .collect();
    Some(figure("Timeline", &says, svg, &["turn", "started", "took"], &rows))
}

#[expect(clippy::cast_precision_loss, reason = "charts need no exact numbers")]
fn as_f64(number: usize) -> f64 {
    number as f64
}

fn at(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}
