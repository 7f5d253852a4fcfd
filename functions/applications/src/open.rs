//! `/applications/open/`: what the caller can apply to now, in all clubs

use std::collections::{BTreeSet, HashMap, HashSet};

use axum::response::Response;
use chrono::{DateTime, Utc};
use serde::Serialize;
use shared::bodies::ClubNameBody;
use shared::domain::{Application, Club, Clubs, DraftKeys, Extension, Submission};
use shared::ids::{Id, of};
use shared::media::Media;
use shared::openapi::fields::OpenCount;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{Params, ReceivedAt, Result, Slice, User, Visibility};
use shared::{Context, ids, limits};
use utoipa::ToSchema;

use crate::own::{OwnSubmissionBody, own_end};

/// Number of applications that are read at once, at least and at most.
const READ_AT_LEAST: usize = 10;
const READ_AT_ONCE: usize = 100;

/// An application, and what the caller has begun and sent there.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct OpenApplicationBody {
    /// Id of the application.
    #[schema(value_type = u64)]
    id: Id<of::Application>,
    /// Name of the application.
    name: String,
    /// The club.
    club: ClubNameBody,
    /// Last moment at which the application is open.
    application_end_time: Timestamp,
    /// Until when the caller can submit.
    my_end_time: Timestamp,
    /// Whether the caller has typed answers that were not submitted.
    draft: bool,
    /// The committees for which the caller has typed them, by id; null stands for none.
    #[schema(value_type = Vec<Option<u64>>)]
    drafts: Vec<Option<Id<of::Committee>>>,
    /// Whether the caller has withdrawn a submission and has no other one.
    withdrawn: bool,
    /// The submissions of the caller, the newest first.
    submissions: Vec<OwnSubmissionBody>,
}

impl OpenApplicationBody {
    /// Its place in the list.
    fn sort_key(&self) -> (i64, u64) {
        (self.application_end_time.epoch_seconds(), self.id.get())
    }
}

/// An application that may be in the list, by what its club knows of it.
pub(crate) struct Candidate {
    pub id: Id<of::Application>,
    pub club: ClubNameBody,
    /// When it ends; none if the club does not know it any more.
    end: Option<Timestamp>,
}

impl Candidate {
    /// An application of this club.
    pub(crate) fn new(club: &Club, media: &Media, id: Id<of::Application>) -> Self {
        Self {
            id,
            club: ClubNameBody::new(club, media),
            end: club.windows.get(&id.to_string()).map(|window| window.end),
        }
    }

    /// Its place in the list.
    fn sort_key(&self) -> (i64, u64) {
        let end = self.end.map_or(0, Timestamp::epoch_seconds);
        (end, self.id.get())
    }
}

/// What the caller has to do with applications and clubs.
pub(crate) struct Own {
    extensions: HashMap<Id<of::Application>, Extension>,
    submissions: HashMap<Id<of::Application>, Vec<Submission>>,
    withdrawn: HashSet<Id<of::Application>>,
    /// The order number of the last submission in each place, also of withdrawn ones.
    submitted: HashMap<Id<of::Submission>, u64>,
    drafts: DraftKeys,
    clubs: HashSet<ClubCode>,
}

impl Own {
    pub(crate) async fn read(app: &Context, user: &User, with_clubs: bool) -> Result<Self> {
        let id = user.id();
        let clubs = async {
            if !with_clubs {
                return Ok(HashSet::new());
            }
            let (roles, bookmarks) =
                futures::try_join!(app.table.roles_of(id), app.table.bookmarks(id))?;
            let favorites = bookmarks.favorites.into_iter().map(|one| one.club);
            let subscriptions = bookmarks.subscriptions.into_iter().map(|one| one.club);
            let roles = roles.into_iter().map(|(club, _)| club);
            Ok(roles.chain(favorites).chain(subscriptions).collect())
        };
        let (extensions, (all, withdrawn), drafts, clubs) = futures::try_join!(
            app.table.own_extensions(id),
            app.table.applied_of(id),
            app.table.draft_keys(id),
            clubs
        )?;
        let present = all.iter().map(|one| (one.id, one.received));
        let earlier = withdrawn.iter().map(|one| (one.id, one.submitted));
        let submitted = present.chain(earlier).collect();
        let mut submissions: HashMap<Id<of::Application>, Vec<Submission>> = HashMap::new();
        for submission in all {
            let of_application = submissions.entry(submission.application).or_default();
            of_application.push(submission);
        }
        Ok(Self {
            extensions: extensions
                .into_iter()
                .map(|one| (one.application, one))
                .collect(),
            submissions,
            withdrawn: withdrawn.iter().map(|one| one.application).collect(),
            submitted,
            drafts,
            clubs,
        })
    }

    /// The last submissions of the caller, the newest first.
    pub(crate) fn latest(&self, most: usize) -> Vec<&Submission> {
        let mut all: Vec<&Submission> = self.submissions.values().flatten().collect();
        all.sort_by_key(|submission| std::cmp::Reverse(submission.sequence));
        all.truncate(most);
        all
    }

