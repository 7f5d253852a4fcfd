//! Booking, moving and cancelling an interview: the same for applicants and officers (K6, K7).

use std::collections::HashMap;

use futures::future::try_join_all;
use shared::bodies::{InterviewBody, changes_until};
use shared::bookings::{BookingRelease, release_booking};
use shared::db::TableError;
use shared::domain::{
    Application, AppointmentNews, Booking, Club, Interview, InterviewChange, Slot, Submission,
};
use shared::ids::{Id, of};
use shared::mail::appointment;
use shared::reason::Reason;
use shared::time::Timestamp;
use shared::web::{ApiError, Code, IfMatch, Reference, Result};
use shared::{Context, limits};

use crate::release::release_full;

/// Who books, and so which rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// The applicant: within the notice, and for the committee of the submission.
    Applicant,
    /// An officer of the club.
    Officer,
}

shared::input! {
    /// The slot to book.
    pub struct BookingInput {
        /// Id of the slot.
        pub(crate) slot: Reference, Required;
        /// Whether to book it although the applicant has another interview at that time.
        pub(crate) overlap: bool, Free = false;
    }
}

/// What a booking is about, as it was read.
pub(crate) struct Booked {
    pub(crate) club: Club,
    pub(crate) application: Application,
    pub(crate) submission: Submission,
    /// The slot that the submission has booked.
    pub(crate) from: Option<Slot>,
    /// Slots that were read in the same round.
    pub(crate) seen: HashMap<Id<of::Slot>, Slot>,
    /// The states in which the client is willing to change it (H29).
    pub(crate) if_match: IfMatch,
}

/// A request to book a slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wish {
    pub(crate) slot: Id<of::Slot>,
    pub(crate) overlap: bool,
    pub(crate) by: By,
    /// The order number of the request.
    pub(crate) received: u64,
    pub(crate) at: Timestamp,
}

impl Booked {
    /// Reads the submission and its slot again, after somebody changed one of them.
    pub(crate) async fn again(&mut self, app: &Context) -> Result<()> {
        let (application, id) = (self.application.id, self.submission.id);
        let current = app.table.submission(application, id).await?;
        self.submission = current.ok_or(ApiError::NotFound)?;
        self.from = match self.submission.booked() {
            Some(slot) => app.table.slot(application, slot).await?,
            None => None,
        };
        Ok(())
    }

