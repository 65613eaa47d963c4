//! `cargo xtask live AGENT`: the real program, driven by `interlingua run` against a scripted model.
//!
//! Nothing leaves the machine: the program runs in a network namespace that has loopback alone, and without that
//! nothing is run.

#![forbid(unsafe_code)]

mod capability;
mod drive;
mod http;
mod isolation;
mod judge;
mod script;
mod setup;
mod socket;
mod thread;
mod wire;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use self::capability::Capabilities;
use self::drive::{SCENARIOS, Stage, play};
use self::judge::judge;
use self::script::{Protocol, Script};
use self::setup::Setup;

/// Set inside the namespace.
const INSIDE: &str = "--inside";

/// What was asked for.
struct Options<'o> {
    agent: &'o str,
    program: Option<PathBuf>,
    only: Option<&'o str>,
    keep: Option<PathBuf>,
    inside: bool,
}

/// Runs the command: builds `interlingua`, goes into a namespace, and plays all scenarios there.
///
/// # Errors
///
/// When it is used wrongly, cannot be isolated, or a scenario did not go as it should.
pub fn command(root: &Path, words: &[&str]) -> Result<String, String> {
    let options = options(words)?;
    if options.inside {
        return play_all(root, &options);
    }
    let mut build = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--package", "interlingua-cli"]).current_dir(root);
    if !build.status().map_err(|error| format!("cargo: {error}"))?.success() {
        return Err("`interlingua` does not build".to_owned());
    }
    let me = env::current_exe().map_err(|error| error.to_string())?;
    match isolation::run_inside(Command::new(me).arg("live").args(words).arg(INSIDE))? {
        0 => Ok(String::new()),
        _ => Err("see above".to_owned()),
    }
}

fn options<'o>(words: &[&'o str]) -> Result<Options<'o>, String> {
    const USAGE: &str = "usage: cargo xtask live AGENT [--program PATH] [--only SCENARIO] [--keep FOLDER]";
    let [agent, more @ ..] = words else { return Err(USAGE.to_owned()) };
    let mut options = Options { agent, program: None, only: None, keep: None, inside: false };
    let mut more = more.iter();
    while let Some(word) = more.next() {
        let mut value = || more.next().copied().ok_or_else(|| format!("{word} needs a value; {USAGE}"));
        match *word {
            "--program" => {
                let path = value()?;
                let path = std::path::absolute(path).map_err(|error| format!("{path}: {error}"))?;
                options.program = Some(path);
            }
            "--only" => {
                let scenario = value()?;
                if !SCENARIOS.contains(&scenario) {
                    return Err(format!(
                        "there is no scenario `{scenario}`; there are {}",
                        SCENARIOS.join(", ")
                    ));
                }
                options.only = Some(scenario);
            }
            "--keep" => options.keep = Some(PathBuf::from(value()?)),
            INSIDE => options.inside = true,
            other => return Err(format!("`{other}` is no option; {USAGE}")),
        }
    }
    Ok(options)
}

fn play_all(root: &Path, options: &Options<'_>) -> Result<String, String> {
    if !isolation::is_isolated()? {
        return Err("this network is not isolated, so nothing is run".to_owned());
    }
    isolation::start_loopback()?;
    let place = env::temp_dir().join(format!("interlingua-live-{}", std::process::id()));
    let table = play_in(root, options, &place);
    let _ = fs::remove_dir_all(&place);
    table
}

fn play_in(root: &Path, options: &Options<'_>, place: &Path) -> Result<String, String> {
    let me = env::current_exe().map_err(|error| error.to_string())?;
    let interlingua = me.with_file_name("interlingua");
    let setup = Setup::read(root, options.agent, &[])?;
    let agent = setup.agent.as_deref().unwrap_or(options.agent);
    let capabilities = Capabilities::of(&interlingua, agent)?;
    let mut all_fine = true;
    for scenario in SCENARIOS.into_iter().filter(|name| options.only.is_none_or(|only| only == *name)) {
        // A home for each, so that no scenario sees what another one left.
        let (home, work) = (place.join(scenario).join("home"), place.join(scenario).join("work"));
        for folder in [&home, &work] {
            fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let places = [("home", home.display().to_string()), ("work", work.display().to_string())];
        let mut places: Vec<(&str, &str)> =
            places.iter().map(|(name, place)| (*name, place.as_str())).collect();
        let setup = Setup::read(root, options.agent, &places)?;
        if let Err(reason) = capabilities.allow(&setup, scenario) {
            println!("{scenario:10} -     {reason}");
            continue;
        }
        let protocol =
            Protocol::named(&setup.wire).ok_or_else(|| format!("there is no wire `{}`", setup.wire))?;
        let script = Arc::new(Script::new(protocol, setup.clone()));
        let model = Arc::clone(&script);
        let server = http::open(move |request| model.answer(request)).map_err(|error| error.to_string())?;
        places.push(("server", &server));
        let setup = Setup::read(root, options.agent, &places)?;
        for (name, content) in &setup.files {
            let file = home.join(name);
            let folder = file.parent().unwrap_or(&home);
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&file, content))
                .map_err(|error| format!("{}: {error}", file.display()))?;
        }
        let program = options.program.as_deref();
        let stage = Stage {
            agent,
            interlingua: interlingua.clone(),
            program,
            home,
            work,
            asks: capabilities.asks(),
            setup: &setup,
            script: &script,
        };
        let mut version = String::new();
        let wrong = match play(&stage, scenario) {
            Ok(seen) => {
                version = seen.version();
                if let Some(folder) = &options.keep {
                    keep(folder, options.agent, scenario, &seen.lines, &script)?;
                }
                let mut wrong = judge(&stage, scenario, &seen);
                if !wrong.is_empty() && !seen.errors.is_empty() {
                    wrong.push(format!("it wrote: {}", seen.errors.trim()));
                }
                wrong
            }
            Err(error) => vec![error],
        };
        println!("{scenario:10} {:5} {version}", if wrong.is_empty() { "ok" } else { "WRONG" });
        wrong.iter().for_each(|what| println!("    {what}"));
        all_fine &= wrong.is_empty();
    }
    if all_fine { Ok(String::new()) } else { Err("not all went as it should".to_owned()) }
}

/// Writes what was seen, for whoever wants to look at it.
fn keep(folder: &Path, agent: &str, scenario: &str, lines: &[String], script: &Script) -> Result<(), String> {
    let heard: Vec<String> = script.heard().iter().map(|(place, body)| format!("{place} {body}\n")).collect();
    let files = [("events.jsonl", lines.join("\n") + "\n"), ("requests.txt", heard.concat())];
    for (name, content) in files {
        let file = folder.join(format!("{agent}-{scenario}-{name}"));
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&file, content))
            .map_err(|error| format!("{}: {error}", file.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    /// The repository's root.
    pub fn repository() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }
}