    /// Until when the caller's extension lasts, if there is one.
    pub(crate) fn extended(&self, id: Id<of::Application>) -> Option<Timestamp> {
        self.extensions.get(&id).map(|extension| extension.end)
    }

    /// Whether the caller perhaps has a draft anywhere.
    pub(crate) fn has_drafts(&self) -> bool {
        !self.drafts.is_empty()
    }

    /// Whether the caller perhaps has a draft for this application.
    pub(crate) fn has_draft(&self, application: Id<of::Application>) -> bool {
        self.drafts.contains_key(&application)
    }

    /// Whether the caller has a submission for this committee, or for none.
    pub(crate) fn has_submitted(
        &self,
        application: Id<of::Application>,
        committee: Option<Id<of::Committee>>,
    ) -> bool {
        let mut sent = self.submissions.get(&application).into_iter().flatten();
        sent.any(|one| one.committee == committee)
    }

    /// Whether the caller has a submission, or perhaps a draft.
    fn has_begun(&self, application: Id<of::Application>) -> bool {
        self.submissions.contains_key(&application) || self.has_draft(application)
    }

    /// Whether the caller has to do with the club, or has a submission. A draft counts, too, but
    /// whether it has ended is known only after its answers were read.
    fn is_mine(&self, club: &ClubCode, application: Id<of::Application>) -> bool {
        self.clubs.contains(club) || self.submissions.contains_key(&application)
    }

    /// Whether the application can be in a list of those that the caller has to do with (`mine`),
    /// or of the others.
    fn may_be(&self, mine: bool, candidate: &Candidate) -> bool {
        let is_mine = self.is_mine(&candidate.club.code, candidate.id);
        is_mine == mine || self.has_draft(candidate.id)
    }
}

/// List the applications that are open for the caller.
///
/// For every signed-in user: the applications of all clubs that the caller can see and that take a
/// submission of the caller now, an own extension included. Those that end first come first.
#[utoipa::path(
    get, path = "/api/applications/open/", tag = "own submissions", security(("bearer" = [])),
    params(
        ("mine" = Option<bool>, Query,
            description = "`true`: only applications of clubs that the caller is in, follows or has \
                as a favorite, and those to which the caller has a draft or a submission"),
        ("limit" = Option<OpenCount>, Query,
            description = "Largest number of results: 50 if not sent, at most 200. If there are more, \
                the header `Link` has the address of the next part"),
        ("cursor" = Option<String>, Query,
            description = "Where the next part begins: from the header `Link` of the last answer")
    ),
    responses((status = 200, body = Vec<OpenApplicationBody>))
)]
pub async fn list_open_applications(
    app: Context,
    ReceivedAt(now): ReceivedAt,
    user: User,
    params: Params,
    slice: Slice,
) -> Result<Response> {
    let (standard, most) = limits::OPEN_SLICE;
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    params.number("limit", 1, most)?;
    let slice = slice.with_default(standard);
    let mine = params.flag("mine")?;
    let query = OpenQuery {
        mine,
        after: slice.after()?,
        limit: slice.limit().map_or(usize::MAX, |limit| limit + 1),
        own_first: false,
    };
    let versions = async { Ok(app.table.versions().await?) };
    let (versions, own) = futures::try_join!(versions, Own::read(&app, &user, mine.is_some()))?;
    let clubs = app.all_clubs(&versions).await?;
    let mut open = open_for(&app, &user, now, &clubs, &own, &query).await?;
    Ok(slice.respond(&mut open, OpenApplicationBody::sort_key, Clone::clone))
}

/// Which open applications to return.
pub(crate) struct OpenQuery {
    /// Only those that the caller has to do with, or only the others.
    pub mine: Option<bool>,
    /// Only those behind this place.
    pub after: Option<(i64, u64)>,
    /// The largest number.
    pub limit: usize,
    /// Whether those with an own draft or submission come first.
    pub own_first: bool,
}

