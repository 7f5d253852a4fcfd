//! Draws are held: who is drawn gets tickets, the others wait (Y14).

use std::collections::HashMap;

use futures::stream::{self, StreamExt as _};

use crate::db::{Table, TableError};
use crate::domain::{
    Availability, Beside, DrawEntry, DrawShare, Person, Sale, Ticket, TicketChange, TicketDraw,
    TicketNews, TicketState,
};
use crate::mail::tickets;
use crate::settings::Secret;
use crate::tickets::{OpenSale, mail_number, mails};

/// So many entries get their results at the same time.
const AT_ONCE: usize = 16;
/// So many entries are looked at between two reads of what can be taken.
const CHUNK: usize = 64;

impl OpenSale<'_> {
    /// Holds the draw, if its time has come. What it decides follows from the seed, from the
    /// entries, which do not change any more, and from what is stored first: so it goes on after
    /// an interruption as it began.
    pub async fn hold_draw(&self, secret: &Secret) -> Result<(), TableError> {
        let is_time = self.sale.draw_begins_at().is_some_and(|at| at <= self.now);
        if !is_time {
            return Ok(());
        }
        // A function may have ended before it started the draw.
        start_draw(self.table, secret, self.sale).await?;
        let Some(mut draw) = self.table.draw(self.sale).await? else {
            return Ok(());
        };
        if draw.drawn_at.is_some() || self.sale.is_over(self.now) {
            return Ok(());
        }
        let entries = self.table.draw_entries(self.sale.showing.id).await?;
        if draw.shares.is_empty() {
            let counts = self.table.availability(self.sale, true).await?;
            let shares = self
                .sale
                .types
                .iter()
                .zip(&counts)
                .map(|(one, counts)| DrawShare {
                    ticket_type: one.id,
                    capacity: one.capacity,
                    issued: counts.taken(),
                    drawn: 0,
                });
            draw.shares = shares.collect();
            let results = draw.results(entries.clone());
            for share in &mut draw.shares {
                let own = results
                    .iter()
                    .filter(|(one, is_drawn)| *is_drawn && one.ticket_type == share.ticket_type);
                share.drawn = own.map(|(one, _)| one.count).sum();
            }
            // Before anything is applied: from now on the results are what is stored.
            let shown = results
                .iter()
                .map(|(one, is_drawn)| one.result(Some(*is_drawn)));
            let shown: Vec<_> = shown.collect();
            self.table.store_results(&draw, &shown).await?;
            self.table.fix_draw(&draw).await?;
        }
        let by_name: HashMap<&str, &DrawEntry> = entries
            .iter()
            .map(|one| (one.entry.as_str(), one))
            .collect();
        let results = self.table.all_results(self.sale.showing.id).await?;
        let ranked = results.iter().enumerate().filter_map(|(rank, one)| {
            let entry = by_name.get(one.entry.as_str())?;
            Some((rank, *entry, one.drawn == Some(true)))
        });
        let ranked: Vec<(usize, &DrawEntry, bool)> = ranked.collect();
        for chunk in ranked.chunks(CHUNK) {
            let mut rest = chunk.to_vec();
            let mut retries = self.table.retries();
            while !rest.is_empty() {
                let counts = self.table.availability(self.sale, true).await?;
                let done = rest.iter().map(|result| self.apply(*result, &counts));
                let done: Vec<_> = done.collect();
                let done: Vec<Result<(), TableError>> =
                    stream::iter(done).buffered(AT_ONCE).collect().await;
                let before = rest.len();
                let mut refused = Vec::new();
                for (one, result) in done.into_iter().zip(rest) {
                    match one {
                        Err(TableError::Refused(_)) => refused.push(result),
                        other => other?,
                    }
                }
                rest = refused;
                if rest.len() == before {
                    retries.next().await?;
                }
            }
        }
        draw.drawn_at = Some(self.now);
        self.table.finish_draw(&draw).await
    }

    /// Gives an entry its result: 1 batch read, 1 read and 1 transaction, or nothing if it has it.
    async fn apply(
        &self,
        (rank, entry, is_drawn): (usize, &DrawEntry, bool),
        counts: &[Availability],
    ) -> Result<(), TableError> {
        let ids = entry.tickets.iter().map(|id| (entry.showing, *id));
        let mut requested = self.table.tickets(ids.collect::<Vec<_>>()).await?;
        requested.retain(|ticket| ticket.state == TicketState::Requested);
        let Some(first) = requested.first() else {
            return Ok(());
        };
        let person: Option<Person> = match first.person {
            Some(person) => self.table.person(person).await?,
            None => None,
        };
        let own = counts.iter().find(|counts| counts.is_of(entry.ticket_type));
        let count = u32::try_from(requested.len()).unwrap_or(u32::MAX);
        let parts = own.map_or_else(Vec::new, |counts| counts.choose(count, rank as u64));
        let waits = self.sale.showing.tickets.waiting_list;
        let result = |(n, ticket): (usize, &Ticket)| {
            let (state, queue) = match (is_drawn, waits) {
                (true, _) => (TicketState::Valid, None),
                (_, true) => {
                    let sort = format!("1#{rank:08}#{}", ticket.id);
                    (TicketState::InQueue, Some(sort))
                }
                _ => (TicketState::NotDrawn, None),
            };
            let part = parts.get(n).copied().filter(|_| is_drawn);
            Ticket {
                state,
                queue,
                part: part.unwrap_or(ticket.part),
                version: ticket.version + 1,
                ..ticket.clone()
            }
        };
        let after: Vec<Ticket> = requested.iter().enumerate().map(result).collect();
        let changes = requested.iter().zip(&after);
        let changes: Vec<_> = changes
            .map(|(before, after)| TicketChange {
                before: Some(before),
                after,
            })
            .collect();
        let listed: Vec<&Ticket> = after.iter().collect();
        let number = after.first().map_or(0, mail_number);
        let news = (TicketNews::TicketsDrawn, number);
        let mail = person
            .filter(|person| !person.erasing)
            .and_then(|person| tickets((self.club, self.sale), &person, &listed, news, self.now));
        let beside = Beside {
            others: mails([mail])?,
            ..Beside::default()
        };
        self.table.change_tickets(&changes, counts, beside).await
    }
}

/// Starts the draw of a showing, if it has one.
pub async fn start_draw(table: &Table, secret: &Secret, sale: &Sale) -> Result<(), TableError> {
    if sale.draw_begins_at().is_none() {
        return Ok(());
    }
    table.start_draw(&TicketDraw::new(secret, sale)).await
}
