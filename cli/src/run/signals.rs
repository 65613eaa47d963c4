//! Ending well when we are told to end.

#[cfg(unix)]
mod unix {
    use std::sync::mpsc::{SyncSender, TrySendError};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread;
    use std::time::Duration;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use super::super::family::Family;
    use super::super::news::News;
    use crate::failure::{Failure, IO, SIGNAL};

    /// How long we may take to end in good order.
    const PATIENCE: Duration = Duration::from_secs(8);

    /// Who is to be ended when we cannot do it in good order.
    #[derive(Clone, Default)]
    pub struct Guarded(Arc<Mutex<Option<Arc<Family>>>>);

    impl Guarded {
        /// From now on, these.
        pub fn set(&self, family: Arc<Family>) {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(family);
        }

        fn kill(&self) {
            if let Some(family) = &*self.0.lock().unwrap_or_else(PoisonError::into_inner) {
                family.kill();
            }
        }
    }

    /// Makes signals news. When they are not heeded, because nobody reads our output, all is ended the same. With a
    /// person before the terminal, the first interrupt is for the turn.
    pub fn watch(news: SyncSender<News>, has_person: bool) -> Result<Guarded, Failure> {
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])
            .map_err(|error| Failure::new(IO, format!("cannot handle signals: {error}")))?;
        let guarded = Guarded::default();
        let ours = guarded.clone();
        thread::spawn(move || {
            for signal in signals.forever() {
                let unheard = matches!(news.try_send(News::Signal(signal)), Err(TrySendError::Full(_)));
                if signal != SIGINT || !has_person || unheard {
                    let ours = ours.clone();
                    thread::spawn(move || {
                        thread::sleep(PATIENCE);
                        ours.kill();
                        std::process::exit(i32::from(SIGNAL) + signal);
                    });
                }
            }
        });
        Ok(guarded)
    }
}

#[cfg(unix)]
pub use unix::{Guarded, watch};
