//! What `--program` names: the path of a program, or a command with arguments.

use std::path::Path;

use crate::failure::{Failure, USAGE};

/// The words with which a program is started. A text that is a file is the path of a program, whatever is in it;
/// any other text is split into words as a shell does. The agent may work in another folder, so a path that begins
/// here becomes absolute.
pub fn words(text: &str) -> Result<Vec<String>, Failure> {
    if Path::new(text).is_file() {
        return Ok(vec![absolute(text)]);
    }
    let words = shlex::split(text).filter(|words| !words.is_empty());
    let mut words = words.ok_or_else(|| {
        Failure::new(USAGE, format!("--program is no command: {text}"))
            .help("it takes a path, or a command with arguments such as 'gemini --acp', quoted as in a shell")
    })?;
    words[0] = absolute(&words[0]);
    Ok(words)
}

/// The arguments to start a program with: in place of the one that the map names, the user's own, if there is one.
pub fn arguments(mut named: Vec<String>, own: Option<&[String]>) -> Vec<String> {
    if let Some(own) = own {
        named.splice(..named.len().min(1), own.iter().cloned());
    }
    named
}

fn absolute(program: &str) -> String {
    let is_path = Path::new(program).components().count() > 1;
    let whole = std::path::absolute(program).ok().filter(|_| is_path);
    whole.map_or_else(|| program.to_owned(), |whole| whole.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::{arguments, words};

    #[test]
    fn the_users_program_takes_the_place_of_the_named_one() {
        let named = || vec!["agent".to_owned(), "serve".to_owned()];
        assert_eq!(arguments(named(), None), ["agent", "serve"]);
        let own = ["node".to_owned(), "agent.js".to_owned()];
        assert_eq!(arguments(named(), Some(&own)), ["node", "agent.js", "serve"]);
    }

    #[test]
    fn a_command_is_split_and_a_path_is_not() {
        let split = |text: &str| words(text).unwrap_or_else(|_| panic!("no words: {text}"));
        assert_eq!(split("opencode acp --port 0"), ["opencode", "acp", "--port", "0"]);
        assert_eq!(split("/opt/'my agent'/run \"a b\""), ["/opt/my agent/run", "a b"]);
        assert!(split("./bin/agent --acp")[0].starts_with('/'));
        assert!(words("'open").is_err() && words(" ").is_err());

        let folder = std::env::temp_dir().join(format!("interlingua program {}", std::process::id()));
        std::fs::write(&folder, "").expect("a file");
        let path = folder.display().to_string();
        assert_eq!(split(&path), std::slice::from_ref(&path));
        std::fs::remove_file(folder).expect("it is there");
    }
}
