//! What waits for officers and admins (A14), and `/clubs/{club}/overview/`

use std::collections::HashSet;

use axum::Json;
use chrono::TimeDelta;
use futures::future::try_join_all;
use serde::Serialize;
use shared::bodies::ClubNameBody;
use shared::domain::{Application, Club, Duty, DutyCount, Window};
use shared::ids::{Id, of};
use shared::media::Media;
use shared::text::ClubCode;
use shared::time::Timestamp;
use shared::web::scopes::SessionOnly;
use shared::web::{Officer, Result};
use shared::{Context, ids, limits};
use utoipa::ToSchema;

/// What waits for somebody: how much, and where it is done.
#[derive(Debug, Serialize, ToSchema)]
pub struct DutyBody {
    /// What it is.
    kind: Duty,
    /// The club; null for `approvals`.
    club: Option<ClubNameBody>,
    /// The application, if it is about submissions; else null.
    application: Option<DutyApplicationBody>,
    /// How many, from 1 to 200.
    count: usize,
    /// Whether there may be more.
    has_more: bool,
    /// The page of the site that shows exactly these.
    link: String,
    /// The list of exactly these.
    api: String,
}

/// The application that a duty is about.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct DutyApplicationBody {
    /// Id of the application.
    #[schema(value_type = u64)]
    id: Id<of::Application>,
    /// Name of the application.
    name: String,
}

impl DutyBody {
    /// The clubs that wait for approval; none if there are none.
    pub(crate) fn approvals(count: usize) -> Option<Self> {
        let page = "/admin/".to_owned();
        let list = "/api/clubs/?approved=none".to_owned();
        Self::new(Duty::Approvals, DutyCount::of(count, false), page, list)
    }

    fn new(kind: Duty, counted: DutyCount, link: String, api: String) -> Option<Self> {
        (counted.count > 0).then_some(Self {
            kind,
            club: None,
            application: None,
            count: counted.count,
            has_more: counted.has_more,
            link,
            api,
        })
    }

    fn in_club(
        (club, media): (&Club, &Media),
        kind: Duty,
        counted: DutyCount,
        (page, list): (&str, &str),
    ) -> Option<Self> {
        let code = &club.code;
        let (link, api) = (
            format!("/clubs/{code}/{page}"),
            format!("/api/clubs/{code}/{list}"),
        );
        let club = Some(ClubNameBody::new(club, media));
        Self::new(kind, counted, link, api).map(|duty| Self { club, ..duty })
    }

    fn about(
        club: (&Club, &Media),
        application: &Application,
        kind: Duty,
        counted: DutyCount,
    ) -> Option<Self> {
        let (id, word) = (application.id, kind.name());
        let page = format!("applications/{id}/?duty={word}");
        let list = format!("applications/{id}/submissions/?duty={word}");
        let name = application.name.clone();
        let application = Some(DutyApplicationBody { id, name });
        let duty = Self::in_club(club, kind, counted, (&page, &list))?;
        Some(Self {
            application,
            ..duty
        })
    }
}

/// What waits in some clubs.
pub(crate) struct Duties {
    pub duties: Vec<DutyBody>,
    /// The clubs of which everything was counted.
    pub counted: HashSet<ClubCode>,
}

/// What waits for the officers of these clubs, club by club: 2 queries for each of them, and those
/// of the submissions to [`limits::HOME_APPLICATIONS`] applications in all.
pub(crate) async fn duties_in(app: &Context, clubs: &[&Club], now: Timestamp) -> Result<Duties> {
    let mut worked_on: Vec<(Timestamp, Id<of::Application>, &ClubCode)> = clubs
        .iter()
        .flat_map(|club| {
            let begun = club.windows.iter().filter(|(_, window)| {
                let has_ended = window.end < now;
                let is_recent = window.end >= now.plus(-TimeDelta::days(Window::KEPT_DAYS));
                (window.is_active || has_ended) && window.start <= now && is_recent
            });
            begun.filter_map(|(id, window)| Some((window.end, ids::parse(id)?, &club.code)))
        })
        .collect();
    // What has ended waits for decisions: the latest of it first, then what ends next.
    worked_on.sort_by_key(|(end, id, _)| {
        let distance = (end.epoch_seconds() - now.epoch_seconds()).abs();
        (*end >= now, distance, *id)
    });
    let left_out = worked_on.split_off(limits::HOME_APPLICATIONS.min(worked_on.len()));
    let names = worked_on.iter().map(|(_, id, club)| ((*club).clone(), *id));
    let submissions = worked_on
        .iter()
        .map(|(_, id, _)| app.table.submission_duties(*id));
    let others = clubs
        .iter()
        .map(|club| app.table.club_duties(&club.code, now));
    let (applications, submissions, others) = futures::try_join!(
        app.table.applications_by_id(names),
        try_join_all(submissions),
        try_join_all(others)
    )?;
    let mut duties = vec![];
    let mut partial: HashSet<&ClubCode> = left_out.iter().map(|(_, _, club)| *club).collect();
    for (club, other) in clubs.iter().zip(others) {
        let of_club = |kind, count, lists| {
            (
                count,
                DutyBody::in_club((club, &app.media), kind, count, lists),
            )
        };
        let requests = ("members/", "membershiprequests/");
        let ending = ("links/?ending=true", "invites/?ending=true");
        let mut all = vec![of_club(Duty::Requests, other.requests, requests)];
        for ((_, id, of), counts) in worked_on.iter().zip(&submissions) {
            let Some(application) = applications.get(id).filter(|_| **of == club.code) else {
                continue;
            };
            for (kind, count) in counts {
                all.push((
                    *count,
                    DutyBody::about((club, &app.media), application, *kind, *count),
                ));
            }
        }
        all.push(of_club(Duty::InvitesEnding, other.invites_ending, ending));
        if all.iter().any(|(count, _)| count.has_more) {
            partial.insert(&club.code);
        }
        duties.extend(all.into_iter().filter_map(|(_, duty)| duty));
    }
    let codes = clubs.iter().map(|club| &club.code);
    Ok(Duties {
        counted: codes
            .filter(|code| !partial.contains(code))
            .cloned()
            .collect(),
        duties,
    })
}

/// What waits in a club.
#[derive(Debug, Serialize, ToSchema)]
pub struct OverviewBody {
    /// What waits for its officers.
    duties: Vec<DutyBody>,
    /// Whether this is all. False if a number ends before the last one (`has_more`), and for a club
    /// with more applications than are counted: the three that ended last within 60 days, then
    /// those that are open.
    all_counted: bool,
}

/// Get what waits for the officers of a club.
///
/// For officers. It is counted as in `/home/`, and may be a second old.
#[utoipa::path(
    get, path = "/api/clubs/{club}/overview/", tag = "home",
    security(("bearer" = [])),
    params(("club" = String, Path)), responses((status = 200, body = OverviewBody))
)]
pub async fn show_overview(
    app: Context,
    scope: Officer<SessionOnly>,
) -> Result<Json<OverviewBody>> {
    let club = &scope.club;
    let Duties { duties, counted } = duties_in(&app, &[club], app.now()).await?;
    Ok(Json(OverviewBody {
        duties,
        all_counted: counted.contains(&club.code),
    }))
}
