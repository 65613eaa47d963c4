//! A headless Chromium, spoken to over its debugging protocol.

use std::collections::VecDeque;
use std::env;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// The program: what `CHROMIUM` names, or one of the usual names on the `PATH`. An empty `CHROMIUM` asks for none.
pub fn find() -> Option<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Some(named).filter(|named| !named.is_empty()).map(PathBuf::from);
    }
    let names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"];
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|file| file.is_file())
}

/// A browser with one tab.
pub struct Browser {
    child: Child,
    socket: WebSocket<TcpStream>,
    tab: String,
    number: u64,
    events: VecDeque<Value>,
}

/// What a page did while it was open.
#[derive(Debug, Default, PartialEq)]
pub struct Seen {
    /// Errors and warnings on the console, violations of its policy among them.
    pub complaints: Vec<String>,
    /// Requests other than for the page itself.
    pub requests: Vec<String>,
}

impl Browser {
    /// Starts the program with a profile of its own.
    pub fn start(program: &Path, profile: &Path) -> Self {
        let mut command = Command::new(program);
        command.args([
            "--headless",
            "--disable-gpu",
            "--no-first-run",
            "--remote-debugging-port=0",
            "--window-size=1200,900",
        ]);
        command.arg(format!("--user-data-dir={}", profile.display()));
        // Its sandbox does not work for root, such as in a container.
        #[cfg(unix)]
        if rustix::process::getuid().is_root() {
            command.arg("--no-sandbox");
        }
        let mut child = command
            .arg("about:blank")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("Chromium starts");
        let mut lines = BufReader::new(child.stderr.take().expect("its messages")).lines();
        let address = lines
            .by_ref()
            .find_map(|line| {
                line.expect("UTF-8").split_once("DevTools listening on ").map(|(_, at)| at.to_owned())
            })
            .expect("Chromium says where it listens");
        // It must not wait for somebody who reads its messages.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.trim_start_matches("ws://").split('/').next().expect("a host").to_owned();
        let stream = TcpStream::connect(host).expect("Chromium listens");
        let (socket, _) = tungstenite::client(address.as_str(), stream).expect("a socket");
        let mut browser = Self { child, socket, tab: String::new(), number: 0, events: VecDeque::new() };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.tab = attached["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable", "Network.enable"] {
            browser.call(domain, json!({}));
        }
        browser
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": params});
        if !self.tab.is_empty() {
            message["sessionId"] = self.tab.clone().into();
        }
        self.socket.send(Message::text(message.to_string())).expect("Chromium reads");
        loop {
            let message = self.read();
            if message["id"] == self.number {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            self.events.push_back(message);
        }
    }

    fn read(&mut self) -> Value {
        loop {
            if let Message::Text(text) = self.socket.read().expect("Chromium answers") {
                return serde_json::from_str(&text).expect("JSON");
            }
        }
    }

    /// Runs a script in the page, and waits for what it promises.
    pub fn evaluate(&mut self, script: &str) -> Value {
        let result = self.call(
            "Runtime.evaluate",
            json!({"expression": script, "awaitPromise": true, "returnByValue": true}),
        );
        assert!(result.get("exceptionDetails").is_none(), "{result}");
        result["result"]["value"].clone()
    }

    /// Opens a page, and waits until it is there.
    pub fn open(&mut self, url: &str) {
        self.events.clear();
        self.call("Page.navigate", json!({"url": url}));
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.read();
            self.events.push_back(event);
        }
    }

    /// What the page has done since it was opened.
    pub fn seen(&mut self) -> Seen {
        // What happened before this call is told before its answer.
        self.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))");
        let mut seen = Seen::default();
        for event in &self.events {
            let params = &event["params"];
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.exceptionThrown" => seen.complaints.push(params["exceptionDetails"].to_string()),
                "Runtime.consoleAPICalled" => seen.complaints.push(params["args"].to_string()),
                "Log.entryAdded" => seen.complaints.push(params["entry"]["text"].to_string()),
                "Network.requestWillBeSent" => {
                    let url = params["request"]["url"].as_str().unwrap_or_default();
                    let is_page = params["type"] == "Document" && url.starts_with("file:");
                    if !is_page && !url.starts_with("data:") {
                        seen.requests.push(url.to_owned());
                    }
                }
                _ => {}
            }
        }
        seen
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The program may be a script that starts the browser: killing the script would leave the browser behind.
        self.number += 1;
        let close = json!({"id": self.number, "method": "Browser.close"});
        if self.socket.send(Message::text(close.to_string())).is_ok() {
            while self.socket.read().is_ok() {}
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
