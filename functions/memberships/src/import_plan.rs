//! What an import of members would do: reads the rows, finds the people, and compares them with the
//! members and invites of the club (B3, B4).

use std::collections::{HashMap, HashSet};

use futures::stream::{self, StreamExt, TryStreamExt};
use shared::Context;
use shared::db::{PARALLEL, TableError};
use shared::domain::{InvitationLog, Invite, Membership, Person, Role};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::{ClubCode, Email};
use shared::time::Timestamp;
use shared::web::scopes::MembersWrite;
use shared::web::{ImportBody, Officer, Result};

use crate::import_people::{PersonMatch, RequestedMember, Who, find_all};
use crate::invitations::{Addressee, MAX_INVITES_IN_TEN_MINUTES, NOT_APPROVED};
use crate::members::{owned_limit, owns_too_many, too_many_added};

/// What is to be done.
#[derive(Default)]
pub struct ImportPlan {
    pub add: Vec<Addition>,
    pub change: Vec<(usize, Membership, Membership)>,
    pub invite: Vec<(usize, Addressee)>,
}

pub struct Addition {
    pub row: usize,
    pub named_by: &'static str,
    pub membership: Membership,
    /// Whether the person gets a mail.
    pub is_mailed: bool,
}

/// A person of a row who is no member yet.
struct Newcomer<'a> {
    person: &'a Person,
    /// Whether they have asked to join.
    asked: bool,
    /// Whether they may own one more club.
    may_own: bool,
    creation: u64,
}

/// Why nothing is done for a row: who it names is not clear, or in the file twice. In a club that
/// is not approved, officers name only members and those who asked: anybody can create a club, but
/// not to learn who is there.
fn refused(
    found: &PersonMatch,
    may_add: bool,
    is_member_or_asked: impl Fn(&Id<of::Person>) -> bool,
    seen: &mut HashSet<String>,
) -> Option<Reason> {
    let key = match found {
        PersonMatch::Person(id) if may_add || is_member_or_asked(id) => id.to_string(),
        PersonMatch::Stranger(email) if may_add => email.to_string(),
        PersonMatch::Wrong(why) if may_add => return Some(why.clone()),
        _ => return Some(NOT_APPROVED),
    };
    (!seen.insert(key)).then_some(Reason::Twice)
}

pub async fn plan(
    app: &Context,
    scope: &Officer<MembersWrite>,
    requested: Vec<RequestedMember>,
    (creation, planned): (u64, usize),
    body: &mut ImportBody,
) -> Result<ImportPlan> {
    let code = &scope.club.code;
    let found = find_all(app, code, requested).await?;
    let ids = || {
        found.iter().filter_map(|(_, found)| match found {
            PersonMatch::Person(id) => Some(*id),
            _ => None,
        })
    };
    let addresses = found.iter().filter_map(|(_, found)| match found {
        PersonMatch::Stranger(email) => Some(Invite::id_for_address(code, email)),
        _ => None,
    });
    let (people, members, requests, (invites, _), log) = futures::try_join!(
        app.table.people(ids()),
        app.table.members_among(code, ids()),
        app.table.requests_among(code, ids()),
        app.table.invites_by_id(code, addresses),
        app.table.invitation_log(code)
    )?;
    let asked: HashSet<Id<of::Person>> =
        requests.into_iter().map(|request| request.person).collect();
    let members: HashMap<Id<of::Person>, Membership> = members
        .into_iter()
        .map(|member| (member.person, member))
        .collect();
    let now = app.now();
    let mut left = log.allowed(now).saturating_sub(planned);
    let owned = owned_limit(app, scope.user.is_admin());
    let (mut plan, mut seen) = (ImportPlan::default(), HashSet::new());
    let is_approved = scope.club.approved == Some(true);
    let may_add = is_approved || scope.user.is_admin();
    for (requested, found) in found {
        let RequestedMember { row, named_by, .. } = requested;
        let is_member_or_asked =
            |id: &Id<of::Person>| members.contains_key(id) || asked.contains(id);
        if let Some(why) = refused(&found, may_add, is_member_or_asked, &mut seen) {
            body.error(row, named_by, why);
            continue;
        }
        match found {
            PersonMatch::Person(id) => match (members.get(&id), people.get(&id)) {
                (Some(member), person) => {
                    let may_own = person.is_none_or(|person| may_own(person, owned));
                    let may_own = may_own.then_some(()).ok_or(app);
                    plan.change(scope, requested, member, may_own, body);
                }
                (None, Some(person)) if !person.erasing => {
                    let asked = asked.contains(&id);
                    let may_own = may_own(person, owned);
                    let new = Newcomer {
                        person,
                        asked,
                        may_own,
                        creation,
                    };
                    plan.newcomer(app, scope, requested, &new, &mut left, body);
                }
                _ => body.error(row, named_by, Reason::UnknownPerson),
            },
            PersonMatch::Stranger(email) => {
                let there = invites.iter().find(|invite| invite.email == email);
                let limits = InviteLimits {
                    club: code,
                    is_approved,
                    log: &log,
                    now,
                };
                plan.stranger(requested, email, there, &mut left, &limits, body);
            }
            PersonMatch::Wrong(_) => {}
        }
    }
    plan.confirm(app, code).await?;
    Ok(plan)
}

