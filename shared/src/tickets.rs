//! Tickets that end, and those that go to whoever waits (Y5).

use crate::db::{Table, TableError, Write};
use crate::domain::{
    Audience, Availability, Beside, Club, Conflict, DrawEntry, EndedCode, Mail, Person,
    QueuedTicket, Sale, Ticket, TicketChange, TicketNews, TicketState, TicketType,
};
use crate::ids::{Id, derived, of};
use crate::mail::tickets;
use crate::time::Timestamp;

/// A showing whose tickets change.
#[derive(Clone, Copy)]
pub struct OpenSale<'a> {
    /// The table.
    pub table: &'a Table,
    /// The types.
    pub sale: &'a Sale,
    /// The club, for mails.
    pub club: &'a Club,
    /// When.
    pub now: Timestamp,
}

/// Returns the number of the mail about the present version of a ticket.
pub fn mail_number(ticket: &Ticket) -> u64 {
    derived(
        "ticket news",
        &[&ticket.id.to_string(), &ticket.version.to_string()],
    )
}

/// Returns a ticket that ended.
#[must_use]
pub fn ended(ticket: &Ticket, now: Timestamp) -> Ticket {
    let mut after = Ticket {
        state: TicketState::Cancelled,
        queue: None,
        version: ticket.version + 1,
        ..ticket.clone()
    };
    if ticket.state == TicketState::Valid {
        after.ended.push(EndedCode {
            code: ticket.code,
            at: now,
            why: Conflict::CancelledSince,
        });
    }
    after
}

/// Returns the writes of new mails.
pub fn mails(all: impl IntoIterator<Item = Option<Mail>>) -> Result<Vec<Write>, TableError> {
    let writes = all.into_iter().flatten().map(|mail| Write::put(&mail));
    writes.map(|write| write.map(Write::if_new)).collect()
}

