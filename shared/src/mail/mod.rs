//! Mails: the templates and the texts of all mails.

/// Defines the HTML and the text version of a mail: two templates with the same values.
macro_rules! templates {
    ($($html:ident $html_path:literal $text:ident $text_path:literal { $($field:ident: $type:ty),* }),+) => {$(
        #[derive(Template)]
        #[template(path = $html_path)]
        struct $html<'a> { $($field: $type),* }

        #[derive(Template)]
        #[template(path = $text_path)]
        struct $text<'a> { $($field: $type),* }

        impl<'a> $html<'a> {
            fn bodies($($field: $type),*) -> Bodies {
                let text = $text { $($field: Clone::clone(&$field)),* };
                let html = $html { $($field),* };
                Bodies { html: rendered(&html), text: rendered(&text) }
            }
        }
    )+};
}

mod appointment;
mod confirmation;
mod decision;
mod ended;
mod invite_link;
mod membership;
mod notice;
mod template;
mod tickets;
mod webhook;

pub use appointment::{appointment, interview_url};
pub use confirmation::confirmation;
pub use decision::{MailType, Message, Recipient, decision_message};
pub use ended::{ApplicationEnd, application_ended};
pub use invite_link::{
    PREVIEW_LINK, invite_url, join_token_matches, join_url, token, token_matches, with_invite,
};
pub use membership::{invitation, joined, requested};
pub use notice::{draft_reminder, interview_reminder, news};
pub use template::{Template, Variable, Variables};
pub use tickets::{ticket_reminder, tickets};
pub(crate) use webhook::webhook_off;

use chrono_tz::Tz;

use crate::domain::{EmailStatus, Mail, MailKind, MailOwner};
use crate::ids::{Id, of};
use crate::text::Email;
use crate::time::Timestamp;

/// The event that one of these mails is about. Together with the attempt, it is the key in the
/// outbox.
struct Occasion {
    about: u64,
    sequence: u64,
    kind: MailKind,
    /// What shows that the mail did not arrive.
    owner: MailOwner,
}

#[derive(Default)]
struct Bodies {
    html: String,
    text: String,
}

fn mail(
    occasion: Occasion,
    person: Option<Id<of::Person>>,
    to: &Email,
    reply_to: &Email,
    subject: &str,
    bodies: Bodies,
    now: Timestamp,
) -> Mail {
    Mail {
        about: occasion.about,
        sequence: occasion.sequence,
        kind: occasion.kind,
        attempt: 1,
        status: EmailStatus::Queued,
        person,
        to: to.clone(),
        reply_to: reply_to.clone().into_option(),
        subject: subject.chars().filter(|c| !c.is_control()).collect(),
        html: bodies.html,
        text: bodies.text,
        decision: None,
        appointment: None,
        notice: None,
        request: None,
        tickets: None,
        invite: None,
        queued_at: now,
        owner: Some(occasion.owner),
        resent: 0,
        is_shown: false,
        delayed_until: None,
        claimed_at: None,
        outcome: None,
        report: None,
    }
}

/// Returns the text of a template. Rendering to memory does not fail in practice.
fn rendered(template: &impl askama::Template) -> String {
    template.render().unwrap_or_default()
}

/// Returns a time as people say it, in the time zone of the campus.
pub fn when(start: Timestamp, end: Option<Timestamp>, zone: Tz) -> String {
    let start = start.moment().with_timezone(&zone);
    let day = start.format("%A, %-d %B %Y, %H:%M");
    let Some(end) = end else {
        return format!("{day} ({zone})");
    };
    let end = end.moment().with_timezone(&zone);
    let until = if start.date_naive() == end.date_naive() {
        end.format("%H:%M")
    } else {
        end.format("%A, %-d %B, %H:%M")
    };
    format!("{day} – {until} ({zone})")
}
