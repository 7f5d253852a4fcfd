//! `/home/`: what the home page of a signed-in person shows

use std::collections::{HashMap, HashSet};

use axum::Json;
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use shared::bodies::{ClubNameBody, committee_of};
use shared::domain::{Club, Clubs, Favorite, Invite, Role, Status, Submission};
use shared::ids::{Id, of};
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::{ReceivedAt, Result, User, Visibility};
use shared::{Context, limits, text};
use utoipa::ToSchema;

use crate::duties::{DutyBody, duties_in};
use crate::home_interviews::{HomeInterviewBody, interviews_of};
use crate::open::{OpenApplicationBody, OpenQuery, Own, open_for};

/// What the home page of a person shows.
#[derive(Debug, Serialize, ToSchema)]
pub struct HomeBody {
    /// What waits for the caller as an admin, and as an officer: for the first ten clubs by name.
    duties: Vec<DutyBody>,
    /// The clubs of the caller, by name. Deleted clubs are left out.
    clubs: Vec<HomeClubBody>,
    /// The applications that are open for the caller: first those with a draft or submission of the
    /// caller, then the others, and of these the ones that end first. At most 50.
    applications: Vec<OpenApplicationBody>,
    /// Whether more applications are open for the caller.
    more_applications: bool,
    /// Decisions about the caller's submissions that the caller may know for at most 30 days, the
    /// newest submission first; among the last 20 submissions.
    decisions: Vec<HomeDecisionBody>,
    /// Interviews of the caller that are to be chosen or to come, of the same submissions: those to
    /// be chosen first, then the next ones.
    interviews: Vec<HomeInterviewBody>,
    /// Favorites of the caller, by name. At most 20.
    favorites: Vec<ClubNameBody>,
    /// Open invitations to the address of the caller, to clubs that the caller is not in. They can
    /// be accepted without the link in the mail. At most 20. That of an accepted applicant is among
    /// them when they may know that they are accepted; of the last 20 submissions.
    invites: Vec<HomeInviteBody>,
    /// Figures for admins; null for everybody else.
    admin: Option<HomeAdminBody>,
}

/// A club of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct HomeClubBody {
    /// The club.
    club: ClubNameBody,
    /// 0 owner, 10 officer, 20 member.
    role: Role,
    /// Whether everything that waits for the officers of the club is among the duties. False for
    /// members, for clubs behind the first ten, for clubs with more applications than are counted,
    /// and if a number ends before the last one (`has_more`).
    all_counted: bool,
}

/// A decision about a submission of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct HomeDecisionBody {
    /// Id of the submission.
    #[schema(value_type = u64)]
    id: Id<of::Submission>,
    /// Name of the application.
    name: String,
    /// The club.
    club: ClubNameBody,
    /// Name of the committee, or null.
    committee: Option<String>,
    /// 2 rejected, 3 rejected after the interview, 4 accepted.
    status: Status,
    /// Since when the caller may know it.
    since: Timestamp,
}

/// An invitation to the address of the caller.
#[derive(Debug, Serialize, ToSchema)]
pub struct HomeInviteBody {
    /// Id of the invite: letters and digits.
    id: String,
    /// The club.
    club: ClubNameBody,
    /// 0 owner, 10 officer, 20 member.
    role: Role,
    /// Last moment at which it can be used.
    expires_at: Timestamp,
}

/// What waits for admins.
#[derive(Debug, Serialize, ToSchema)]
pub struct HomeAdminBody {
    /// Number of clubs that wait for approval.
    waiting_clubs: usize,
    /// Number of approved clubs.
    clubs: usize,
    /// Number of memberships in all clubs.
    members: i64,
    /// Number of applications that are open now.
    open_applications: usize,
}

