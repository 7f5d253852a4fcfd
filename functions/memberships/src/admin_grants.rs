//! Whether what an admin made still works: join links (J7), and invites as officer or owner (I12).

use shared::Context;
use shared::db::TableError;
use shared::domain::{Membership, Person, Role};
use shared::ids::{Id, of};
use shared::text::ClubCode;
use shared::time::Timestamp;

/// Returns whether a person could still do what they did as an admin at `since`: as an admin, or
/// with at least this role in the club. 1 read, or 2 if they are no admin any more. A profile that
/// is younger belongs to somebody who came back after an erasure.
pub(crate) async fn may_still(
    app: &Context,
    (club, person): (&ClubCode, Id<of::Person>),
    since: Timestamp,
    role: Role,
) -> Result<bool, TableError> {
    let is_admin = |person: Person| {
        let is_seen = person.admin_seen.is_none_or(|at| at > 0);
        is_seen && !person.erasing && person.created_at <= since
    };
    if app.table.person(person).await?.is_some_and(is_admin) {
        return Ok(true);
    }
    let own = app.table.member(club, Membership::id_of(club, person));
    Ok(own.await?.is_some_and(|own| own.role <= role))
}
