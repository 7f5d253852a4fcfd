//! How people become members: added by officers, or by an invite. It ends their request.

use crate::db::{Refusal, Table, TableError, Write};
use crate::domain::club::invitation_log::{InvitationLog, logged};
use crate::domain::invite::model::Invite;
use crate::domain::member;
use crate::domain::member::authority::authority;
use crate::domain::member::model::{Membership, Role};
use crate::domain::member::store::{added, count, counted};
use crate::domain::outbox::model::Mail;
use crate::domain::request::model::MembershipRequest;
use crate::domain::request::store::{delete_request_of, no_request_of};

/// A person whom an officer or admin adds to a club.
#[derive(Debug)]
pub struct NewMembership<'a> {
    /// The new membership.
    pub membership: &'a Membership,
    /// The person's request to join, if one was found.
    pub request: Option<&'a MembershipRequest>,
    /// The mail to the new member.
    pub mail: Option<&'a Mail>,
}

/// Who adds members, and within which limits.
#[derive(Debug)]
pub struct Additions<'a> {
    /// The officer's membership; `None` for admins.
    pub by: Option<&'a Membership>,
    /// The club's log of mails before and after the mails to the new members.
    pub log: Option<(&'a InvitationLog, &'a InvitationLog)>,
    /// Maximum number of clubs that one person may own; `None` (no limit) if an admin adds them.
    pub limit: Option<u32>,
}

impl Table {
    /// Maximum members that are added in one transaction: each needs four writes, and DynamoDB
    /// allows 100 writes.
    pub const ADDED: usize = 20;

    /// Adds members of one club, all or none, changes the counters, and deletes the requests of
    /// these people. At most [`Table::ADDED`].
    pub async fn add_members(
        &self,
        new: &[NewMembership<'_>],
        Additions { by, log, limit }: Additions<'_>,
    ) -> Result<(), TableError> {
        let (mut writes, mut owners) = (Vec::new(), 0);
        for NewMembership {
            membership,
            request,
            mail,
        } in new
        {
            owners += i64::from(membership.role == Role::Owner);
            writes.extend(added(membership, limit)?);
            // The text of the mail depends on the request, so refuse if it was created or deleted
            // after it was read.
            writes.push(match request {
                Some(request) => delete_request_of(&membership.club, membership.person)
                    .if_equals("creation", &request.creation),
                None => no_request_of(&membership.club, membership.person),
            });
            writes.extend(mail.map(Write::put).transpose()?);
        }
        let Some(club) = new.first().map(|new| &new.membership.club) else {
            return Ok(());
        };
        writes.push(count(club, i64::try_from(new.len()).unwrap_or(0), owners));
        let roles: Vec<Role> = new.iter().map(|new| new.membership.role).collect();
        writes.extend(authority(by, &roles));
        writes.extend(log.map(|(old, new)| logged(old, new)).transpose()?);
        self.transact(writes).await
    }

    /// Uses an invite: adds the member, changes the counters, and deletes the invite and the
    /// request.
    ///
    /// If the role is above member, the person who sent the invite must still have at least this
    /// role.
    pub async fn accept_invite(
        &self,
        invite: &Invite,
        membership: &Membership,
        limit: Option<u32>,
    ) -> Result<(), TableError> {
        let used = invite.end();
        let mut writes: Vec<Write> = counted(membership, limit)?.into();
        writes.push(used);
        writes.push(delete_request_of(&membership.club, membership.person));
        if let Some(by) = invite.by.filter(|_| invite.role < Role::Member) {
            if by == membership.id {
                return Err(TableError::Refused(Refusal::Authority));
            }
            let check = Write::check(member::keys::member(&invite.club, by))
                .if_at_most("role", &invite.role);
            writes.push(check.or(Refusal::Authority));
        }
        self.transact(writes).await
    }
}
