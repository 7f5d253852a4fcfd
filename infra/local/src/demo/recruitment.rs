//! Two open applications, one that has ended, and their submissions.

use std::collections::BTreeMap;

use chrono::TimeDelta;
use shared::domain::{
    Answer, Answered, Answers, Application, ApplicationTexts, Club, Committee, DecisionChange,
    OldAndNew, Person, Prompt, Question, Review, Status, Submission,
};
use shared::ids::order_number;
use shared::time::Timestamp;

use super::{Numbers, questions};

/// All items of the recruitment.
#[derive(Default)]
pub struct Recruitments {
    pub applications: Vec<Application>,
    pub texts: Vec<ApplicationTexts>,
    pub questions: Vec<Question>,
    pub prompts: Vec<Prompt>,
    pub submissions: Vec<Answered>,
    pub changes: Vec<DecisionChange>,
    pub reviews: Vec<Review>,
}

const ACCEPTANCE: &str = "<p>Dear {{ name }},</p><p>welcome to <b>{{ club }}</b>\
    {% if committee %}, committee {{ committee }}{% endif %}!</p>\
    {% if reason %}<p>What convinced us: {{ reason }}</p>{% endif %}\
    <p>See you at the first meeting.</p>";
const REJECTION: &str = "<p>Dear {{ name }},</p><p>thank you for applying to {{ club }}. We had \
    far more applicants than places, and cannot offer you one this time.</p>\
    {% if reason %}<p>{{ reason }}</p>{% endif %}<p>Please try again next year.</p>";

struct RecruitmentPlan<'a> {
    club: &'a str,
    name: &'a str,
    committees: &'a [&'a str],
    /// Start, end and release time, in days from now.
    window: (i64, i64, i64),
    applicants: usize,
    decided: bool,
}

/// Makes the applications, and adds their windows to the clubs.
#[expect(
    clippy::too_many_lines,
    reason = "a table: the applications of the demo campus"
)]
pub fn recruitments(
    numbers: &Numbers,
    people: &[Person],
    clubs: &mut [Club],
    now: Timestamp,
) -> Recruitments {
    let mut all = Recruitments::default();
    let plans = [
        RecruitmentPlan {
            club: "robotics",
            name: "Autumn recruitment",
            committees: &["Mechanics", "Electronics", "Software"],
            window: (-7, 7, 14),
            applicants: 28,
            decided: true,
        },
        RecruitmentPlan {
            club: "debate",
            name: "New speakers",
            committees: &["Speaking", "Judging"],
            window: (-3, 10, 17),
            applicants: 17,
            decided: false,
        },
        RecruitmentPlan {
            club: "consulting",
            name: "Spring projects",
            committees: &["Research"],
            window: (-60, -45, -30),
            applicants: 6,
            decided: true,
        },
    ];
    for recruitment in &plans {
        let application = application(numbers, recruitment, now);
        if let Some(club) = clubs
            .iter_mut()
            .find(|club| *club.code == *recruitment.club)
        {
            let window = application.window();
            let id = application.id.to_string();
            club.releases.insert(id.clone(), application.release);
            club.windows.insert(id, window);
            club.applications += 1;
        }
        let questions = questions::of(numbers, &application);
        for (i, person) in people[2..]
            .iter()
            .rev()
            .take(recruitment.applicants)
            .enumerate()
        {
            let at = now.plus(
                TimeDelta::days(recruitment.window.0)
                    + TimeDelta::hours(5 + 3 * i64::try_from(i).unwrap_or_default()),
            );
            let mut submission = submission(
                &application,
                &questions,
                person,
                i,
                at.min(now),
                recruitment.decided,
            );
            if submission.status != Status::Pending {
                all.changes.push(DecisionChange {
                    id: numbers.next(),
                    application: application.id,
                    submission: submission.id,
                    at: submission.updated_at,
                    by: people[0].id,
                    status: Some(OldAndNew {
                        old: Status::Pending,
                        new: submission.status,
                    }),
                    reason: (!submission.reason.is_empty()).then(|| OldAndNew {
                        old: String::new(),
                        new: submission.reason.clone(),
                    }),
                });
            }
            all.reviews.extend(reviews(
                &mut submission.submission,
                i,
                [&people[0], &people[1]],
            ));
            all.submissions.push(submission);
        }
        all.prompts
            .extend(questions.iter().map(|question| question.prompt.clone()));
        all.questions.extend(questions);
        all.texts.push(ApplicationTexts {
            version: 1,
            description: "<p>Tell us a little about yourself. <i>No experience needed.</i></p>"
                .into(),
            acceptance_email: ACCEPTANCE.into(),
            rejection_email: REJECTION.into(),
            ..ApplicationTexts::none(application.club.clone(), application.id)
        });
        all.applications.push(application);
    }
    all
}

