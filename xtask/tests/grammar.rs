//! The grammar in `docs/map-language.md` is the language: a small recogniser reads the grammar from the page and takes all
//! maps of the repository, and no broken one. The recogniser knows nothing of the language but its tokens.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// One side of a rule of the grammar.
#[derive(Debug, Clone)]
enum Node {
    Word,
    Text,
    Int,
    Literal(Vec<String>),
    Rule(String),
    All(Vec<Node>),
    One(Vec<Node>),
    Maybe(Box<Node>),
    Many(Box<Node>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Text,
    Int,
    /// A mark, and whether another one follows without space.
    Mark(char, bool),
}

/// The tokens of a map, or of a constant of the grammar.
fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        let char = chars[at];
        let is_word = |char: char| char.is_alphanumeric() || char == '_';
        if char == '/' && chars.get(at + 1) == Some(&'/') {
            while at < chars.len() && chars[at] != '\n' {
                at += 1;
            }
        } else if char == '"' {
            at += 1;
            while chars[at] != '"' {
                at += 1 + usize::from(chars[at] == '\\');
            }
            at += 1;
            tokens.push(Token::Text);
        } else if is_word(char) {
            let start = at;
            while at < chars.len() && is_word(chars[at]) {
                at += 1;
            }
            let word: String = chars[start..at].iter().collect();
            let is_int = word.chars().all(|char| char.is_ascii_digit());
            tokens.push(if is_int { Token::Int } else { Token::Word(word) });
        } else {
            at += 1;
            let joint =
                chars.get(at).is_some_and(|next| next.is_ascii_punctuation() && !"\"'_".contains(*next));
            if !char.is_whitespace() {
                tokens.push(Token::Mark(char, joint));
            }
        }
    }
    tokens
}

/// Reads the grammar of the page.
fn grammar() -> BTreeMap<String, Node> {
    let page = fs::read_to_string(root().join("docs/map-language.md")).expect("the page");
    let text = page.split("<!-- grammar -->\n```ebnf\n").nth(1).expect("the grammar");
    let text = text.split("\n```").next().expect("the end of the grammar");
    let mut words: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => rest[1..].find('"').expect("a closing quote") + 2,
            _ if first.is_alphanumeric() => {
                rest.find(|char: char| !char.is_alphanumeric()).unwrap_or(rest.len())
            }
            _ => 1,
        };
        words.push(rest[..length].to_owned());
        rest = rest[length..].trim_start();
    }
    let mut rules = BTreeMap::new();
    let mut at = 0;
    while at < words.len() {
        let name = words[at].clone();
        assert_eq!(words[at + 1], "=", "after {name}");
        at += 2;
        let node = choice(&words, &mut at);
        assert_eq!(words[at], ";", "at the end of {name}");
        at += 1;
        assert!(rules.insert(name.clone(), node).is_none(), "{name} is there twice");
    }
    rules
}

fn choice(words: &[String], at: &mut usize) -> Node {
    let mut choices = vec![sequence(words, at)];
    while words[*at] == "|" {
        *at += 1;
        choices.push(sequence(words, at));
    }
    if choices.len() == 1 { choices.remove(0) } else { Node::One(choices) }
}

fn sequence(words: &[String], at: &mut usize) -> Node {
    let mut parts = Vec::new();
    while !["|", ";", "}", "]", ")"].contains(&words[*at].as_str()) {
        let word = &words[*at];
        *at += 1;
        let mut group = |wrap: fn(Box<Node>) -> Node| {
            let inner = choice(words, at);
            *at += 1;
            wrap(Box::new(inner))
        };
        parts.push(match word.as_str() {
            "{" => group(Node::Many),
            "[" => group(Node::Maybe),
            "(" => group(|inner| *inner),
            "WORD" => Node::Word,
            "TEXT" => Node::Text,
            "INT" => Node::Int,
            quoted if quoted.starts_with('"') => {
                let inside = quoted.trim_matches('"');
                let marks = inside.chars().map(String::from).collect();
                let is_word = inside.chars().all(|char| char.is_alphanumeric() || char == '_');
                Node::Literal(if is_word { vec![inside.to_owned()] } else { marks })
            }
            rule => Node::Rule(rule.to_owned()),
        });
    }
    Node::All(parts)
}

/// Says which pieces of a list of tokens a grammar describes.
struct Recogniser<'g> {
    rules: &'g BTreeMap<String, Node>,
    tokens: Vec<Token>,
    /// For a rule and a place, all places where it can end.
    known: HashMap<(String, usize), BTreeSet<usize>>,
    /// The rules that have described something.
    used: BTreeSet<String>,
    furthest: usize,
}

