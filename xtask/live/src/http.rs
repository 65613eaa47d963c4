//! A small HTTP server on loopback: enough for programs that ask a model and get an answer, a stream of events or a
//! socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::socket::{self, Socket, Upgrade};

/// A request.
#[derive(Debug, Default)]
pub struct Request {
    /// Such as `POST`.
    pub method: String,
    /// The path, without what follows `?`.
    pub path: String,
    /// What follows `?`; empty where there is none.
    pub query: String,
    /// The body as text; empty where there is none.
    pub body: String,
    /// What was said of a socket; none where none is asked for.
    pub upgrade: Option<Upgrade>,
}

/// What is answered.
pub enum Response {
    /// A whole body of JSON, with its status.
    Json(u16, String),
    /// A stream of events, each with the lines that it has.
    Events(Vec<String>),
    /// The same, and then nothing more, until whoever asked goes away.
    Endless(Vec<String>),
    /// A socket, for a request that asks for one.
    Socket(Socket),
}

/// How long an endless stream lasts at most, in pings.
const PINGS: u32 = 300;

/// Opens a server and gives its address. It answers until this program ends.
///
/// # Errors
///
/// When no port is free.
pub fn open(answer: impl Fn(&Request) -> Response + Send + Sync + 'static) -> io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    let answer = Arc::new(answer);
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            // A connection that breaks is no concern of the others.
            thread::spawn(move || serve(connection, &*answer));
        }
    });
    Ok(address)
}

fn serve(mut connection: TcpStream, answer: &dyn Fn(&Request) -> Response) -> io::Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    while let Some(request) = read(&mut reader, &mut connection)? {
        match answer(&request) {
            Response::Json(status, body) => {
                let body = if request.method == "HEAD" { String::new() } else { body };
                write!(
                    connection,
                    "HTTP/1.1 {status} so\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                    body.len()
                )?;
            }
            Response::Events(events) => return stream(&mut connection, &events),
            Response::Endless(events) => {
                stream(&mut connection, &events)?;
                for _ in 0..PINGS {
                    thread::sleep(Duration::from_millis(100));
                    connection.write_all(b": still thinking\n\n")?;
                }
                return Ok(());
            }
            Response::Socket(socket) => return socket::serve(connection, request.upgrade.as_ref(), socket),
        }
    }
    Ok(())
}

/// The stream ends when the connection does.
fn stream(connection: &mut TcpStream, events: &[String]) -> io::Result<()> {
    connection
        .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    events.iter().try_for_each(|event| connection.write_all(format!("{event}\n\n").as_bytes()))
}

fn read(reader: &mut BufReader<TcpStream>, connection: &mut TcpStream) -> io::Result<Option<Request>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let (mut length, mut is_chunked) = (0, false);
    let (mut key, mut protocols) = (None, String::new());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim();
        let Some((name, value)) = line.split_once(':').map(|(name, value)| (name, value.trim())) else {
            if line.is_empty() {
                break;
            }
            continue;
        };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().unwrap_or_default(),
            "transfer-encoding" => is_chunked = value.eq_ignore_ascii_case("chunked"),
            "expect" => connection.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?,
            "sec-websocket-key" => key = Some(value.to_owned()),
            "sec-websocket-protocol" => value.clone_into(&mut protocols),
            _ => {}
        }
    }
    let body = if is_chunked { chunks(reader)? } else { bytes(reader, length)? };
    let mut words = first.split_whitespace();
    let method = words.next().unwrap_or_default().to_owned();
    let (path, query) =
        words.next().map(|place| place.split_once('?').unwrap_or((place, ""))).unwrap_or_default();
    Ok(Some(Request {
        method,
        path: path.to_owned(),
        query: query.to_owned(),
        body: String::from_utf8_lossy(&body).into_owned(),
        upgrade: key.map(|key| Upgrade { key, protocols }),
    }))
}

fn bytes(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn chunks(reader: &mut BufReader<TcpStream>) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let size = usize::from_str_radix(line.trim(), 16).unwrap_or_default();
        body.extend(bytes(reader, size)?);
        reader.read_line(&mut String::new())?;
        if size == 0 {
            return Ok(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(address: &str, request: &str) -> String {
        let mut connection = TcpStream::connect(address.trim_start_matches("http://")).expect("a connection");
        connection.write_all(request.as_bytes()).expect("it reads");
        connection.shutdown(std::net::Shutdown::Write).expect("it is open");
        let mut answer = String::new();
        connection.read_to_string(&mut answer).expect("UTF-8");
        answer
    }

    #[test]
    fn bodies_are_read_whole_in_both_forms() {
        let address = open(|request| match request.path.as_str() {
            "/stream" => Response::Events(vec![format!("data: {}", request.body)]),
            _ => Response::Json(404, format!("{} {}", request.method, request.body)),
        })
        .expect("a port");
        let plain = ask(&address, "PUT /a?b=c HTTP/1.1\r\ncontent-length: 5\r\n\r\nHello");
        assert!(plain.starts_with("HTTP/1.1 404 ") && plain.ends_with("PUT Hello"), "{plain}");
        let chunked =
            "POST /stream HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nHel\r\n2\r\nlo\r\n0\r\n\r\n";
        assert!(ask(&address, chunked).ends_with("\r\n\r\ndata: Hello\n\n"));
    }
}
