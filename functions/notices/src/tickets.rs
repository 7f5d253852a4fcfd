//! Showings with types of tickets: draws, who waits, reminders, and mails of changes (Y5, Y12).

use std::collections::BTreeMap;

use shared::db::TableError;
use shared::domain::{
    Club, Person, REMINDED_BEFORE, Sale, ScheduledTask, Ticket, TicketNews, TicketState,
};
use shared::ids::{Id, of};
use shared::mail::{ticket_reminder, tickets};
use shared::tickets::OpenSale;
use shared::time::Timestamp;

use crate::timer::Timer;

/// So many tickets go to who waits in one look.
const MOST: usize = 500;
/// So many tickets are read at a time.
const CHUNK: usize = 500;

impl Timer {
    /// Looks at a showing: holds its draw, gives what is free to who waits, and mails what holders
    /// have to know. Returns the number of mails.
    pub(crate) async fn look_at_tickets(
        &self,
        entry: &ScheduledTask,
        (event, showing): (Id<of::Event>, Id<of::Showing>),
        now: Timestamp,
    ) -> Result<usize, TableError> {
        let sale = self.table.sale(event, showing).await?;
        let club = match &sale {
            Some(sale) => self.table.club(&sale.club).await?,
            None => None,
        };
        let Some((mut sale, club)) = sale.zip(club) else {
            self.finish(entry, None, now).await?;
            return Ok(0);
        };
        if club.archived && !sale.is_over(now) {
            sale.cancelled = true;
            self.table.cancel_sale(&sale, now).await?;
        }
        let mut mails = 0;
        if sale.cancelled {
            let has_begun = sale.showing.start <= now;
            if has_begun {
                self.finish(entry, None, now).await?;
                return Ok(0);
            }
            mails += self
                .tell_all((&club, &sale), TicketNews::TicketsCancelled, now)
                .await?;
            self.finish(entry, None, now).await?;
            return Ok(mails);
        }
        let open_sale = OpenSale {
            table: &self.table,
            sale: &sale,
            club: &club,
            now,
        };
        open_sale.hold_draw(&self.settings.secrets.invite).await?;
        let is_left = open_sale.settle(MOST).await?;
        let mut after = sale.clone();
        if sale.change_at.is_some_and(|at| at <= now) {
            mails += self
                .tell_all((&club, &sale), TicketNews::ShowingChanged, now)
                .await?;
            after.change_at = None;
            after.changes.push(now);
        }
        let is_soon = sale.showing.start.plus(-REMINDED_BEFORE) <= now && sale.showing.start > now;
        if is_soon && sale.reminded_of != Some(sale.showing.start) {
            mails += self
                .tell_all((&club, &sale), TicketNews::TicketsReminder, now)
                .await?;
            after.reminded_of = Some(sale.showing.start);
        }
        if after != sale {
            self.table.note_mailed(&sale, &after).await?;
        }
        if is_left {
            self.table.look_soon(&sale, now).await?;
        }
        let next = after.next_task(now);
        self.table.finish_task(entry, next.as_ref(), None).await?;
        Ok(mails)
    }

    /// Mails everybody who has a valid ticket, each person once. Returns the number of new mails.
    async fn tell_all(
        &self,
        (club, sale): (&Club, &Sale),
        news: TicketNews,
        now: Timestamp,
    ) -> Result<usize, TableError> {
        let mut theirs: BTreeMap<Id<of::Person>, Vec<Ticket>> = BTreeMap::new();
        let mut after = None;
        loop {
            let mut chunk = self
                .table
                .tickets_after(sale.showing.id, after, CHUNK)
                .await?;
            let is_last = chunk.len() < CHUNK;
            chunk.truncate(CHUNK);
            after = chunk.last().map(|ticket| ticket.id);
            chunk.retain(|ticket| concerns(ticket, sale, news));
            for ticket in chunk {
                let person = ticket.person;
                theirs.extend(
                    person
                        .map(|id| (id, vec![]))
                        .filter(|(id, _)| !theirs.contains_key(id)),
                );
                if let Some(own) = person.and_then(|id| theirs.get_mut(&id)) {
                    own.push(ticket);
                }
            }
            if is_last {
                break;
            }
        }
        let people = self.table.people(theirs.keys().copied()).await?;
        let mut mails = 0;
        for (id, own) in &theirs {
            let Some(person) = people.get(id).filter(|person| !person.erasing) else {
                continue;
            };
            let mail = mail_of((club, sale), person, own, news, now);
            if let Some(mail) = mail {
                mails += usize::from(self.table.queue_notice(mail).await?);
            }
        }
        Ok(mails)
    }
}

/// Returns whether the holder of a ticket has to know what happened.
fn concerns(ticket: &Ticket, sale: &Sale, news: TicketNews) -> bool {
    match news {
        TicketNews::TicketsReminder => {
            let reminder = sale.showing.start.plus(-REMINDED_BEFORE);
            ticket.state == TicketState::Valid && ticket.created_at <= reminder
        }
        _ => ticket.counts(),
    }
}

fn mail_of(
    (club, sale): (&Club, &Sale),
    person: &Person,
    own: &[Ticket],
    news: TicketNews,
    now: Timestamp,
) -> Option<shared::domain::Mail> {
    if news == TicketNews::TicketsReminder {
        let wants = person.notices.events;
        let all: Vec<&Ticket> = own.iter().collect();
        return ticket_reminder((club, sale), person, &all, now).filter(|_| wants);
    }
    // What a cancelled showing leaves of them.
    let shown = |ticket: &Ticket| match news {
        TicketNews::TicketsCancelled => Ticket {
            state: TicketState::Cancelled,
            ..ticket.clone()
        },
        _ => ticket.clone(),
    };
    let shown: Vec<Ticket> = own.iter().map(shown).collect();
    let all: Vec<&Ticket> = shown.iter().collect();
    let number = sale
        .change_at
        .filter(|_| news == TicketNews::ShowingChanged);
    let number = number.map_or(sale.version, |at| at.epoch_seconds().unsigned_abs());
    tickets((club, sale), person, &all, (news, number), now)
}
