//! Mails about tickets (Y12). Only the facts are stored: the text, with the time zone of the
//! campus, and the calendar file are made when the mail is sent.

use askama::Template;

use super::decision::Message;
use super::notice::notice;
use super::{Bodies, Occasion, mail, rendered};
use crate::domain::{
    Club, Mail, MailKind, MailOwner, NoticeAbout, NoticeKind, Person, Sale, Ticket, TicketLine,
    TicketMail, TicketNews, TicketState,
};
use crate::ids::derived;
use crate::time::Timestamp;

/// Returns the mail that tells a person what happened to these tickets of theirs; none if they have
/// no address. `number` tells apart what happens to the tickets of one person.
pub fn tickets(
    (club, sale): (&Club, &Sale),
    person: &Person,
    tickets: &[&Ticket],
    (news, number): (TicketNews, u64),
    now: Timestamp,
) -> Option<Mail> {
    let personal = &person.personal;
    if personal.email.is_empty() {
        return None;
    }
    let event = &sale.event_name;
    let occasion = occasion(person, sale, (MailKind::Tickets, number));
    let has = |state| tickets.iter().any(|ticket| ticket.state == state);
    let subject = match news {
        TicketNews::TicketsOrdered if has(TicketState::Requested) => {
            format!("You take part in the draw: {event}")
        }
        TicketNews::TicketsOrdered if !has(TicketState::Valid) => {
            format!("You are on the waiting list: {event}")
        }
        TicketNews::TicketsOrdered => format!("Your tickets: {event}"),
        TicketNews::TicketsMovedUp => format!("You have got a ticket: {event}"),
        TicketNews::TicketsDrawn => format!("The draw was held: {event}"),
        TicketNews::TicketsCancelled => format!("Your ticket was cancelled: {event}"),
        TicketNews::ShowingChanged => format!("Another time or place: {event}"),
        TicketNews::TicketReceived => format!("You were given a ticket: {event}"),
        TicketNews::TicketGiven => format!("You have given your ticket away: {event}"),
        TicketNews::TicketsReminder => return None,
    };
    let to = &personal.email;
    let reply_to = &club.profile.email;
    let mail = mail(
        occasion,
        Some(person.id),
        to,
        reply_to,
        &subject,
        Bodies::default(),
        now,
    );
    Some(Mail {
        tickets: Some(facts((club, sale), person, tickets, news)),
        ..mail
    })
}

/// What a mail to a person about a showing is about.
fn occasion(person: &Person, sale: &Sale, (kind, sequence): (MailKind, u64)) -> Occasion {
    let ids = [person.id.to_string(), sale.showing.id.to_string()];
    Occasion {
        about: derived("tickets", &[&ids[0], &ids[1]]),
        sequence,
        kind,
        owner: MailOwner::of(person),
    }
}

fn facts(
    (club, sale): (&Club, &Sale),
    person: &Person,
    tickets: &[&Ticket],
    news: TicketNews,
) -> TicketMail {
    let (showing, personal) = (&sale.showing, &person.personal);
    let mut lines: Vec<TicketLine> = Vec::new();
    for ticket in tickets {
        let found = sale.ticket_type(ticket.ticket_type);
        let (name, price) = found.map_or(("", ""), |one| (&one.name, &one.price));
        let state = in_words(ticket.state);
        match lines
            .iter_mut()
            .find(|line| line.name == name && line.state == state)
        {
            Some(line) => line.count += 1,
            None => lines.push(TicketLine {
                name: name.to_owned(),
                price: price.to_owned(),
                state: state.to_owned(),
                count: 1,
            }),
        }
    }
    TicketMail {
        news,
        club: club.profile.name.clone(),
        event: sale.event_name.clone(),
        showing: showing.id,
        name: personal.name.clone(),
        first_name: personal.first_name.clone(),
        start: showing.start,
        end: showing.end,
        location: showing.location.clone().unwrap_or_default(),
        lines,
        has_valid: news != TicketNews::TicketGiven
            && tickets
                .iter()
                .any(|ticket| ticket.state == TicketState::Valid),
        is_off: sale.cancelled,
    }
}

/// Returns the reminder of a showing for which a person has these tickets; none if they have no
/// address. There is one for each showing and time.
pub fn ticket_reminder(
    (club, sale): (&Club, &Sale),
    person: &Person,
    tickets: &[&Ticket],
    now: Timestamp,
) -> Option<Mail> {
    let start = sale.showing.start.epoch_seconds().unsigned_abs();
    let occasion = occasion(person, sale, (MailKind::TicketReminder, start));
    let about = NoticeAbout::Showing {
        showing: sale.showing.id,
        tickets: tickets.iter().map(|ticket| ticket.id.to_string()).collect(),
        about: Box::new(facts(
            (club, sale),
            person,
            tickets,
            TicketNews::TicketsReminder,
        )),
    };
    let subject = format!("Tomorrow: {}", sale.event_name);
    let about = (NoticeKind::Events, about);
    notice(occasion, person, &club.profile.email, &subject, about, now)
}

templates! {
    TicketsHtml "mail/tickets.html" TicketsText "mail/tickets.txt" {
        about: &'a TicketMail, when: &'a str, link: &'a str, end: &'a str
    }
}

impl TicketMail {
    /// Returns the mail without its subject. `when` is the time of the showing as people say it, and
    /// `end` the page that ends such mails, if they can be ended.
    pub fn message(&self, subject: String, when: &str, site: &str, end: &str) -> Message {
        let link = format!("{site}/tickets/");
        let Bodies { html, text } = TicketsHtml::bodies(self, when, &link, end);
        Message {
            subject,
            html,
            text,
        }
    }
}

fn in_words(state: TicketState) -> &'static str {
    match state {
        TicketState::Valid => "valid",
        TicketState::InQueue => "on the waiting list",
        TicketState::Requested => "in the draw",
        TicketState::NotDrawn => "not drawn",
        TicketState::Cancelled => "cancelled",
    }
}
