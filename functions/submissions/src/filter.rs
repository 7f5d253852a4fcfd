//! Which submissions an officer asks for, and in which order: the same for the list and the export.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use shared::bodies::Scores;
use shared::domain::{
    Answered, Application, Duty, EmailStatus, Interview, Review, Status, Submission,
    SubmissionQuery,
};
use shared::ids::{Id, of};
use shared::openapi::fields::{
    EmailStatuses, InterviewStage, Reviewed, SliceCount, SubmissionDuty, SubmissionOrdering,
};
use shared::reason::Reason;
use shared::web::{ApiError, Params, Result, Slice};
use shared::{Context, text};
use utoipa::IntoParams;

/// The filters of a request.
pub(crate) struct SubmissionFilter {
    status: Option<u64>,
    committee: Option<Id<of::Committee>>,
    notified: Option<bool>,
    /// Any of these states. `None` stands for applicants who were sent nothing.
    email_status: Option<Vec<Option<EmailStatus>>>,
    undelivered: Option<bool>,
    duty: Option<Duty>,
    reviewed: Option<ReviewedBy>,
    interview: Option<InterviewFilter>,
    /// The officer who asks.
    officer: Id<of::Person>,
    /// Whether the application has blind reviews.
    is_blind: bool,
    words: Vec<text::Word>,
    /// Those that were chosen; none for all.
    chosen: Option<HashSet<Id<of::Submission>>>,
}

/// Who has reviewed a submission.
#[derive(Debug, Clone, Copy)]
enum ReviewedBy {
    /// The officer who asks, and perhaps others.
    Me,
    /// Nobody.
    Nobody,
    /// Others, but not the officer who asks.
    Others,
}

/// How far the interview of a submission is.
#[derive(Debug, Clone, Copy)]
enum InterviewFilter {
    /// Not invited.
    NotInvited,
    /// Invited, and nothing is booked.
    Invited,
    /// A slot is booked, whoever came.
    Booked,
    /// It is noted whether the applicant came.
    Attended(bool),
}

impl InterviewFilter {
    const NAMES: [(&str, Self); 5] = [
        ("none", Self::NotInvited),
        ("invited", Self::Invited),
        ("booked", Self::Booked),
        ("attended", Self::Attended(true)),
        ("missed", Self::Attended(false)),
    ];

    /// Nobody is told of themselves whether they came.
    fn matches(
        self,
        submission: &Submission,
        shown: Option<&Interview>,
        by: Id<of::Person>,
    ) -> bool {
        let Some(interview) = shown else {
            return matches!(self, Self::NotInvited);
        };
        match self {
            Self::NotInvited => false,
            Self::Invited => interview.slot.is_none(),
            Self::Booked => interview.slot.is_some(),
            Self::Attended(has_attended) => {
                interview.attended == Some(has_attended) && submission.person != Some(by)
            }
        }
    }
}

/// The value of a parameter that has a few names.
fn one_of<T: Copy>(params: &Params, name: &str, values: &[(&str, T)]) -> Result<Option<T>> {
    let Some(text) = params.text(name) else {
        return Ok(None);
    };
    let found = values.iter().find(|(value_name, _)| *value_name == text);
    found.map(|(_, value)| Some(*value)).ok_or_else(|| {
        let names = values.iter().map(|(value_name, _)| *value_name);
        ApiError::field(name, Reason::not_one_of(names))
    })
}

impl SubmissionFilter {
    fn read(
        params: &Params,
        officer: Id<of::Person>,
        is_blind: bool,
        chosen: Option<&HashSet<Id<of::Submission>>>,
    ) -> Result<Self> {
        let reviewed = [
            ("mine", ReviewedBy::Me),
            ("none", ReviewedBy::Nobody),
            ("others", ReviewedBy::Others),
        ];
        Ok(Self {
            reviewed: one_of(params, "reviewed", &reviewed)?,
            interview: one_of(params, "interview", &InterviewFilter::NAMES)?,
            officer,
            is_blind,
            status: params.number("status", 1, 4)?,
            committee: params.id("committee")?,
            notified: params.flag("notified")?,
            email_status: params
                .text("email_status")
                .map(email_statuses)
                .transpose()?,
            undelivered: params.flag("undelivered")?,
            duty: one_of(
                params,
                "duty",
                &Duty::OF_SUBMISSIONS.map(|duty| (duty.name(), duty)),
            )?,
            words: text::search(params.text("search").unwrap_or_default()),
            chosen: chosen.cloned(),
        })
    }