/// Whether a person may own one more club. No limit if an admin acts.
fn may_own(person: &Person, limit: Option<u32>) -> bool {
    limit.is_none_or(|limit| person.clubs_owned < i64::from(limit))
}

/// What limits invitations.
struct InviteLimits<'a> {
    club: &'a ClubCode,
    is_approved: bool,
    log: &'a InvitationLog,
    now: Timestamp,
}

impl ImportPlan {
    /// Adds a person who is no member yet.
    fn newcomer(
        &mut self,
        app: &Context,
        scope: &Officer<MembersWrite>,
        requested: RequestedMember,
        new: &Newcomer<'_>,
        left: &mut usize,
        body: &mut ImportBody,
    ) {
        let RequestedMember { row, named_by, .. } = requested;
        let role = requested.role.unwrap_or(Role::Member);
        if role == Role::Owner && !new.may_own {
            body.error(row, "role", owns_too_many(app));
            return;
        }
        if !new.asked && *left == 0 {
            body.error(row, named_by, too_many_added());
            return;
        }
        *left -= usize::from(!new.asked);
        let by_username = matches!(requested.who, Who::Username(_));
        let code = &scope.club.code;
        let membership = Membership {
            title: requested.title.unwrap_or_default(),
            by_username,
            confirmed: !by_username || new.asked,
            ..Membership::new(code, new.person, role, new.creation, app.now())
        };
        let is_approved = scope.club.approved == Some(true);
        self.add.push(Addition {
            row,
            named_by,
            membership,
            is_mailed: is_approved && !new.person.personal.email.is_empty(),
        });
    }

    /// Notes which of the people who are added by user name have applied to the club before (M13).
    async fn confirm(&mut self, app: &Context, code: &ClubCode) -> Result<(), TableError> {
        let unconfirmed = self.add.iter().filter(|one| !one.membership.confirmed);
        let people: Vec<Id<of::Person>> = unconfirmed.map(|one| one.membership.person).collect();
        let applied: Vec<Option<Id<of::Person>>> = stream::iter(people)
            .map(async |person| {
                let applied = app.table.has_applied(person, code).await?;
                Ok::<_, TableError>(applied.then_some(person))
            })
            .buffer_unordered(PARALLEL)
            .try_collect()
            .await?;
        let applied: HashSet<Id<of::Person>> = applied.into_iter().flatten().collect();
        for Addition { membership, .. } in &mut self.add {
            membership.confirmed |= applied.contains(&membership.person);
        }
        Ok(())
    }

    /// Plans the invitation of an address that nobody has. `left` is how many people the club may
    /// still add or invite.
    fn stranger(
        &mut self,
        requested: RequestedMember,
        email: Email,
        there: Option<&Invite>,
        left: &mut usize,
        limits: &InviteLimits<'_>,
        body: &mut ImportBody,
    ) {
        let (log, now) = (limits.log, limits.now);
        // An invite that was revoked counts too.
        let id = Invite::id_for_address(limits.club, &email);
        let often = log.times(&id, now) >= MAX_INVITES_IN_TEN_MINUTES;
        let why = if there.is_some_and(|invite| invite.is_open(now)) {
            body.skipped += 1;
            return;
        } else if !limits.is_approved {
            NOT_APPROVED
        } else if often {
            Reason::InvitedJustNow
        } else if *left == 0 {
            too_many_added()
        } else {
            *left -= 1;
            let addressee = Addressee {
                email,
                people: vec![],
                role: requested.role.unwrap_or(Role::Member),
                title: requested.title.unwrap_or_default(),
            };
            self.invite.push((requested.row, addressee));
            return;
        };
        body.error(requested.row, requested.named_by, why);
    }

    /// Plans the change of a present member (B4).
    fn change(
        &mut self,
        scope: &Officer<MembersWrite>,
        requested: RequestedMember,
        member: &Membership,
        may_own: Result<(), &Context>,
        body: &mut ImportBody,
    ) {
        if member.role == Role::Owner {
            body.skipped += 1;
            return;
        }
        let is_below = scope.user.is_admin() || scope.role().is_some_and(|own| own < member.role);
        let mut new = member.clone();
        if let Some(role) = requested.role.filter(|role| *role != member.role) {
            if !is_below {
                let why = Reason::RoleAboveYours;
                body.error(requested.row, "role", why);
                return;
            }
            if role == Role::Owner
                && let Err(app) = may_own
            {
                body.error(requested.row, "role", owns_too_many(app));
                return;
            }
            new.role = role;
        }
        if let Some(title) = requested.title {
            new.title = title;
        }
        if new == *member {
            body.skipped += 1;
        } else {
            self.change.push((requested.row, member.clone(), new));
        }
    }
}
