//! The server of an agent that is reached over HTTP, such as `agents/door.sh`.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::Value;

/// A server that says, for each request, what its agent would; its address, and the requests as they come.
pub fn open(
    answer: impl Fn(&str, &Value) -> (u16, Vec<Value>) + Send + 'static,
) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("an address"));
    let (seen, requests) = channel();
    thread::spawn(move || {
        let mut stream: Option<TcpStream> = None;
        for connection in listener.incoming() {
            let mut connection = connection.expect("a connection");
            while let Some((place, body)) = read(&mut connection) {
                if place.starts_with("GET /event") {
                    write!(
                        connection,
                        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n: hello\n\n"
                    )
                    .expect("it reads");
                    stream = Some(connection);
                    break;
                }
                let (status, events) = answer(&place, &body);
                write!(connection, "HTTP/1.1 {status} so\r\ncontent-length: 2\r\n\r\n{{}}")
                    .expect("it reads");
                let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
                let stream = stream.as_mut().expect("the events are read first");
                stream.write_all(events.as_bytes()).expect("it reads");
                let _ = seen.send((place, body));
            }
        }
    });
    (address, requests)
}

fn read(connection: &mut TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(connection);
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|count| *count > 0)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let place = first.rsplit_once(' ').map(|(place, _)| place.to_owned())?;
    Some((place, serde_json::from_slice(&body).unwrap_or_default()))
}
