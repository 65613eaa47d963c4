//! Which scenarios an agent can play: what its map says of its commands, and what its setup has.

use std::path::Path;
use std::process::Command;

use super::setup::Setup;

/// What an agent can be told, as `interlingua terms AGENT --commands` prints it.
pub struct Capabilities {
    text: String,
}

impl Capabilities {
    /// Asks for them.
    ///
    /// # Errors
    ///
    /// When the command fails, such as for an agent that it does not know.
    pub fn of(interlingua: &Path, agent: &str) -> Result<Self, String> {
        let told = Command::new(interlingua).args(["terms", agent, "--commands"]).output();
        let told = told.map_err(|error| format!("{}: {error}", interlingua.display()))?;
        if !told.status.success() {
            return Err(String::from_utf8_lossy(&told.stderr).trim().to_owned());
        }
        Ok(Self { text: String::from_utf8_lossy(&told.stdout).into_owned() })
    }

    /// What stands beside a command's name; none where there is no such command.
    fn beside(&self, command: &str) -> Option<&str> {
        self.text.lines().find_map(|line| {
            let rest = line.trim_start().strip_prefix(command)?;
            (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim())
        })
    }

    /// Fails with the reason when a command cannot be given at all.
    fn needs(&self, command: &str) -> Result<(), String> {
        let beside = self.beside(command).ok_or_else(|| format!("its map does not know `{command}`"))?;
        match beside.strip_prefix("cannot") {
            Some(reason) => Err(format!("cannot {command}: {}", reason.trim())),
            None => Ok(()),
        }
    }

    /// Fails with the reason when a field of a command cannot be given.
    fn needs_field(&self, command: &str, field: &str) -> Result<(), String> {
        self.needs(command)?;
        let lines = self.text.lines().skip_while(|line| !line.trim_start().starts_with(command)).skip(1);
        let own = lines.map_while(|line| line.trim_start().strip_prefix("cannot "));
        match own.filter_map(|cannot| cannot.split_once(' ')).find(|(name, _)| *name == field) {
            Some((_, reason)) => Err(format!("cannot {command} with `{field}`: {}", reason.trim())),
            None => Ok(()),
        }
    }

    /// Whether the agent asks its host for leave.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.needs("permission.reply").is_ok()
    }

    /// Fails with the reason when a scenario cannot be played.
    ///
    /// # Errors
    ///
    /// When the agent cannot be told what the scenario says, or its setup lacks what it needs.
    pub fn allow(&self, setup: &Setup, scenario: &str) -> Result<(), String> {
        if let Some(reason) = setup.skips.get(scenario) {
            return Err(reason.clone());
        }
        match scenario {
            "deny" => self.needs("permission.reply"),
            "forbid" if !setup.forbids => Err("its setup here forbids nothing".to_owned()),
            "question" => {
                self.needs("question.reply")?;
                let has_one = setup.question.is_some();
                has_one.then_some(()).ok_or_else(|| "its setup here has no question".to_owned())
            }
            "steer" => self.needs_field("message.send", "delivery"),
            "interrupt" => self.needs("turn.interrupt"),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_map_denies_is_not_played_and_the_reason_is_told() {
        let text = "Acme (acme)  acme.map\n
  message.send            content, delivery, native
                          cannot where x           a file is named in the text
  permission.reply        cannot                   it asks nobody
  question.reply          answers
  session.end
  turn.interrupt
                          cannot turn_id           it stops whatever is running
";
        let acme = Capabilities { text: text.to_owned() };
        let mut setup = Setup::read(&crate::tests::repository(), "claude", &[]).expect("a setup");
        assert_eq!(acme.allow(&setup, "deny"), Err("cannot permission.reply: it asks nobody".to_owned()));
        assert!(!acme.asks());
        for scenario in ["plain", "allow", "question", "steer", "interrupt", "end"] {
            assert_eq!(acme.allow(&setup, scenario), Ok(()), "{scenario}");
        }
        setup.question = None;
        setup.forbids = false;
        for scenario in ["question", "forbid"] {
            assert!(acme.allow(&setup, scenario).is_err(), "{scenario}");
        }
        let busy = Capabilities { text: text.replace("cannot where x  ", "cannot delivery") };
        let reason = "cannot message.send with `delivery`: a file is named in the text".to_owned();
        assert_eq!(busy.allow(&setup, "steer"), Err(reason));
        let deaf = Capabilities { text: text.replace("message.send", "other") };
        assert_eq!(deaf.allow(&setup, "steer"), Err("its map does not know `message.send`".to_owned()));
    }
}