impl Recogniser<'_> {
    fn ends(&mut self, node: &Node, at: usize) -> BTreeSet<usize> {
        self.furthest = self.furthest.max(at);
        let token = self.tokens.get(at);
        let one = |fits: bool| if fits { BTreeSet::from([at + 1]) } else { BTreeSet::new() };
        match node {
            Node::Word => one(matches!(token, Some(Token::Word(_)))),
            Node::Text => one(token == Some(&Token::Text)),
            Node::Int => one(token == Some(&Token::Int)),
            Node::Literal(parts) => {
                let fits = parts.iter().enumerate().all(|(index, part)| match self.tokens.get(at + index) {
                    Some(Token::Word(word)) => word == part,
                    Some(Token::Mark(mark, joint)) => {
                        part.starts_with(*mark) && (index + 1 == parts.len() || *joint)
                    }
                    _ => false,
                });
                if fits { BTreeSet::from([at + parts.len()]) } else { BTreeSet::new() }
            }
            Node::All(parts) => {
                let mut ends = BTreeSet::from([at]);
                for part in parts {
                    ends = ends.into_iter().flat_map(|end| self.ends(part, end)).collect();
                }
                ends
            }
            Node::One(choices) => choices.iter().flat_map(|choice| self.ends(choice, at)).collect(),
            Node::Maybe(inner) => {
                let mut ends = self.ends(inner, at);
                ends.insert(at);
                ends
            }
            Node::Many(inner) => {
                let mut ends = BTreeSet::from([at]);
                let mut fresh = vec![at];
                while let Some(start) = fresh.pop() {
                    for end in self.ends(inner, start) {
                        if ends.insert(end) {
                            fresh.push(end);
                        }
                    }
                }
                ends
            }
            Node::Rule(name) => {
                if let Some(known) = self.known.get(&(name.clone(), at)) {
                    return known.clone();
                }
                // A rule that begins with itself at the same place ends nowhere.
                self.known.insert((name.clone(), at), BTreeSet::new());
                let rule = self.rules.get(name).unwrap_or_else(|| panic!("the grammar has no `{name}`"));
                let ends = self.ends(&rule.clone(), at);
                if !ends.is_empty() {
                    self.used.insert(name.clone());
                }
                self.known.insert((name.clone(), at), ends.clone());
                ends
            }
        }
    }
}

/// The rules that a text was described with, or where the grammar ends to describe it.
fn recognise(rules: &BTreeMap<String, Node>, text: &str) -> Result<BTreeSet<String>, String> {
    let tokens = tokens(text);
    let length = tokens.len();
    let mut recogniser =
        Recogniser { rules, tokens, known: HashMap::new(), used: BTreeSet::new(), furthest: 0 };
    if recogniser.ends(&Node::Rule("map".to_owned()), 0).contains(&length) {
        return Ok(recogniser.used);
    }
    let from = recogniser.furthest.saturating_sub(8);
    let to = (recogniser.furthest + 3).min(length);
    Err(format!("before the end of {:?}", &recogniser.tokens[from..to]))
}

/// All maps below a folder, but for those of tests of errors.
fn maps(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() && !path.ends_with("errors") {
            maps(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "map") {
            found.push(path);
        }
    }
}

#[test]
fn the_grammar_describes_every_map_and_each_of_its_rules_is_needed() {
    let rules = grammar();
    let mut found = Vec::new();
    for folder in [
        "resources/term-maps",
        "resources/target-maps",
        "codegen/tests",
        "runtime/tests",
        "cli/tests",
        "xtask/tests",
    ] {
        maps(&root().join(folder), &mut found);
    }
    assert!(found.len() > 40, "only {} maps were found", found.len());
    let mut used = BTreeSet::new();
    for map in found {
        let text = fs::read_to_string(&map).expect("a map");
        match recognise(&rules, &text) {
            Ok(more) => used.extend(more),
            Err(place) => panic!("{}: {place}", map.display()),
        }
    }
    let unused: Vec<&String> = rules.keys().filter(|name| !used.contains(*name)).collect();
    assert!(unused.is_empty(), "no map uses {unused:?}");
}

#[test]
fn the_examples_of_the_page_are_described_too() {
    let rules = grammar();
    let page = fs::read_to_string(root().join("docs/map-language.md")).expect("the page");
    let mut examples = 0;
    for part in page.split("\n```text\n").skip(1) {
        let example = part.split("\n```").next().unwrap_or_default();
        let whole = if example.starts_with("term_map!") {
            example.to_owned()
        } else {
            format!("term_map! {{ {example} }}")
        };
        recognise(&rules, &whole).unwrap_or_else(|place| panic!("{example}: {place}"));
        examples += 1;
    }
    assert!(examples >= 4, "only {examples} examples were found");
}

#[test]
fn the_grammar_does_not_describe_what_the_compiler_refuses() {
    let rules = grammar();
    for broken in [
        "on a { note { label: } }",
        "on a { if b then note { } }",
        "on a { note { label: \"a\" | \"b\" } }",
        "on a { @x = ; }",
        "on a { each b by type { c { note { } } } }",
        "values v { a => 3 }",
        "ignore a;",
        "drop a..b because \"x\";",
        "to a { send { b: c d }; }",
        "on a/* { }",
    ] {
        assert!(recognise(&rules, &format!("term_map! {{ {broken} }}")).is_err(), "{broken}");
    }
    assert!(recognise(&rules, "term_map! { on a { note { label: \"a\" } } }").is_ok());
}
