//! Pages in a real browser. Without Chromium these tests say that they were skipped: CONTRIBUTING.md says how they find it.

#[path = "html/chromium.rs"]
mod chromium;
#[path = "html/hostile.rs"]
mod hostile;
mod support;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use chromium::{Browser, Seen};
use support::{capture, claude, run};

/// Opens everything that can be opened, and presses keys.
const USE: &str = "(async () => {
    for (const details of document.querySelectorAll('details')) details.open = true;
    for (const button of document.querySelectorAll('.cut button')) button.click();
    for (const id of ['split', 'theme', 'theme', 'help']) document.getElementById(id)?.click();
    document.querySelector('main').focus();
    for (const key of 'jnkpf') document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    return [String(window.PWN), document.title];
})()";

/// Searches for a letter.
const SEARCH: &str = "(async () => {
    const find = document.getElementById('find');
    find.value = 'a';
    find.dispatchEvent(new Event('input'));
    await new Promise((done) => setTimeout(done, 180));
})()";

/// An empty folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

fn browser(profile: &str) -> Option<Browser> {
    let Some(program) = chromium::find() else {
        println!("skipped: there is no Chromium; CHROMIUM names one");
        return None;
    };
    Some(Browser::start(&program, &folder(profile)))
}

fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut pages: Vec<_> =
        fs::read_dir(folder).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    pages.retain(|page| page.extension().is_some_and(|end| end == "html"));
    pages.sort();
    pages
}

fn url(page: &Path) -> String {
    format!("file://{}", page.display())
}

/// A script that waits until something is true. Only a test that fails waits for long.
fn until(condition: &str) -> String {
    format!(
        "(async () => {{ for (let tries = 0; tries < 1200; tries += 1) {{ if ({condition}) return; \
         await new Promise((done) => setTimeout(done, 50)); }} throw new Error('it did not happen'); }})()"
    )
}