    fn matches(
        &self,
        submission: &Submission,
        application: &Application,
        now: DateTime<Utc>,
    ) -> bool {
        let person = submission
            .applicant
            .as_ref()
            .map(|applicant| &applicant.personal);
        let texts = person.map(|person| [person.name.as_str(), &person.username, &person.email]);
        self.status
            .is_none_or(|status| u64::from(submission.status.code()) == status)
            && self
                .committee
                .is_none_or(|committee| submission.committee == Some(committee))
            && self
                .notified
                .is_none_or(|notified| submission.notified == notified)
            && self
                .email_status
                .as_ref()
                .is_none_or(|wish| wish.contains(&submission.email_status()))
            && self
                .undelivered
                .is_none_or(|wish| submission.undelivered.is_some() == wish)
            && self
                .duty
                .is_none_or(|duty| submission.duties().contains(&duty))
            && self
                .reviewed
                .is_none_or(|wish| self.is_reviewed(submission, wish))
            && self.interview.is_none_or(|wish| {
                let shown = submission.shown_interview(application, now);
                wish.matches(submission, shown, self.officer)
            })
            && self
                .chosen
                .as_ref()
                .is_none_or(|chosen| chosen.contains(&submission.id))
            && (self.words.is_empty() || text::matches(&self.words, texts.into_iter().flatten()))
    }
}

impl SubmissionFilter {
    /// A submission of the officer's own counts as not reviewed, because they may not know (W3).
    /// So does one whose reviews are hidden from them (W4).
    fn is_reviewed(&self, submission: &Submission, wish: ReviewedBy) -> bool {
        let is_own = submission.person == Some(self.officer);
        let mine = Review::id_of(submission.id, self.officer).to_string();
        let by_me = submission.reviews.contains_key(&mine) && !is_own;
        let is_hidden = is_own || (self.is_blind && !by_me);
        let by_any = !submission.reviews.is_empty() && !is_hidden;
        match wish {
            ReviewedBy::Me => by_me,
            ReviewedBy::Nobody => !by_any,
            ReviewedBy::Others => by_any && !by_me,
        }
    }
}

/// The order of a list of submissions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SubmissionOrder {
    Newest,
    /// By the average score that the officer may see. Those without one are last, and of equal ones
    /// the newest comes first.
    HighestScore,
    LowestScore,
}

impl SubmissionOrder {
    fn read(params: &Params) -> Result<Self> {
        let orders = [
            ("-created_at", Self::Newest),
            ("-score", Self::HighestScore),
            ("score", Self::LowestScore),
        ];
        Ok(one_of(params, "ordering", &orders)?.unwrap_or(Self::Newest))
    }

    /// The place of a submission in this order; later ones are larger.
    fn sort_key(
        self,
        submission: &Submission,
        application: &Application,
        by: Id<of::Person>,
    ) -> Vec<u64> {
        let (sequence, id) = submission.sort_key();
        let newest = [u64::MAX - sequence, u64::MAX - id];
        if self == Self::Newest {
            return newest.to_vec();
        }
        let score = Scores::seen_by(by, submission, application).scaled(SCORE_DIGITS);
        let first = match (self, score) {
            (_, None) => u64::MAX,
            (Self::HighestScore, Some(score)) => u64::MAX - 1 - score,
            (_, Some(score)) => score,
        };
        [&[first], &newest[..]].concat()
    }
}

/// So many submissions at most are read one by one. For more, all of the application are read.
const READ_BY_ID: usize = 400;

/// Averages that differ less count as equal in the order.
const SCORE_DIGITS: u64 = 10_000;