/// Get what the home page of the caller shows.
///
/// For every signed-in user. Duties may be a second old.
#[utoipa::path(
    get, path = "/api/home/", tag = "home", security(("bearer" = [])),
    responses((status = 200, body = HomeBody))
)]
pub async fn show_home(
    app: Context,
    ReceivedAt(now): ReceivedAt,
    user: User,
) -> Result<Json<HomeBody>> {
    let person = user.person().await?;
    let at = Timestamp::at(now);
    let (versions, own, roles, favorites, invites) = futures::try_join!(
        async { Ok(app.table.versions().await?) },
        Own::read(&app, &user, false),
        async { Ok(app.table.roles_of(user.id()).await?) },
        async { Ok(app.table.bookmarks_of::<Favorite>(user.id()).await?) },
        async { Ok(app.table.invites_to(&person.personal.email, at).await?) },
    )?;
    let clubs = app.all_clubs(&versions).await?;
    let by_code: HashMap<&ClubCode, &Club> = clubs
        .iter()
        .map(|listed| (&listed.club.code, &listed.club))
        .filter(|(_, club)| !club.archived)
        .collect();
    let query = OpenQuery {
        mine: None,
        after: None,
        limit: limits::OPEN_SLICE.0 + 1,
        own_first: true,
    };
    let mut roles: Vec<(&Club, Role)> = roles
        .iter()
        .filter_map(|(code, role)| Some((*by_code.get(code)?, *role)))
        .collect();
    roles.sort_by_cached_key(|(club, _)| (text::fold(&club.profile.name), &club.code));
    let managed = roles.iter().filter(|(_, role)| *role <= Role::Officer);
    let managed: Vec<&Club> = managed
        .map(|(club, _)| *club)
        .take(limits::HOME_CLUBS)
        .collect();
    let (mut applications, counted, (decisions, interviews, accepted)) = futures::try_join!(
        open_for(&app, &user, now, &clubs, &own, &query),
        duties_in(&app, &managed, at),
        news_for(&app, &own, &by_code, now)
    )?;
    let more_applications = applications.len() >= query.limit;
    applications.truncate(limits::OPEN_SLICE.0);
    let invites = shown_invites(invites, (&app, &accepted), &by_code, &roles);
    let codes = roles.iter().map(|(club, _)| club.code.clone());
    let visibility = Visibility::with_all(codes, user.is_admin());
    let mut favorites: Vec<ClubNameBody> = favorites
        .iter()
        .filter_map(|favorite| by_code.get(&favorite.club))
        .filter(|club| visibility.sees(club))
        .map(|club| ClubNameBody::new(club, &app.media))
        .collect();
    favorites.sort_by_cached_key(|one| (text::fold(&one.name), one.code.clone()));
    favorites.truncate(limits::HOME_OWN);
    let admin = user.is_admin().then(|| figures(&clubs, now));
    let waiting_clubs = admin.as_ref().map_or(0, |admin| admin.waiting_clubs);
    let approvals = DutyBody::approvals(waiting_clubs).into_iter();
    Ok(Json(HomeBody {
        duties: approvals.chain(counted.duties).collect(),
        decisions,
        interviews,
        favorites,
        invites,
        applications,
        more_applications,
        admin,
        clubs: roles
            .iter()
            .map(|(club, role)| HomeClubBody {
                club: ClubNameBody::new(club, &app.media),
                role: *role,
                all_counted: counted.counted.contains(&club.code),
            })
            .collect(),
    }))
}

/// The invitations to clubs that the person is not in, one of each club. `accepted` are the
/// submissions whose acceptance the person may know.
fn shown_invites(
    invites: Vec<Invite>,
    (app, accepted): (&Context, &[&Submission]),
    clubs: &HashMap<&ClubCode, &Club>,
    roles: &[(&Club, Role)],
) -> Vec<HomeInviteBody> {
    let is_member = |code: &ClubCode| roles.iter().any(|(club, _)| club.code == *code);
    let mut named = HashSet::new();
    let invites = invites.into_iter().filter_map(|invite| {
        let is_secret = Invite::is_of_accepted(&invite.id)
            && !accepted.iter().any(|submission| invite.is_for(submission));
        let is_shown = !is_secret && !is_member(&invite.club);
        let club = clubs.get(&invite.club).filter(|_| is_shown)?;
        named.insert(invite.club.clone()).then(|| HomeInviteBody {
            id: invite.id,
            club: ClubNameBody::new(club, &app.media),
            role: invite.role,
            expires_at: invite.expires_at,
        })
    });
    invites.collect()
}

/// The decisions that the caller may know, the caller's interviews, and the submissions whose
/// acceptance the caller may know, of the last ones.
async fn news_for<'a>(
    app: &Context,
    own: &'a Own,
    clubs: &HashMap<&ClubCode, &Club>,
    now: DateTime<Utc>,
) -> Result<(
    Vec<HomeDecisionBody>,
    Vec<HomeInterviewBody>,
    Vec<&'a Submission>,
)> {
    let latest = own.latest(limits::HOME_OWN);
    let names = latest.iter().map(|one| (one.club.clone(), one.application));
    let slots = latest
        .iter()
        .filter_map(|one| Some((one.application, one.booked()?)));
    let (applications, slots) = futures::try_join!(
        app.table.applications_by_id(names),
        app.table.slots_by_id(slots)
    )?;
    let interviews = interviews_of(app, &latest, &applications, &slots, clubs, now);
    let oldest = Timestamp::at(now).plus(-TimeDelta::days(limits::DECISION_DAYS));
    let show = |submission: &Submission| {
        let application = applications.get(&submission.application)?;
        let (status, since) = submission.visible_decision(application, now)?;
        (since >= oldest).then_some(HomeDecisionBody {
            id: submission.id,
            name: application.name.clone(),
            club: ClubNameBody::new(clubs.get(&submission.club)?, &app.media),
            committee: committee_of(submission, application).map(|committee| committee.name),
            status,
            since,
        })
    };
    let is_accepted = |submission: &&Submission| {
        let application = applications.get(&submission.application);
        application.is_some_and(|of| submission.is_visible_acceptance(of, now))
    };
    let decisions = latest.iter().copied().filter_map(show).collect();
    let accepted = latest.into_iter().filter(is_accepted).collect();
    Ok((decisions, interviews, accepted))
}

/// The figures for admins. They come from the catalogue in memory.
fn figures(clubs: &Clubs, now: DateTime<Utc>) -> HomeAdminBody {
    let all: Vec<&Club> = clubs
        .iter()
        .map(|listed| &listed.club)
        .filter(|club| !club.archived)
        .collect();
    let approved = |club: &&&Club| club.approved == Some(true);
    let windows = all.iter().flat_map(|club| club.windows.values());
    HomeAdminBody {
        waiting_clubs: all.iter().filter(|club| club.approved.is_none()).count(),
        clubs: all.iter().filter(approved).count(),
        members: all.iter().map(|club| club.members).sum(),
        open_applications: windows.filter(|window| window.is_open(now)).count(),
    }
}