#[test]
fn a_page_of_each_recording_works_without_a_complaint_or_a_request() {
    let Some(mut browser) = browser("browser-recordings-profile") else { return };
    let into = folder("browser-recordings");
    let captures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../resources/captures");
    let ran = run(&["html", &captures.display().to_string(), "-o", &into.display().to_string()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let pages = pages(&into);
    assert!(pages.len() > 250, "{}", pages.len());
    for (number, page) in pages.iter().enumerate() {
        browser.open(&url(page));
        browser.evaluate(USE);
        // It has to wait, so that some pages have to do.
        if number % 8 == 0 {
            browser.evaluate(SEARCH);
        }
        assert_eq!(browser.seen(), Seen::default(), "{}", page.display());
        let entries = browser.evaluate("document.querySelectorAll('article.e, tr.hit').length");
        let empty = browser.evaluate("document.body.textContent.includes('Nothing was recorded.')");
        assert!(entries.as_u64().is_some_and(|count| count > 0) || empty == true, "{}", page.display());
    }
    println!("{} pages", pages.len());
}

#[test]
fn nothing_of_a_hostile_page_runs() {
    let Some(mut browser) = browser("browser-hostile-profile") else { return };
    let (from, into) = (folder("browser-hostile-from"), folder("browser-hostile"));
    for (number, payload) in hostile::PAYLOADS.iter().enumerate() {
        fs::write(from.join(format!("{number}.jsonl")), hostile::every_kind(payload)).expect("a file");
    }
    let ran = run(&["html", &from.display().to_string(), "-o", &into.display().to_string()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let pages = pages(&into);
    assert_eq!(pages.len(), hostile::PAYLOADS.len() + 1);
    for page in &pages {
        browser.open(&url(page));
        let title = browser.evaluate("document.title");
        assert_eq!(browser.evaluate(USE), serde_json::json!(["undefined", title]), "{}", page.display());
        browser.evaluate(SEARCH);
        assert_eq!(browser.seen(), Seen::default(), "{}", page.display());
        assert_eq!(browser.evaluate("String(window.PWN)"), "undefined");
    }
    // The browser does run such a thing where nothing keeps it from that.
    let open = into.join("open.htm");
    fs::write(&open, format!("<main tabindex=-1>{}", hostile::PAYLOADS[0])).expect("a file");
    browser.open(&url(&open));
    assert_eq!(browser.evaluate("window.PWN"), 1);
}

#[test]
fn a_long_session_is_shown_part_by_part_and_found_whole() {
    let Some(mut browser) = browser("browser-long-profile") else { return };
    let mut lines = String::new();
    for number in 1..=4000 {
        let text = format!("entry {number} {}", "word ".repeat(60));
        lines.push_str(&format!(r#"{{"event_id":"s1:{number}","sequence":{number},"session_id":"s1","agent_path":[],"origin":"agent","type":"item.completed","data":{{"item":{{"item_id":"m{number}","kind":"message","role":"assistant","status":"completed","content":[{{"type":"text","text":"{text}"}}]}}}}}}"#));
        lines.push('\n');
    }
    let into = folder("browser-long");
    let file = into.join("long.jsonl");
    fs::write(&file, lines).expect("a file");
    let page = into.join("long.html");
    let ran = run(&["html", &file.display().to_string(), "-o", &page.display().to_string()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    browser.open(&url(&page));
    browser.evaluate(&until("document.querySelector('article.e')"));
    let shown = browser.evaluate("document.querySelectorAll('article.e').length").as_u64().expect("a number");
    assert!(shown > 0 && shown < 4000, "{shown}");
    browser.evaluate("location.hash = '#e1-3500'");
    browser.evaluate(&until("document.activeElement.id === 'e1-3500'"));
    browser.evaluate(
        "const find = document.getElementById('find'); find.value = 'entry 2999 '; find.dispatchEvent(new Event('input'))",
    );
    browser.evaluate(&until("document.querySelector('#hits a')"));
    let found = browser.evaluate("document.querySelector('#hits a').getAttribute('href')");
    assert_eq!(found, "#e1-2999");
    assert_eq!(browser.seen(), Seen::default());
}

/// `AXE_CORE` names the file `axe.min.js` of the package axe-core.
#[test]
fn axe_finds_nothing_serious() {
    let Some(axe) = env::var_os("AXE_CORE").filter(|named| !named.is_empty()) else {
        println!("skipped: AXE_CORE does not name an axe.min.js");
        return;
    };
    let axe = fs::read_to_string(axe).expect("axe-core");
    let Some(mut browser) = browser("browser-axe-profile") else { return };
    let (from, into) = (folder("browser-axe-from"), folder("browser-axe"));
    let recordings = [
        claude(),
        capture("claude/2.1.332/06-write-edit"),
        capture("claude/2.1.332/13-subagent"),
        capture("claude/2.1.332/24-images"),
        capture("claude/2.1.332/19-retry-then-success"),
        capture("codex/0.171.0/03b-command-interactive"),
    ];
    for (number, recording) in recordings.iter().enumerate() {
        fs::copy(recording, from.join(format!("{number}.jsonl"))).expect("a copy");
    }
    fs::write(from.join("kinds.jsonl"), hostile::every_kind("some text\n\n- [x] done\n")).expect("a file");
    let ran = run(&["html", &from.display().to_string(), "-o", &into.display().to_string()]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for page in pages(&into) {
        for theme in ["light", "dark"] {
            browser.open(&url(&page));
            browser.evaluate(USE);
            browser.evaluate(&format!("document.documentElement.dataset.theme = '{theme}'"));
            browser.evaluate(&format!("{axe}; 0"));
            let found = browser.evaluate(
                "axe.run({ resultTypes: ['violations'] }).then((result) => result.violations \
                 .filter((one) => ['serious', 'critical'].includes(one.impact)) \
                 .map((one) => [one.id, one.nodes.length, one.nodes[0].html.slice(0, 200), one.nodes[0].failureSummary]))",
            );
            assert_eq!(found, serde_json::json!([]), "{} in {theme}", page.display());
        }
    }
}