/// The submissions that an officer asked for, in their order. If the request has a limit and there
/// are more, the result has one more.
pub(crate) async fn find(
    app: &Context,
    application: &Application,
    officer: Id<of::Person>,
    params: &Params,
    slice: &Slice,
    chosen: Option<&HashSet<Id<of::Submission>>>,
) -> Result<(Vec<Answered>, impl Fn(&Answered) -> Vec<u64>)> {
    let filter = SubmissionFilter::read(params, officer, application.blind_reviews, chosen)?;
    let order = SubmissionOrder::read(params)?;
    let sort_key = move |submission: &Submission| order.sort_key(submission, application, officer);
    let after: Option<Vec<u64>> = slice.after()?;
    let length = if order == SubmissionOrder::Newest {
        2
    } else {
        3
    };
    if after.as_ref().is_some_and(|after| after.len() != length) {
        return Err(ApiError::field("cursor", Reason::InvalidCursor));
    }
    let limit = slice.limit().map(|limit| limit + 1);
    let (is_newest, now) = (order == SubmissionOrder::Newest, app.clock.now());
    let wish = SubmissionQuery {
        matches: &|submission: &Submission| {
            filter.matches(submission, application, now)
                && after
                    .as_ref()
                    .is_none_or(|after| sort_key(submission) > *after)
        },
        before: after
            .as_ref()
            .filter(|_| is_newest)
            .map(|after| (u64::MAX - after[0], u64::MAX - after[1])),
        limit,
        order: if is_newest { None } else { Some(&sort_key) },
    };
    let few = chosen.filter(|chosen| chosen.len() <= READ_BY_ID);
    let answered = if let Some(chosen) = few {
        let ids: Vec<Id<of::Submission>> = chosen.iter().copied().collect();
        let mut found = app.table.submissions_by_id(application.id, &ids).await?;
        found.retain(wish.matches);
        found.sort_by_key(&sort_key);
        found.truncate(limit.unwrap_or(usize::MAX));
        app.table.answered(found).await?
    } else {
        let found = app.table.submissions(application.id, &wish).await?;
        let (submissions, all) = (found.submissions, found.examined);
        match limit {
            Some(_) => app.table.answered(submissions).await?,
            None => {
                app.table
                    .all_answered(application.id, submissions, all)
                    .await?
            }
        }
    };
    Ok((answered, move |answered: &Answered| sort_key(answered)))
}

/// Reads names of states, separated by commas. `none` stands for applicants who were sent nothing.
fn email_statuses(text: &str) -> Result<Vec<Option<EmailStatus>>> {
    let one = |name: &str| match EmailStatus::ALL
        .iter()
        .find(|(value_name, _)| *value_name == name)
    {
        Some((_, status)) => Ok(Some(*status)),
        None if name == "none" => Ok(None),
        None => {
            let names = EmailStatus::ALL.iter().map(|(value_name, _)| *value_name);
            let why = Reason::not_one_of(names.chain(["none"]));
            Err(ApiError::field("email_status", why))
        }
    };
    text.split(',').map(|name| one(name.trim())).collect()
}

/// What [`crate::filter::find`] and the slices read.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "the parameters are read by their names")]
pub(crate) struct FilterParams {
    /// Only submissions with this status
    status: Option<Status>,
    /// Only submissions for the committee with this id
    committee: Option<u64>,
    /// Whether a decision mail was sent
    notified: Option<bool>,
    /// One or more states of the last decision mail, separated by commas. `none` means applicants
    /// who were sent nothing
    email_status: Option<EmailStatuses>,
    /// Whether a mail about it did not arrive, other than those of `email_status`
    undelivered: Option<bool>,
    /// What officers have to do about it
    duty: Option<SubmissionDuty>,
    /// `mine`: the caller has reviewed it. `none`: nobody has. `others`: others have, but not the
    /// caller
    reviewed: Option<Reviewed>,
    /// `none`: not invited. `invited`: invited, and nothing is booked. `booked`: also those who
    /// came or did not. `attended`, `missed`: what an officer noted
    interview: Option<InterviewStage>,
    /// `-created_at`: the newest first. `-score`: the best average score first. `score`: the lowest
    /// first. Those without a score are last
    ordering: Option<SubmissionOrdering>,
    /// Every word must occur in the name, user name or address
    search: Option<String>,
    /// Largest number of results, at most 10,000; all if not sent. If there are more, the header
    /// `Link` has the address of the next part
    limit: Option<SliceCount>,
    /// Where the next part begins: from the header `Link` of the last answer
    cursor: Option<String>,
}
