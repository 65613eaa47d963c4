//! An agent that is reached by an HTTP server of its own: its program prints the address, one request gives the stream
//! of events, and commands are further requests.

use std::process::ChildStdin;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use interlingua::table;
use ureq::Agent as Client;
use ureq::http::Request as HttpRequest;

use super::news::{self, News};
use crate::failure::{Failure, IO};

/// How long a program may take to say where its server is.
const START: Duration = Duration::from_secs(60);

/// How long a server may take to answer a request. Commands are answered when they are taken, not when they are done.
const ANSWER: Duration = Duration::from_secs(60);

/// How many requests may wait for the one before to be answered.
const WAITING: usize = 1024;

/// How much of a refusal's text is shown, in bytes.
const EXCERPT: u64 = 1000;

/// The way to an agent's server.
pub struct Server {
    requests: SyncSender<Request>,
    input: Mutex<Option<ChildStdin>>,
}

struct Request {
    method: &'static str,
    path: String,
    body: Option<String>,
}

impl Server {
    /// The way to the server of a program that was just started, and what has to look at the lines that it prints.
    pub fn of_program(
        server: table::Server,
        news: &SyncSender<News>,
    ) -> (Self, impl FnMut(&str) + Clone + Send + use<>) {
        let (requests, queue) = mpsc::sync_channel(WAITING);
        let (found, address) = mpsc::channel();
        let news = news.clone();
        thread::spawn(move || {
            if let Err(why) = talk(server, &address, &queue, &news) {
                let _ = news.send(News::Unreachable(why));
            }
        });
        (Self { requests, input: Mutex::new(None) }, looking_for(server.listens, found))
    }

    /// Keeps the program's input open for as long as its server is talked to.
    pub fn keep(&self, input: ChildStdin) {
        *self.input.lock().unwrap_or_else(PoisonError::into_inner) = Some(input);
    }

    /// Makes a request, after those before it have been answered.
    pub fn request(&self, method: &'static str, path: &str, body: Option<&str>) -> Result<(), Failure> {
        let request = Request { method, path: path.to_owned(), body: body.map(str::to_owned) };
        match self.requests.try_send(request) {
            Err(mpsc::TrySendError::Full(_)) => {
                Err(Failure::new(IO, "the agent does not answer the request"))
            }
            // Its end is told elsewhere.
            Ok(()) | Err(mpsc::TrySendError::Disconnected(_)) => Ok(()),
        }
    }
}

/// Finds the address in what a program prints: the word after this text.
fn looking_for(text: &'static str, found: Sender<String>) -> impl FnMut(&str) + Clone + Send + use<> {
    move |line: &str| {
        let address = line.split_once(text).and_then(|(_, rest)| rest.split_whitespace().next());
        if let Some(address) = address {
            let _ = found.send(address.trim_end_matches('/').to_owned());
        }
    }
}

/// Waits for the address, reads the events, and makes the requests one after the other.
fn talk(
    server: table::Server,
    address: &Receiver<String>,
    queue: &Receiver<Request>,
    news: &SyncSender<News>,
) -> Result<(), String> {
    let address = match address.recv_timeout(START) {
        Ok(address) => address,
        Err(mpsc::RecvTimeoutError::Timeout) => {
            return Err(format!(
                "it did not print the address of its server (a line with `{}`)",
                server.listens
            ));
        }
        // It has ended, or closed its output.
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let _ = news.send(News::Silent);
            return Ok(());
        }
    };
    let events = format!("{address}{}", server.events);
    let answer = client(None)
        .get(&events)
        .header("accept", "text/event-stream")
        .call()
        .map_err(|error| format!("{events}: {error}"))?;
    if !answer.status().is_success() {
        return Err(format!("{events}: {}", answer.status()));
    }
    news::read_all(answer.into_body().into_reader(), news.clone());
    let client = client(Some(ANSWER));
    for request in queue {
        let (method, path) = (request.method, request.path.clone());
        match make(&client, &address, request) {
            Ok(refusal) => {
                let _ = news.send(News::Answered { method, path, refusal });
            }
            Err(error) => return Err(format!("{method} {path}: {error}")),
        }
    }
    Ok(())
}

fn client(timeout: Option<Duration>) -> Client {
    // The server is on this machine, whatever proxy there is for others.
    Client::config_builder().proxy(None).http_status_as_error(false).timeout_global(timeout).build().into()
}

/// Makes a request; what the server says when it does not take it.
fn make(client: &Client, address: &str, request: Request) -> Result<Option<String>, ureq::Error> {
    let built = HttpRequest::builder()
        .method(request.method)
        .uri(format!("{address}{}", request.path))
        .header("content-type", "application/json");
    let mut answer = match request.body {
        Some(body) => client.run(built.body(body)?)?,
        None => client.run(built.body(())?)?,
    };
    let status = answer.status();
    // The whole answer is read, so that the connection can be used again.
    let text = answer.body_mut().with_config().limit(64 << 20).lossy_utf8(true).read_to_string()?;
    if status.is_success() {
        return Ok(None);
    }
    let end = text.floor_char_boundary(EXCERPT as usize);
    Ok(Some(format!("{status} {}", &text[..end])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_the_word_after_the_text() {
        let (found, address) = mpsc::channel();
        let mut look = looking_for("listening on", found);
        look("Warning: nobody is listening\n");
        look("demo: listening on http://127.0.0.1:4096/ (press q to quit)\n");
        look("listening on");
        assert_eq!(address.try_iter().collect::<Vec<_>>(), ["http://127.0.0.1:4096"]);
    }
}
