//! What the admin has of their own as a student: a membership, a submission and so on. With it
//! every example of the OpenAPI document can be tried with the admin's token.

use chrono::TimeDelta;
use shared::db::TableError;
use shared::domain::Bookmark as _;
use shared::domain::{
    BegunDraft, Club, DraftAnswer, Extension, Favorite, Invite, JoinLink, Membership,
    MembershipRequest, Person, QuestionType, Role, Subscription, Token, TokenScope,
};
use shared::ids::{Id, order_number, sha256_hex};
use shared::time::Timestamp;

use super::files;
use super::interviews::Interviews;
use super::recruitment::{Recruitments, submission};
use super::{admin, people, webhooks};
use crate::Campus;

/// Adds the admin to the counters of the clubs, and returns the work that stores the rest.
#[expect(
    clippy::too_many_lines,
    reason = "a table: what the admin of the demo campus has"
)]
pub fn load<'a>(
    campus: &'a Campus,
    clubs: &mut [Club],
    recruitments: &Recruitments,
    interviews: &mut Interviews,
    now: Timestamp,
) -> impl Future<Output = Result<(), TableError>> + use<'a> {
    let subject = admin();
    let name = subject.name.unwrap_or_default();
    let person = Person {
        graduation_year: None,
        admin_seen: Some(now.epoch_seconds()),
        ..people::person(0, &subject.username, &name, now)
    };
    let days = |days| now.plus(TimeDelta::days(days));
    let code = super::code;
    for club in clubs {
        match club.code.to_string().as_str() {
            "hackers" => club.members += 1,
            "chess" => club.favorites += 1,
            _ => {}
        }
    }
    let membership = Membership::new(&code("hackers"), &person, Role::Member, 1, days(-90));
    let link = JoinLink {
        id: Id::new(90),
        club: code("robotics"),
        version: 1,
        creation: 90,
        title: "Newcomer".into(),
        note: "Poster in the workshop".into(),
        expires_at: days(JoinLink::DAYS - 3),
        max_uses: None,
        uses: 4,
        created_by: person.id,
        by: None,
        created_at: days(-3),
    };
    let favorite = Favorite::new(&code("chess"), &person, 1, days(-20));
    let subscription = Subscription::new(&code("chess"), &person, 1, days(-20));
    let request = MembershipRequest::new(&code("film"), &person, 1, days(-1));
    let astronomy = code("astronomy");
    let invite = Invite {
        id: Invite::id_for_address(&astronomy, &person.personal.email),
        club: astronomy,
        email: person.personal.email.clone(),
        role: Role::Member,
        title: String::new(),
        version: 1,
        creation: 1,
        by: None,
        granted_by: None,
        expires_at: days(Invite::DAYS - 2),
        updated_at: days(-2),
        accepted: vec![],
        undelivered: None,
    };
    // The debate application is open, and nothing is decided there.
    let debate = &recruitments.applications[1];
    let questions: Vec<_> = recruitments
        .questions
        .iter()
        .filter(|question| question.application == debate.id)
        .cloned()
        .collect();
    let mut submission = submission(debate, &questions, &person, 0, days(-1), false);
    interviews.book(&mut submission.submission, 7, now);
    let robotics = &recruitments.applications[0];
    let question = recruitments.questions.iter().find(|question| {
        question.application == robotics.id
            && question.prompt.question_type == QuestionType::FreeResponse
    });
    let draft = question.map(|question| DraftAnswer {
        application: robotics.id,
        person: person.id,
        committee: None,
        question: question.id,
        version: 1,
        text: Some("I like to build things".into()),
        option: None,
        file: None,
        received: order_number(now.moment()),
        updated_at: now,
        expires: robotics.end.plus(TimeDelta::days(30)).epoch_seconds(),
    });
    let applicant = recruitments.submissions.iter().find_map(|submission| {
        let applicant = submission.applicant.as_ref()?;
        Some((submission.person?, applicant.personal.username.clone()))
    });
    let extension = applicant.map(|(person, username)| Extension {
        id: Extension::id_of(robotics.id, person),
        application: robotics.id,
        club: Some(robotics.club.clone()),
        person,
        username,
        creation: order_number(now.moment()),
        version: 1,
        end: robotics.end.plus(TimeDelta::days(3)),
    });
    let begun = draft.as_ref().map(|draft| BegunDraft {
        application: draft.application,
        person: draft.person,
        committee: None,
        begun_at: now,
        received: draft.received,
        expires: draft.expires,
    });
    // Nobody has its text: it shows what a token looks like in the settings.
    let token = Token {
        id: Id::new(91),
        person: person.id,
        number: 0,
        name: "Nightly export".into(),
        scopes: vec![TokenScope::MembersRead, TokenScope::RecruitmentRead],
        club: Some(robotics.club.clone()),
        sha256: sha256_hex(b"nobody has this token"),
        created_at: days(-10),
        expires_at: days(Token::DAYS - 10),
        last_used_on: Some(days(-1).moment().date_naive()),
        received: order_number(days(-10).moment()),
    };
    let (hooks, deliveries) = webhooks::of(campus, &person, now);
    let task = extension
        .as_ref()
        .map(|extension| extension.scheduled_task(robotics, now));
    async move {
        let table = &campus.app.table;
        table.load_people(&[person]).await?;
        table.load(&[membership]).await?;
        table.load(&[token]).await?;
        table.load(&hooks).await?;
        table.load(&deliveries).await?;
        table.load(&[link]).await?;
        table.load(&[favorite]).await?;
        table.load(&[subscription]).await?;
        table.load(&[request]).await?;
        table.load(&[invite]).await?;
        let own = [submission];
        table.load_answered(&own).await?;
        files::load(campus, &own).await?;
        table.load(draft.as_slice()).await?;
        table.load(begun.as_slice()).await?;
        table.load(task.as_slice()).await?;
        table.load(extension.as_slice()).await
    }
}