    /// Whether the applicant knows that they were rejected, so that there is no interview for them.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        let interview = self.submission.interview();
        interview.is_some_and(|interview| interview.over)
            || self
                .submission
                .is_interview_over(&self.application, now.moment())
    }

    /// The interview as its applicant sees it; none if they see none.
    pub(crate) fn body(&self, app: &Context) -> Option<InterviewBody> {
        let slots = self.from.iter().map(|slot| (slot.id, slot.clone()));
        let (slots, now) = (slots.collect(), app.clock.now());
        InterviewBody::of(&self.submission, &self.application, &slots, now)
    }

    /// The interview as officers see it.
    pub(crate) fn body_for_officer(&self, app: &Context) -> Option<InterviewBody> {
        Some(self.body(app)?.with_attendance(&self.submission))
    }

    /// It is 412 if the header `If-Match` names another state. Only officers send it.
    pub(crate) fn check_match(&self, app: &Context) -> Result<()> {
        if !self.if_match.is_given() {
            return Ok(());
        }
        match self.body_for_officer(app) {
            Some(body) => self.if_match.check(|| body),
            None => self.if_match.check_absent(),
        }
    }

    fn recruitment(&self) -> (&Club, &Application) {
        (&self.club, &self.application)
    }

    /// Books the slot `to`, or moves to it. Afterwards `self` is what is stored: of two requests,
    /// the one that was received later is kept.
    pub(crate) async fn book(
        &mut self,
        app: &Context,
        wish: Wish,
        mut to: Option<Slot>,
        bookings: &[Booking],
    ) -> Result<()> {
        let mut retries = app.table.retries();
        loop {
            retries.next().await?;
            self.check_match(app)?;
            let interview = self.submission.interview().cloned();
            let interview = interview.unwrap_or_else(|| self.submission.invited());
            if interview.received >= wish.received {
                return Ok(());
            }
            if wish.by == By::Applicant && self.is_over(wish.at) {
                let why = Reason::Decided;
                return Err(ApiError::rule(why).coded(Code::ApplicationClosed));
            }
            if interview.slot == Some(wish.slot) {
                if self.saw(app, self.kept(&interview, wish)).await? {
                    return Ok(());
                }
                to = self.again_with(app, wish.slot).await?;
                continue;
            }
            let slot = self.check(app, wish, to.as_mut(), bookings).await?;
            let from = self.from.as_ref();
            if interview.next_file(from) > limits::CALENDAR_FILES {
                let limit = limits::CALENDAR_FILES;
                let why = Reason::InterviewChangedTooOften { limit };
                return Err(ApiError::rule(why).coded(Code::Quota));
            }
            let news = match from {
                None => AppointmentNews::Booked,
                Some(_) => AppointmentNews::Moved,
            };
            let news = (news, interview.next_file(from));
            let new = Interview {
                kept: self.visible_at(wish),
                ..interview.booked(from, slot, wish.received, wish.at)
            };
            let is_coming = |slot: &Slot| slot.end > wish.at;
            let is_notified = is_coming(slot) || from.is_some_and(is_coming);
            let mail = appointment(self.recruitment(), &self.submission, slot, news, wish.at);
            let mail = mail.filter(|_| is_notified);
            let change = InterviewChange {
                submission: &self.submission,
                new: new.clone(),
                to: Some(slot),
                mail: mail.as_ref(),
            };
            match app.table.change_interview(change).await {
                Ok(()) => {
                    self.submission.interview = Some(new);
                    self.from = to;
                    return Ok(());
                }
                Err(TableError::Refused(_)) => {}
                Err(error) => return Err(error.into()),
            }
            to = self.again_with(app, wish.slot).await?;
        }
    }

    /// As [`Self::again`], with a slot that is to be booked.
    async fn again_with(&mut self, app: &Context, slot: Id<of::Slot>) -> Result<Option<Slot>> {
        self.seen.clear();
        let application = self.application.id;
        let ((), now) = futures::try_join!(self.again(app), async {
            Ok(app.table.slot(application, slot).await?)
        })?;
        Ok(now)
    }

    /// The time since which the applicant knows a rejection, if an officer books after that in the
    /// same second. The rejection does not end this interview (K8).
    fn visible_at(&self, wish: Wish) -> Option<Timestamp> {
        let now = wish.at.moment();
        let visible = self.submission.rejection_visible(&self.application, now);
        visible.filter(|since| wish.by == By::Officer && wish.at <= *since)
    }

    /// The interview after a request for the slot that is booked. If an officer asks, it goes on
    /// after a rejection.
    fn kept(&self, interview: &Interview, wish: Wish) -> Interview {
        let seen = Interview {
            received: wish.received,
            ..interview.clone()
        };
        if wish.by == By::Applicant || !self.is_over(wish.at) {
            return seen;
        }
        Interview {
            booked_at: Some(wish.at),
            kept: self.visible_at(wish),
            ..seen
        }
    }

    /// Notes that a request was received which moves nothing, so that none that was received
    /// earlier does. Returns false if somebody changed the submission: the request may move
    /// something then.
    async fn saw(&mut self, app: &Context, new: Interview) -> Result<bool> {
        let change = InterviewChange {
            submission: &self.submission,
            new: new.clone(),
            to: None,
            mail: None,
        };
        match app.table.change_interview(change).await {
            Ok(()) => {
                self.submission.interview = Some(new);
                Ok(true)
            }
            Err(TableError::Refused(_)) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the slot if it may be booked.
    async fn check<'a>(
        &self,
        app: &Context,
        wish: Wish,
        to: Option<&'a mut Slot>,
        bookings: &[Booking],
    ) -> Result<&'a Slot> {
        let is_officer = wish.by == By::Officer;
        let slot = to
            .filter(|slot| !slot.deleted && slot.application == self.application.id)
            .filter(|slot| is_officer || slot.is_for(self.submission.committee));
        let slot = slot.ok_or_else(|| {
            let why = Reason::unknown("slot");
            ApiError::field("slot", why)
        })?;
        let is_closed = |slot: &Slot| changes_until(slot, &self.application) <= wish.at;
        if !is_officer && (is_closed(slot) || self.from.as_ref().is_some_and(is_closed)) {
            return Err(closed());
        }
        if slot.is_full() {
            release_full(app, self.recruitment(), std::slice::from_mut(slot), 1).await?;
        }
        if slot.is_full() {
            let why = Reason::SlotFull;
            return Err(ApiError::field("slot", why).coded(Code::SlotFull));
        }
        if !wish.overlap && self.overlaps(app, wish, slot, bookings).await? {
            let why = Reason::Overlap;
            return Err(ApiError::field("slot", why).coded(Code::Overlap));
        }
        Ok(slot)
    }

    /// Whether the person has booked another slot at the time of this one: for officers, in their
    /// club; for applicants, in any club that is not archived. 1 batch read, if anything is booked
    /// that was not read yet, and 3 reads for each one at that time.
    async fn overlaps(
        &self,
        app: &Context,
        wish: Wish,
        slot: &Slot,
        bookings: &[Booking],
    ) -> Result<bool> {
        let others = bookings.iter().filter(|booking| {
            booking.submission != self.submission.id.get()
                && (wish.by == By::Applicant || booking.club == self.club.code)
        });
        let others: Vec<&Booking> = others.collect();
        let new = others
            .iter()
            .filter(|booking| !self.seen.contains_key(&booking.slot));
        let requested = new.map(|booking| (booking.application, booking.slot));
        let slots = app.table.slots_by_id(requested).await?;
        let is_then = |booking: &&&Booking| {
            let other = self.seen.get(&booking.slot);
            let other = other.or_else(|| slots.get(&booking.slot));
            other.is_some_and(|other| other.overlaps(slot))
        };
        let then = others.iter().filter(is_then);
        let looks = then.map(|booking| goes_on(app, booking, wish.at));
        Ok(try_join_all(looks).await?.contains(&true))
    }

    /// Gives the place back. Afterwards `self` is what is stored.
    pub(crate) async fn cancel(&mut self, app: &Context, by: By, received: u64) -> Result<()> {
        let mut retries = app.table.retries();
        loop {
            retries.next().await?;
            self.check_match(app)?;
            let interview = self.submission.interview();
            let earlier = interview.filter(|interview| interview.received < received);
            let Some(interview) = earlier.cloned() else {
                return Ok(());
            };
            let Some(slot) = self.from.clone() else {
                let seen = Interview {
                    received,
                    ..interview
                };
                if self.saw(app, seen).await? {
                    return Ok(());
                }
                self.again(app).await?;
                continue;
            };
            let now = app.now();
            if by == By::Applicant && changes_until(&slot, &self.application) <= now {
                if !self.is_over(now) {
                    return Err(closed());
                }
                if slot.start <= now {
                    return Ok(());
                }
            }
            let booking_release = BookingRelease {
                recruitment: self.recruitment(),
                slot: &slot,
                received,
                over: false,
                now: app.now(),
            };
            match release_booking(&app.table, &self.submission, &booking_release).await {
                Ok(interview) => {
                    self.submission.interview = interview;
                    self.from = None;
                    return Ok(());
                }
                Err(TableError::Refused(_)) => self.again(app).await?,
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Whether an interview that was booked will be held: the club is not archived, and the applicant
/// does not know that they were rejected.
async fn goes_on(app: &Context, booking: &Booking, now: Timestamp) -> Result<bool> {
    let (club, application, submission) = futures::try_join!(
        app.table.club(&booking.club),
        app.table.application(&booking.club, booking.application),
        app.table
            .submission(booking.application, Id::new(booking.submission))
    )?;
    let booked = application.zip(submission);
    let goes_on = booked.is_some_and(|(application, submission)| {
        submission.booked() == Some(booking.slot)
            && !submission.is_interview_over(&application, now.moment())
    });
    Ok(goes_on && club.is_some_and(|club| !club.archived))
}

fn closed() -> ApiError {
    let why = Reason::SlotClosed;
    ApiError::field("slot", why).coded(Code::SlotClosed)
}
