//! How an agent is made to talk to the scripted model alone: `resources/live/AGENT.json`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

/// Where the setups lie, below the repository's root.
pub const FOLDER: &str = "resources/live";

/// One agent's setup. In its texts `{server}` is the model's address, `{home}` the home that is made for it and
/// `{work}` the folder in which it works. What the agent cannot do at all does not stand here: its map knows.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The provider whose map drives it, where that is not the setup's name: `acp` for any agent of that protocol.
    pub agent: Option<String>,
    /// The model's protocol, or that of the server in its place.
    pub wire: String,
    /// What else its server is asked, such as `POST /login?as=me`, and what it answers.
    #[serde(default)]
    pub answers: BTreeMap<String, Value>,
    /// The environment of its program, besides `PATH`, `HOME` and `LANG`.
    pub environment: BTreeMap<String, String>,
    /// Files below its home.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// Further options of its program.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Native options of a session's start.
    #[serde(default)]
    pub native: Map<String, Value>,
    /// The permission mode. `forbid` is played without: it may overrule the settings.
    pub permission_mode: Option<String>,
    /// Its turn ends when no more messages can come, so that its host hangs up as soon as it has said all.
    #[serde(default)]
    pub ends_with_input: bool,
    /// The tool that runs a command; `{command}` stands for it.
    pub shell: Tool,
    /// Whether its settings, in `files`, forbid the command of `forbid`.
    #[serde(default)]
    pub forbids: bool,
    /// The tool that asks a question whose answer is `Blue`; none where there is no such tool.
    pub question: Option<Tool>,
    /// Whether it tells no output of the tools that it runs.
    #[serde(default)]
    pub hides_output: bool,
    /// Scenarios that this program cannot play, with the reason.
    #[serde(default)]
    pub skips: BTreeMap<String, String>,
    /// What its server hears when its program is ended in the middle of the work, where it has to hear of that.
    pub cancels: Option<String>,
}

/// A tool of the agent.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tool {
    /// Its name for the model.
    pub name: String,
    /// Its arguments.
    pub arguments: Value,
    /// Native options of the message after which it is called.
    #[serde(default)]
    pub native: Option<Value>,
}

impl Setup {
    /// Reads an agent's setup, with the places put into its texts.
    ///
    /// # Errors
    ///
    /// When there is none, or it is not of the right form.
    pub fn read(root: &Path, agent: &str, places: &[(&str, &str)]) -> Result<Self, String> {
        let file = root.join(FOLDER).join(format!("{agent}.json"));
        let mut text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        for (name, place) in places {
            text = text.replace(&format!("{{{name}}}"), place);
        }
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::script::Protocol;
    use super::*;

    #[test]
    fn every_setup_is_of_the_right_form_and_switches_off_what_would_call_home() {
        let root = crate::tests::repository();
        let mut seen = 0;
        for entry in fs::read_dir(root.join(FOLDER)).expect("the folder") {
            let path = entry.expect("an entry").path();
            let agent = path.file_stem().expect("a name").to_string_lossy().into_owned();
            let setup = Setup::read(&root, &agent, &[("server", "http://127.0.0.1:1")]).expect("a setup");
            assert!(Protocol::named(&setup.wire).is_some(), "{agent}: {}", setup.wire);
            let text = fs::read_to_string(&path).expect("a file").to_lowercase();
            assert!(text.contains("update"), "{agent} may look for updates");
            seen += 1;
        }
        assert!(seen > 1, "only {seen} setups were found");
    }
}