impl OpenSale<'_> {
    /// Returns the mail that tells a person of one ticket.
    fn mail(&self, person: Option<&Person>, ticket: &Ticket, news: TicketNews) -> Option<Mail> {
        let number = (news, mail_number(ticket));
        tickets((self.club, self.sale), person?, &[ticket], number, self.now)
    }

    /// Ends a ticket, and tells its holder if the club ends it. Returns it as it is then. Refused
    /// if it changed after it was read.
    pub async fn end(&self, ticket: &Ticket, tells: bool) -> Result<Ticket, TableError> {
        let after = ended(ticket, self.now);
        let look = self.table.look_soon(self.sale, self.now);
        let availability = self.table.availability(self.sale, true);
        let person = async {
            match ticket.person.filter(|_| tells) {
                Some(person) => self.table.person(person).await,
                None => Ok(None),
            }
        };
        let (availability, person, ()) = futures::try_join!(availability, person, look)?;
        let mail = self.mail(person.as_ref(), &after, TicketNews::TicketsCancelled);
        let change = TicketChange {
            before: Some(ticket),
            after: &after,
        };
        let mut others = mails([mail])?;
        if ticket.state == TicketState::Requested {
            let entry = ticket.entry.iter();
            others.extend(entry.map(|entry| DrawEntry::leave(ticket.showing, entry)));
        }
        let beside = Beside {
            others,
            ..Beside::default()
        };
        self.table
            .change_tickets(&[change], &availability, beside)
            .await?;
        Ok(after)
    }

    /// Gives what can be taken to those who wait, the first first, at most so many tickets. Makes
    /// the parts allow the capacity, if somebody was interrupted. Returns whether it has to be
    /// called again.
    pub async fn settle(&self, most: usize) -> Result<bool, TableError> {
        if self.sale.is_over(self.now) {
            return Ok(false);
        }
        let mut left = most;
        let mut retries = self.table.retries();
        loop {
            let all = self.table.availability(self.sale, true).await?;
            let (mut moved, mut is_done, mut is_left) = (0, true, false);
            for (one, counts) in self.sale.types.iter().zip(&all) {
                if !counts.fits() {
                    // An officer may be changing the capacity. The other types do not wait for it.
                    if self.fit(one).await? {
                        is_done = false;
                    } else {
                        is_left = true;
                    }
                    continue;
                }
                let free = counts.choose(u32::try_from(left).unwrap_or(u32::MAX), 0);
                if free.is_empty() || !counts.has_queue() {
                    continue;
                }
                is_done = false;
                let queue = self
                    .table
                    .first_in_queue(self.sale, one.id, free.len().min(AT_ONCE));
                for (queued, part) in queue.await?.iter().zip(free) {
                    // The next one is not served before the first: it is read again.
                    if !self.move_up(queued, part, &all).await? {
                        break;
                    }
                    moved += 1;
                }
            }
            left = left.saturating_sub(moved);
            if left == 0 || is_done {
                return Ok(is_left || !is_done);
            }
            if moved == 0 {
                // Others have changed what was read.
                retries.next().await?;
            }
        }
    }

    /// Makes the parts of a type allow its capacity, unless an officer has changed it meanwhile,
    /// who does the same.
    async fn fit(&self, one: &TicketType) -> Result<bool, TableError> {
        let stored = self
            .table
            .sale(self.sale.event, self.sale.showing.id)
            .await?;
        let stored = stored.and_then(|sale| sale.ticket_type(one.id).map(|one| one.capacity));
        if stored != Some(one.capacity) {
            return Ok(false);
        }
        self.table
            .fit_capacity(self.sale, one.id, one.capacity)
            .await
    }

    /// The same at the end of a request. If it fails, the timer does it within a minute.
    pub async fn settle_later(&self, most: usize) {
        if let Err(error) = self.settle(most).await {
            tracing::warn!(%error, "who waits gets tickets later");
        }
    }

    /// Makes a ticket valid that waits, counted in this part; or ends it, if its holder may not
    /// have it any more. Returns whether anything changed.
    async fn move_up(
        &self,
        queued: &QueuedTicket,
        part: u8,
        availability: &[Availability],
    ) -> Result<bool, TableError> {
        let ticket = self.table.ticket(queued.showing, queued.ticket).await?;
        // It may have left the queue after that was read: then the queue is read again.
        let Some(ticket) = ticket.filter(|one| one.queued().as_ref() == Some(queued)) else {
            return Ok(false);
        };
        let (person, may) = self.holder(&ticket).await?;
        let was_over = ticket.is_over();
        let after = if may || was_over {
            Ticket {
                state: TicketState::Valid,
                queue: None,
                part,
                version: ticket.version + 1,
                ..ticket.clone()
            }
        } else {
            ended(&ticket, self.now)
        };
        let news = if may {
            TicketNews::TicketsMovedUp
        } else {
            TicketNews::TicketsCancelled
        };
        let mail = self.mail(person.as_ref().filter(|_| !was_over), &after, news);
        let change = TicketChange {
            before: Some(&ticket),
            after: &after,
        };
        let beside = Beside {
            others: mails([mail])?,
            ..Beside::default()
        };
        match self
            .table
            .change_tickets(&[change], availability, beside)
            .await
        {
            Err(TableError::Refused(_)) => Ok(false),
            done => done.map(|()| true),
        }
    }

    /// Returns the holder of a ticket, and whether its type is for them.
    async fn holder(&self, ticket: &Ticket) -> Result<(Option<Person>, bool), TableError> {
        let Some(id) = ticket.person else {
            return Ok((None, false));
        };
        let person = self
            .table
            .person(id)
            .await?
            .filter(|person| !person.erasing);
        let may = person.is_some() && self.is_for(ticket.ticket_type, id).await?;
        Ok((person, may))
    }

    /// Returns whether a type is for a person: 1 read, if it is for members.
    pub async fn is_for(
        &self,
        ticket_type: Id<of::TicketType>,
        person: Id<of::Person>,
    ) -> Result<bool, TableError> {
        match self.sale.ticket_type(ticket_type).map(|one| one.audience) {
            Some(Audience::Everybody) => Ok(true),
            Some(Audience::Members) => {
                let (_, membership) = self
                    .table
                    .club_and_membership(&self.club.code, Some(person))
                    .await?;
                Ok(membership.is_some())
            }
            None => Ok(false),
        }
    }
}

/// So many who wait for a type are looked at at a time.
const AT_ONCE: usize = 25;
