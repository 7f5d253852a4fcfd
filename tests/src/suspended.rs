//! Calls of the table that a test stops: they arrive when nobody waits for them any more, or while
//! something else happens.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use local::engine::{Call, EngineHook, Reply};
use tokio::sync::Notify;

use crate::{Setup, TestCampus};

/// Calls that wait to be executed.
#[derive(Default)]
#[must_use]
pub struct Late(Vec<Call>);

impl Late {
    /// Executes the calls.
    ///
    /// # Panics
    ///
    /// If there are none: the test holds back something else than it wants.
    pub fn arrive(self) {
        assert!(!self.0.is_empty(), "nothing was held back");
        for call in &self.0 {
            call.apply(&call.body);
        }
    }
}

#[derive(Default)]
struct State {
    /// How many writes with which text are held back.
    hold: Option<(usize, &'static str)>,
    late: Late,
    /// What the call is whose caller waits, and what became of it.
    stop: Option<(Is, Stopped)>,
}

/// What becomes of a call that is stopped.
enum Stopped {
    /// It is executed after [`Suspended::go`].
    NotExecuted,
    /// It is executed, and its caller gets the response after [`Suspended::go`].
    Answered,
    /// It is executed, and its caller gets a broken connection after [`Suspended::go`].
    Lost,
}

type Is = Box<dyn Fn(&Call) -> bool + Send>;

fn writes(call: &Call, text: &str) -> bool {
    call.operation != "Query"
        && !call.operation.contains("Get")
        && String::from_utf8_lossy(&call.body).contains(text)
}

/// Stops calls of the table.
#[derive(Clone, Default)]
pub struct Suspended {
    state: Arc<Mutex<State>>,
    stopped: Arc<Notify>,
    go: Arc<Notify>,
}

impl Suspended {
    /// A campus whose calls of the table can be stopped.
    pub fn campus() -> (Self, TestCampus) {
        let suspended = Self::default();
        let campus = Setup::default().hook(suspended.hook()).build();
        (suspended, campus)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Holds back the next `n` writes whose body has this text: their callers get a broken
    /// connection.
    pub fn hold(&self, n: usize, text: &'static str) {
        self.state().hold = Some((n, text));
    }

    /// Holds back no more, and returns the calls that were held back.
    pub fn release(&self) -> Late {
        let mut state = self.state();
        state.hold = None;
        std::mem::take(&mut state.late)
    }

    /// The next write with this text is not executed until [`Suspended::go`].
    pub fn stop_write(&self, text: &'static str) {
        let is: Is = Box::new(move |call| writes(call, text));
        self.state().stop = Some((is, Stopped::NotExecuted));
    }

    /// The next write with this text is executed, but its caller gets a broken connection after
    /// [`Suspended::go`].
    pub fn lose_write(&self, text: &'static str) {
        let is: Is = Box::new(move |call| writes(call, text));
        self.state().stop = Some((is, Stopped::Lost));
    }

    /// The next query with this text is answered, with what is there now, only after
    /// [`Suspended::go`].
    pub fn stop_answer(&self, text: &'static str) {
        let is: Is = Box::new(move |call| {
            call.operation == "Query" && String::from_utf8_lossy(&call.body).contains(text)
        });
        self.state().stop = Some((is, Stopped::Answered));
    }

    /// Waits until a call is stopped.
    pub async fn stopped(&self) {
        self.stopped.notified().await;
    }

    /// Lets the stopped call go on.
    pub fn go(&self) {
        self.go.notify_one();
    }

    /// A hook that stops these calls.
    pub fn hook(&self) -> EngineHook {
        let suspended = self.clone();
        Arc::new(move |call: Call| {
            let suspended = suspended.clone();
            Box::pin(async move { suspended.meet(call).await })
        })
    }

    async fn meet(&self, call: Call) -> Option<Reply> {
        let stop = {
            let mut state = self.state();
            if let Some((left, text)) = &mut state.hold
                && *left > 0
                && writes(&call, text)
            {
                *left -= 1;
                state.late.0.push(call);
                return Some(Reply::Broken);
            }
            state.stop.take_if(|(is, _)| is(&call))
        };
        let (_, stopped) = stop?;
        let is_executed = !matches!(stopped, Stopped::NotExecuted);
        let reply = is_executed.then(|| call.apply(&call.body));
        let is_lost = matches!(stopped, Stopped::Lost);
        let reply = if is_lost { Some(Reply::Broken) } else { reply };
        self.stopped.notify_one();
        self.go.notified().await;
        reply
    }
}