fn application(
    numbers: &Numbers,
    recruitment: &RecruitmentPlan<'_>,
    now: Timestamp,
) -> Application {
    let day = |days| now.plus(TimeDelta::days(days));
    let created = day(recruitment.window.0 - 2);
    Application {
        id: numbers.next(),
        club: super::code(recruitment.club),
        version: 1,
        name: recruitment.name.into(),
        start: day(recruitment.window.0),
        end: day(recruitment.window.1),
        release: day(recruitment.window.2),
        is_active: true,
        external_url: None,
        confirmation: false,
        blind_reviews: false,
        interview_notice_hours: Application::NOTICE_HOURS,
        committees: recruitment
            .committees
            .iter()
            .map(|name| Committee {
                id: numbers.next(),
                name: (*name).into(),
            })
            .collect(),
        deleted: None,
        created_at: created,
        updated_at: created,
        opening_set_at: None,
        questions_changed_at: None,
        is_decided: recruitment.decided,
    }
}

const COMMENTS: [Option<&str>; 4] = [
    Some("Knows what to build, and why."),
    None,
    Some("Little detail. Ask about the last project in the interview."),
    None,
];

/// Reviews of a submission by two officers, who did not read all of them, and their scores.
fn reviews(submission: &mut Submission, i: usize, officers: [&Person; 2]) -> Vec<Review> {
    let mut all = Vec::new();
    for (n, officer) in officers.into_iter().enumerate() {
        if i % 3 == n || submission.person == Some(officer.id) {
            continue;
        }
        let score = u8::try_from(2 + (i + n) % 4).ok();
        let review = Review {
            id: Review::id_of(submission.id, officer.id),
            application: submission.application,
            submission: submission.id,
            sequence: submission.sequence,
            person: Some(officer.id),
            score,
            comment: COMMENTS[(i + n) % COMMENTS.len()].map(str::to_owned),
            version: 1,
            created_at: submission.created_at,
            updated_at: submission.created_at,
        };
        submission.reviews.insert(review.id.to_string(), score);
        all.push(review);
    }
    all
}

/// A submission that `person` sent at `at`. Committee, answers and decision depend on `i`.
pub fn submission(
    application: &Application,
    questions: &[Question],
    person: &Person,
    i: usize,
    at: Timestamp,
    decided: bool,
) -> Answered {
    let committee = application
        .committees
        .get(i % (application.committees.len() + 1));
    let (status, reason) = match (decided, i % 6) {
        (true, 0) => (Status::Accepted, "Your answer about the last project."),
        (true, 1) => (Status::RejectedWritten, ""),
        (true, 2) => (
            Status::RejectedInterview,
            "We would have liked to hear more about what you want to learn.",
        ),
        (true, 3) => (Status::Accepted, ""),
        _ => (Status::Pending, ""),
    };
    // Two submissions of the same moment have different numbers.
    let sequence = order_number(at.moment()) + i as u64;
    let answers: Vec<Answer> = questions
        .iter()
        .filter_map(|question| questions::answer(question, person, committee, i))
        .collect();
    let answers = Answers::new(&answers);
    let submission = Submission {
        id: Submission::id_of(
            application.id,
            person.id,
            committee.map(|committee| committee.id),
        ),
        club: application.club.clone(),
        application: application.id,
        person: Some(person.id),
        applicant: Some(person.applicant()),
        committee: committee.map(|committee| committee.id),
        committee_name: committee
            .map(|committee| committee.name.clone())
            .unwrap_or_default(),
        answers_at: sequence,
        answers_hash: answers.hash(),
        answers: None,
        files: answers.files().into_iter().map(|file| file.id).collect(),
        status,
        decided_revision: u32::from(status != Status::Pending),
        rejected_at: None,
        reason: reason.into(),
        sequence,
        received: sequence,
        revision: 1,
        withdrawn: 0,
        erased: 0,
        changes: vec![],
        last_change: None,
        reviews: BTreeMap::new(),
        keys: vec![],
        confirmations: vec![],
        created_at: at,
        submitted_at: at,
        updated_at: at,
        notified: false,
        acceptance_mail: None,
        rejection_mail: None,
        interview_mail: None,
        mailed: None,
        interview: None,
        calendar_file: 0,
        undelivered: None,
    };
    Answered {
        submission,
        answers,
    }
}
