//! `/clubs/{club}/applications/{application}/duplicate/`

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use shared::Context;
use shared::domain::{Form, Question, ShowIf, WholeForm};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::time::{Timestamp, moment_in};
use shared::web::scopes::RecruitmentWrite;
use shared::web::{ApiError, Created, NewId, Officer, Result};

use crate::applications::create_form;
use crate::form::ApplicationBody;

/// Copy an application.
///
/// For officers. The copy has the same questions, options and committees, but no submissions. It is
/// not active and starts tomorrow at the same time of day. The other times move by as many days and
/// keep their time of day, too: in the time zone of the campus, also over a change of summer time.
#[utoipa::path(
    post, path = "/api/clubs/{club}/applications/{application}/duplicate/", tag = "applications",
    security(("bearer" = []), ("token" = ["recruitment:write"])),
    params(("club" = String, Path), ("application" = u64, Path)),
    responses((status = 201, body = ApplicationBody))
)]
pub async fn duplicate_application(
    app: Context,
    scope: Officer<RecruitmentWrite, WholeForm>,
    new: NewId,
) -> Result<Created<ApplicationBody>> {
    let next_id = new.parts();
    let WholeForm { form, mut texts } = scope.parent;
    let Form {
        mut application,
        mut questions,
    } = form;
    let now = app.clock.now();
    let zone = app.settings.mail.time_zone;
    let date = |moment: DateTime<Utc>| moment.with_timezone(&zone).date_naive();
    let days = (date(now) - date(application.start.moment())).num_days() + 1;
    application.id = new.id();
    application.version = 1;
    application.is_active = false;
    let times = [
        ("application_start_time", &mut application.start),
        ("application_end_time", &mut application.end),
        ("result_release_time", &mut application.release),
    ];
    // A skipped hour does not change their order.
    let mut earliest = None;
    for (name, time) in times {
        let later = || ApiError::field(name, Reason::TooLate);
        let moved = days_later(*time, days, zone).ok_or_else(later)?;
        *time = moved.max(earliest.unwrap_or(moved));
        earliest = Some(*time);
    }
    application.created_at = Timestamp::at(now);
    application.updated_at = Timestamp::at(now);
    application.opening_set_at = None;
    application.questions_changed_at = None;
    application.is_decided = false;
    let mut renamed = HashMap::new();
    for committee in &mut application.committees {
        let id = Id::new(next_id());
        renamed.insert(std::mem::replace(&mut committee.id, id), id);
    }
    let mut new_ids = NewIds::default();
    for question in &mut questions {
        copy_question(question, application.id, &renamed, &mut new_ids, &next_id);
    }
    for question in &mut questions {
        new_ids.rename(&mut question.prompt.show_if);
    }
    texts.application = application.id;
    texts.version = texts.version.min(1);
    let form = Form {
        application,
        questions,
    };
    create_form(&app, &scope.user, WholeForm { form, texts }).await
}

/// The ids of the copies of questions and options, by those of the originals.
#[derive(Default)]
struct NewIds {
    questions: HashMap<Id<of::Question>, Id<of::Question>>,
    options: HashMap<Id<of::Choice>, Id<of::Choice>>,
}

impl NewIds {
    /// Lets a condition name the copies.
    fn rename(&self, condition: &mut Option<ShowIf>) {
        *condition = condition.take().and_then(|show_if| {
            let options = show_if.options.iter();
            Some(ShowIf {
                question: *self.questions.get(&show_if.question)?,
                options: options
                    .filter_map(|id| self.options.get(id).copied())
                    .collect(),
            })
        });
    }
}

fn copy_question(
    question: &mut Question,
    application: Id<of::Application>,
    committees: &HashMap<Id<of::Committee>, Id<of::Committee>>,
    new_ids: &mut NewIds,
    next_id: impl Fn() -> u64,
) {
    let id = Id::new(next_id());
    new_ids
        .questions
        .insert(std::mem::replace(&mut question.id, id), id);
    question.application = application;
    question.version = 1;
    question.committees = question
        .committees
        .iter()
        .filter_map(|id| committees.get(id).copied())
        .collect();
    question.prompt.question = question.id;
    question.prompt.application = application;
    question.prompt.version = 1;
    for option in &mut question.prompt.options {
        let id = Id::new(next_id());
        new_ids
            .options
            .insert(std::mem::replace(&mut option.id, id), id);
    }
}

/// The same time of day some days later, as the clocks of the time zone show it. None after the
/// year 9999.
fn days_later(time: Timestamp, days: i64, zone: Tz) -> Option<Timestamp> {
    let shown = time.moment().with_timezone(&zone).naive_local();
    let later = shown.checked_add_signed(TimeDelta::try_days(days)?)?;
    Timestamp::at(moment_in(zone, later)).checked_plus(TimeDelta::zero())
}