/// Returns the applications that are open for the caller. Those that end first come first.
pub(crate) async fn open_for(
    app: &Context,
    user: &User,
    now: DateTime<Utc>,
    clubs: &Clubs,
    own: &Own,
    query: &OpenQuery,
) -> Result<Vec<OpenApplicationBody>> {
    let mine = query.mine;
    let visible = seen_by(app, user, clubs).await?;
    let mut candidates: Vec<Candidate> = visible
        .into_iter()
        .flat_map(|club| candidates(club, &app.media, own, now))
        .collect();
    candidates.retain(|one| mine.is_none_or(|mine| own.may_be(mine, one)));
    find_ends(app, &mut candidates).await?;
    candidates.retain(|one| query.after.is_none_or(|after| one.sort_key() > after));
    candidates.sort_by_key(|one| {
        let is_later = query.own_first && !own.has_begun(one.id);
        (is_later, one.sort_key())
    });
    let mut found = Vec::new();
    // Only what is shown is read: all together may be large.
    for candidates in candidates.chunks(query.limit.clamp(READ_AT_LEAST, READ_AT_ONCE)) {
        let keys = candidates.iter().map(|one| (one.club.code.clone(), one.id));
        let applications = app.table.applications_by_id(keys).await?;
        let mut open: Vec<(&Application, &Candidate)> = candidates
            .iter()
            .filter_map(|one| Some((applications.get(&one.id)?, one)))
            .filter(|(application, _)| application.is_current(now, own.extended(application.id)))
            .collect();
        let drafts = live_drafts(app, user, &open, own).await?;
        open.retain(|(application, candidate)| {
            let is_mine = || own.is_mine(&candidate.club.code, candidate.id);
            mine.is_none_or(|mine| mine == (is_mine() || drafts.contains_key(&application.id)))
        });
        let show = |(application, candidate): (&Application, &Candidate)| {
            let drafts = drafts.get(&application.id);
            body(application, candidate, own, drafts, now)
        };
        found.extend(open.into_iter().map(show));
        if found.len() >= query.limit {
            break;
        }
    }
    found.truncate(query.limit);
    Ok(found)
}

/// Reads when those applications end of which the clubs do not know it any more. There are few:
/// those that ended long ago, and are open for the caller by an extension.
async fn find_ends(app: &Context, candidates: &mut Vec<Candidate>) -> Result<()> {
    let unknown = candidates.iter().filter(|one| one.end.is_none());
    let keys: Vec<_> = unknown.map(|one| (one.club.code.clone(), one.id)).collect();
    let read = app.table.applications_by_id(keys.into_iter()).await?;
    for candidate in candidates.iter_mut().filter(|one| one.end.is_none()) {
        candidate.end = read.get(&candidate.id).map(|application| application.end);
    }
    candidates.retain(|one| one.end.is_some());
    Ok(())
}

/// The clubs that the caller can see.
pub(crate) async fn seen_by<'a>(
    app: &Context,
    user: &User,
    clubs: &'a Clubs,
) -> Result<Vec<&'a Club>> {
    let all: Vec<&Club> = clubs.iter().map(|listed| &listed.club).collect();
    let visibility = Visibility::of(app, Some(user), all.iter().copied()).await?;
    let visible = all.into_iter().filter(|club| visibility.sees(club));
    Ok(visible.collect())
}

/// The applications of a club that may be open for the caller.
fn candidates(club: &Club, media: &Media, own: &Own, now: DateTime<Utc>) -> Vec<Candidate> {
    let open = club
        .windows
        .iter()
        .filter(|(_, window)| window.is_open(now));
    let mut found: HashSet<Id<of::Application>> =
        open.filter_map(|(id, _)| ids::parse(id)).collect();
    let extended = own.extensions.values().filter(|extension| {
        extension.club.as_ref() == Some(&club.code) && now <= extension.end.moment()
    });
    found.extend(extended.map(|extension| extension.application));
    found
        .into_iter()
        .map(|id| Candidate::new(club, media, id))
        .collect()
}

/// The applications to which the caller has drafts that were not submitted, and their committees.
pub(crate) async fn live_drafts(
    app: &Context,
    user: &User,
    applications: &[(&Application, &Candidate)],
    own: &Own,
) -> Result<HashMap<Id<of::Application>, BTreeSet<Option<Id<of::Committee>>>>> {
    let drafts = applications
        .iter()
        .filter_map(|(application, _)| own.drafts.get(&application.id));
    let now = app.now();
    let mut live: HashMap<_, BTreeSet<_>> = HashMap::new();
    for draft in app
        .table
        .drafts_at(drafts.flatten().cloned().collect())
        .await?
    {
        let id = Submission::id_of(draft.application, user.id(), draft.committee);
        let submitted = own.submitted.get(&id).copied().unwrap_or(0);
        if draft.is_live(submitted, now) {
            let committees = live.entry(draft.application).or_default();
            committees.insert(draft.committee);
        }
    }
    Ok(live)
}

/// What the caller has begun and sent for an application.
pub(crate) fn body(
    application: &Application,
    candidate: &Candidate,
    own: &Own,
    drafts: Option<&BTreeSet<Option<Id<of::Committee>>>>,
    now: DateTime<Utc>,
) -> OpenApplicationBody {
    let submissions = own.submissions.get(&application.id);
    OpenApplicationBody {
        id: application.id,
        name: application.name.clone(),
        club: candidate.club.clone(),
        application_end_time: application.end,
        my_end_time: own_end(application, own.extended(application.id)),
        draft: drafts.is_some(),
        drafts: drafts.into_iter().flatten().copied().collect(),
        withdrawn: submissions.is_none() && own.withdrawn.contains(&application.id),
        submissions: submissions
            .into_iter()
            .flatten()
            .map(|submission| OwnSubmissionBody::new(submission, application, now))
            .collect(),
    }
}
