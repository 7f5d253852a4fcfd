//! Reminders and news (G2, G3). Only the facts are stored. The text, with the time zone of the
//! campus and the link that ends them, is made when the mail is sent.

use askama::Template;

use super::decision::Message;
use super::{Bodies, Occasion, mail, rendered};
use crate::domain::{
    Application, BegunDraft, Club, Mail, MailKind, MailOwner, NewsItem, Notice, NoticeAbout,
    NoticeKind, Person, Slot, Submission,
};
use crate::text::Email;
use crate::time::Timestamp;

pub(super) fn notice(
    occasion: Occasion,
    person: &Person,
    reply_to: &Email,
    subject: &str,
    (kind, about): (NoticeKind, NoticeAbout),
    now: Timestamp,
) -> Option<Mail> {
    let personal = &person.personal;
    if personal.email.is_empty() {
        return None;
    }
    let to = &personal.email;
    let mail = mail(
        occasion,
        Some(person.id),
        to,
        reply_to,
        subject,
        Bodies::default(),
        now,
    );
    let notice = Notice {
        kind,
        name: personal.first_name.clone(),
        since: person.created_at,
        about,
    };
    Some(Mail {
        notice: Some(notice),
        ..mail
    })
}

/// Returns the reminder of a draft; none if the person has no address. There is one for each draft.
pub fn draft_reminder(
    (club, application): (&Club, &Application),
    person: &Person,
    draft: &BegunDraft,
    end: Timestamp,
    now: Timestamp,
) -> Option<Mail> {
    let occasion = Occasion {
        about: Submission::id_of(draft.application, person.id, draft.committee).get(),
        sequence: 0,
        kind: MailKind::DraftReminder,
        owner: MailOwner::of(person),
    };
    let (code, name) = (&club.code, &club.profile.name);
    let query = draft
        .committee
        .map_or("none".to_owned(), |committee| committee.to_string());
    let about = NoticeAbout::Draft {
        id: application.id,
        code: Some(code.clone()),
        club: name.clone(),
        application: application.name.clone(),
        end,
        path: format!("/clubs/{code}/apply/{}/?committee={query}", application.id),
    };
    let subject = format!("Your application to {name} is not submitted yet");
    let about = (NoticeKind::Drafts, about);
    notice(occasion, person, &club.profile.email, &subject, about, now)
}

/// Returns the reminder of an interview; none if the person has no address. There is one for each
/// submission and time.
pub fn interview_reminder(
    (club, application): (&Club, &Application),
    person: &Person,
    submission: &Submission,
    slot: &Slot,
    now: Timestamp,
) -> Option<Mail> {
    let occasion = Occasion {
        about: submission.id.get(),
        sequence: u64::try_from(slot.start.epoch_seconds()).unwrap_or_default(),
        kind: MailKind::InterviewReminder,
        owner: MailOwner::of(submission).with("sequence", submission.sequence),
    };
    let name = &club.profile.name;
    let about = NoticeAbout::Interview {
        club: name.clone(),
        application: application.name.clone(),
        id: application.id,
        slot: slot.id,
        start: slot.start,
        end: slot.end,
        location: slot.location.clone(),
    };
    let subject = format!("Reminder: your interview with {name}");
    let about = (NoticeKind::Interviews, about);
    notice(occasion, person, &club.profile.email, &subject, about, now)
}

/// Returns the news of one Monday; none if the person has no address.
pub fn news(
    person: &Person,
    items: Vec<NewsItem>,
    has_more: bool,
    monday: Timestamp,
    now: Timestamp,
) -> Option<Mail> {
    let occasion = Occasion {
        about: person.id.get(),
        sequence: u64::try_from(monday.epoch_seconds()).unwrap_or_default(),
        kind: MailKind::News,
        owner: MailOwner::of(person),
    };
    let about = (NoticeKind::News, NoticeAbout::News { items, has_more });
    let subject = "News of the clubs that you follow";
    notice(occasion, person, &Email::default(), subject, about, now)
}

/// A line of the news with its time as people say it.
#[derive(Clone)]
struct Line<'a> {
    item: &'a NewsItem,
    when: String,
    address: String,
}

templates! {
    DraftHtml "mail/draft_reminder.html" DraftText "mail/draft_reminder.txt" {
        name: &'a str, club: &'a str, application: &'a str, when: &'a str, link: &'a str,
        end: &'a str
    },
    InterviewHtml "mail/interview_reminder.html" InterviewText "mail/interview_reminder.txt" {
        name: &'a str, club: &'a str, application: &'a str, when: &'a str, location: &'a str,
        link: &'a str, end: &'a str
    },
    NewsHtml "mail/news.html" NewsText "mail/news.txt" {
        name: &'a str, lines: Vec<Line<'a>>, has_more: bool, events: &'a str, end: &'a str
    }
}

impl Notice {
    /// Returns the mail. `when` says a time, `site` is the base of links, and `end` the page that
    /// ends this kind of notice.
    pub fn message(
        &self,
        mail: &Mail,
        when: impl Fn(Timestamp, Option<Timestamp>) -> String,
        site: &str,
        end: &str,
    ) -> Message {
        let name = &self.name;
        let Bodies { html, text } = match &self.about {
            NoticeAbout::Draft {
                club,
                application,
                end: until,
                path,
                ..
            } => {
                let link = format!("{site}{path}");
                DraftHtml::bodies(name, club, application, &when(*until, None), &link, end)
            }
            NoticeAbout::Interview {
                club,
                application,
                start,
                end: until,
                location,
                ..
            } => {
                let when = when(*start, Some(*until));
                let link = format!("{site}/submissions/{}/interview/", mail.about);
                InterviewHtml::bodies(name, club, application, &when, location, &link, end)
            }
            NoticeAbout::Showing { about, .. } => {
                let when = when(about.start, Some(about.end));
                return about.message(mail.subject.clone(), &when, site, end);
            }
            NoticeAbout::News { items, has_more } => {
                let mut lines = Vec::new();
                for item in items {
                    let address = format!("{site}{}", item.path);
                    let when = when(item.at, None);
                    lines.push(Line {
                        item,
                        when,
                        address,
                    });
                }
                let events = format!("{site}/events/");
                NewsHtml::bodies(name, lines, *has_more, &events, end)
            }
        };
        Message {
            subject: mail.subject.clone(),
            html,
            text,
        }
    }
}
