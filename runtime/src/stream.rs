//! Events from an asynchronous stream of bytes, for any executor.

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream;
use interlingua_table::Table;

use crate::engine::{Options, Stats, Translator};
use crate::vocabulary::Event;

/// The events of a stream of pieces of bytes, as a stream.
///
/// The pieces may be cut anywhere. After an error of the inner stream come the events that end the stream. A stream
/// that cannot be moved goes in as a pinned box.
///
/// ```
/// # #[cfg(feature = "providers")] {
/// use std::convert::Infallible;
/// use std::pin::{Pin, pin};
/// use std::task::{Context, Poll, Waker};
///
/// use futures_core::Stream;
/// use interlingua::{EventStream, Options};
///
/// /// A stream of pieces that are there already.
/// struct Pieces(std::vec::IntoIter<&'static str>);
///
/// impl Stream for Pieces {
///     type Item = Result<&'static str, Infallible>;
///
///     fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
///         Poll::Ready(self.0.next().map(Ok))
///     }
/// }
///
/// let codex = interlingua::provider("codex").expect("a bundled provider");
/// let pieces = Pieces(vec![r#"{"type":"thread.sta"#, "rted\",\"thread_id\":\"t-1\"}\n"].into_iter());
/// let mut events = pin!(EventStream::new(codex, pieces, Options::default()));
/// let mut types = Vec::new();
/// let mut context = Context::from_waker(Waker::noop());
/// while let Poll::Ready(Some(Ok(event))) = events.as_mut().poll_next(&mut context) {
///     types.push(event.body.event_type().to_owned());
/// }
/// assert_eq!(types, ["session.started", "session.ended"]);
/// # }
/// ```
#[derive(Debug)]
pub struct EventStream<S> {
    pieces: S,
    translator: Translator,
    waiting: VecDeque<Event>,
    ended: bool,
}

impl<S> EventStream<S> {
    /// The events of a stream of pieces.
    #[must_use]
    pub fn new(table: &'static Table, pieces: S, options: Options) -> Self {
        Self { pieces, translator: Translator::new(table, options), waiting: VecDeque::new(), ended: false }
    }

    /// What has been translated so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.translator.stats()
    }
}

impl<S, B, E> Stream for EventStream<S>
where
    S: Stream<Item = Result<B, E>> + Unpin,
    B: AsRef<[u8]>,
{
    type Item = Result<Event, E>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        loop {
            if let Some(event) = this.waiting.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if this.ended {
                return Poll::Ready(None);
            }
            match ready!(Pin::new(&mut this.pieces).poll_next(context)) {
                Some(Ok(piece)) => this.waiting.extend(this.translator.push(piece.as_ref())),
                None => {
                    this.ended = true;
                    this.waiting.extend(this.translator.finish());
                }
                Some(Err(error)) => {
                    this.ended = true;
                    this.waiting.extend(this.translator.finish());
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
    }
}
