//! The other form in which programs talk to their servers: a WebSocket, over which both sides say what they want.

use std::io::{self, Write};
use std::net::TcpStream;

use tungstenite::handshake::derive_accept_key;
use tungstenite::protocol::Role;
use tungstenite::{Error, Message, WebSocket};

/// What a request that asks for a socket says of it.
#[derive(Debug)]
pub struct Upgrade {
    /// What is to be repeated in another form, so that both sides know that they mean a socket.
    pub key: String,
    /// The protocols that are offered, separated by commas.
    pub protocols: String,
}

/// What is said to a text.
pub type Reply = dyn FnMut(&str) -> Vec<String> + Send;

/// One side of a socket: the server's.
pub struct Socket {
    /// What is said first.
    pub greeting: Vec<String>,
    /// What is said to each text that comes.
    pub reply: Box<Reply>,
}

/// Opens a socket on a connection, and speaks until the other side goes away.
///
/// # Errors
///
/// When the connection breaks, or no socket was asked for.
pub fn serve(mut connection: TcpStream, upgrade: Option<&Upgrade>, socket: Socket) -> io::Result<()> {
    let Some(upgrade) = upgrade else {
        return connection.write_all(b"HTTP/1.1 426 so\r\ncontent-length: 0\r\n\r\n");
    };
    let accepted = derive_accept_key(upgrade.key.as_bytes());
    write!(
        connection,
        "HTTP/1.1 101 so\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: {accepted}\r\n"
    )?;
    // Of the protocols that are offered one must be taken, and the first one is the one that is wanted most.
    if let Some(protocol) = upgrade.protocols.split(',').map(str::trim).find(|name| !name.is_empty()) {
        write!(connection, "sec-websocket-protocol: {protocol}\r\n")?;
    }
    connection.write_all(b"\r\n")?;
    match speak(WebSocket::from_raw_socket(connection, Role::Server, None), socket) {
        Error::ConnectionClosed | Error::AlreadyClosed => Ok(()),
        error => Err(io::Error::other(error)),
    }
}

/// Speaks until that is no longer possible, and says why.
fn speak(mut stream: WebSocket<TcpStream>, mut socket: Socket) -> Error {
    let mut texts = std::mem::take(&mut socket.greeting);
    loop {
        for text in texts {
            if let Err(error) = stream.send(Message::text(text)) {
                return error;
            }
        }
        texts = match stream.read() {
            Ok(Message::Text(text)) => (socket.reply)(&text),
            // Pings are answered, and the end is confirmed, by the reading itself.
            Ok(_) => Vec::new(),
            Err(error) => return error,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::http::{self, Response};
    use super::*;

    #[test]
    fn both_sides_speak_on_the_same_port_as_requests() {
        let address = http::open(|request| match &request.upgrade {
            Some(_) => {
                let place = format!("{} {}", request.path, request.query);
                let reply = Box::new(move |text: &str| vec![format!("{text} at {place}"), "more".to_owned()]);
                Response::Socket(Socket { greeting: vec!["hello".to_owned()], reply })
            }
            None => Response::Json(200, "{}".to_owned()),
        })
        .expect("a port");
        let host = address.trim_start_matches("http://");
        let request = tungstenite::http::Request::builder()
            .uri(format!("ws://{host}/speak?to=me"))
            .header("Host", host)
            .header("Connection", "Upgrade")
            .header("Upgrade", "websocket")
            .header("Sec-WebSocket-Version", "13")
            .header("Sec-WebSocket-Key", tungstenite::handshake::client::generate_key())
            .header("Sec-WebSocket-Protocol", "one, two.with%20more")
            .body(())
            .expect("a request");
        let connection = TcpStream::connect(host).expect("a connection");
        let (mut stream, answer) = tungstenite::client(request, connection).expect("a socket");
        assert_eq!(answer.headers()["sec-websocket-protocol"], "one");
        assert_eq!(stream.read().expect("a text"), Message::text("hello"));
        stream.send(Message::text("I am here")).expect("it listens");
        assert_eq!(stream.read().expect("a text"), Message::text("I am here at /speak to=me"));
        assert_eq!(stream.read().expect("a text"), Message::text("more"));
    }
}
