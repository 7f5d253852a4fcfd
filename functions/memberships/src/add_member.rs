//! `/clubs/{club}/members/` (POST)

use shared::db::{Refusal, TableError};
use shared::domain::{
    Additions, InvitationLog, Membership, MembershipRequest, NewMembership, Role,
};
use shared::ids::{Id, of};
use shared::reason::Reason;
use shared::text::kinds::Line;
use shared::time::Timestamp;
use shared::web::scopes::MembersWrite;
use shared::web::{
    ApiError, Code, Created, Input, Mode, NewId, Officer, Reader, Reference, Result, create,
};
use shared::{Context, mail};

use crate::member::{MemberBody, MemberViewer};
use crate::members::{named_adder, owned_limit, owner_limit_error};

shared::input! {
    /// A new member.
    pub struct NewMember {
        /// User id of the new member.
        person: Reference, Required;
        /// 0 owner, 10 officer, 20 member (default). Not above the role of the caller.
        role: Role, Optional;
        /// One line, at most 255 characters.
        title: Line, Optional;
        /// Whether others see who the member is.
        public: bool, Optional = true;
        /// Whether the member is active now.
        active: bool, Optional = true;
    }
}

/// The body of a request, checked.
struct RequestedMembership {
    role: Role,
    title: String,
    public: bool,
    active: bool,
}

impl NewMember {
    /// Returns whom to add, and as what. It is 403 if the role is above that of the caller.
    fn read(
        self,
        scope: &Officer<MembersWrite>,
    ) -> Result<(Option<Id<of::Person>>, RequestedMembership)> {
        let mut reader = Reader::new(Mode::Create);
        let role = reader.get(self.role).unwrap_or(Role::Member);
        if !scope.reaches(role) {
            return Err(ApiError::Forbidden);
        }
        let person = reader.get(self.person);
        let title = reader.get(self.title).unwrap_or_default();
        let public = reader.get(self.public);
        let active = reader.get(self.active);
        reader.finish()?;
        let requested = RequestedMembership {
            role,
            title,
            public: public.unwrap_or_default(),
            active: active.unwrap_or_default(),
        };
        Ok((person.map(Reference::id), requested))
    }
}

/// Add a member.
///
/// For officers. The role is not above that of the caller. A pending membership request of the
/// person is accepted by this. The person gets a mail, within the limits for invitations.
#[utoipa::path(
    post, path = "/api/clubs/{club}/members/", tag = "members",
    security(("bearer" = []), ("token" = ["members:write"])),
    params(("club" = String, Path)), request_body = NewMember,
    responses((status = 201, body = MemberBody))
)]
pub async fn create_member(
    app: Context,
    scope: Officer<MembersWrite>,
    NewId(creation): NewId,
    Input(input): Input<NewMember>,
) -> Result<Created<MemberBody>> {
    let (person, requested) = input.read(&scope)?;
    let club = &scope.club;
    let unknown = || ApiError::field("person", Reason::UnknownPerson);
    let duplicate = || ApiError::field("person", Reason::AlreadyMember).coded(Code::AlreadyMember);
    let person = person.ok_or_else(unknown)?;
    if scope
        .membership
        .as_ref()
        .is_some_and(|own| own.person == person)
    {
        return Err(duplicate());
    }
    let mut retries = app.table.retries();
    loop {
        retries.next().await?;
        let request = app
            .table
            .request(&club.code, MembershipRequest::id_of(&club.code, person));
        let found = async {
            Ok(futures::try_join!(
                app.table.person(person),
                request,
                app.table.invitation_log(&club.code),
                app.table.has_applied(person, &club.code)
            )?)
        };
        let ((person, request, log, applied), by) = futures::try_join!(found, named_adder(&scope))?;
        let person = person.ok_or_else(unknown)?;
        let asked = request.is_some();
        let membership = Membership {
            title: requested.title.clone(),
            public: requested.public,
            active: requested.active,
            confirmed: asked || applied,
            // Anybody can create a club, but not to read addresses (M13).
            by_username: club.approved != Some(true),
            ..Membership::new(&club.code, &person, requested.role, creation, app.now())
        };
        // Whoever is added without having asked counts like an invitation (M6), because anybody can
        // create a club and add people.
        let (now, id) = (app.now(), membership.id.to_string());
        let site = app.settings.addresses.site_url.as_str();
        let may_mail = club.approved == Some(true) && log.wait_for_resend(&id, now) == 0;
        let mail = (may_mail && !person.personal.email.is_empty())
            .then(|| mail::joined((club, site), by, &membership, asked, creation));
        let mut sent = log.with(&club.code, std::iter::once(id.as_str()), app.next_id(), now);
        if !asked && !applied {
            sent = sent.with_stranger(now);
        }
        let limit = owned_limit(&app, scope.user.is_admin());
        let addition = NewMembership {
            membership: &membership,
            request: request.as_ref(),
            mail: mail.as_ref(),
        };
        let additions = Additions {
            by: scope.authority(),
            log: (!asked).then_some((&log, &sent)),
            limit,
        };
        let too_many = check_added(&log, asked, applied, now).err();
        let stored = match &too_many {
            Some(_) => Err(TableError::Refused(Refusal::Daily)),
            None => app.table.add_members(&[addition], additions).await,
        };
        let read = app.table.member(&club.code, membership.id);
        let is_own = |there: &Membership| there.creation == creation;
        let refused = |refusal| match refusal {
            Refusal::Daily => too_many.unwrap_or(ApiError::Changed),
            Refusal::AlreadyMember => duplicate(),
            Refusal::Erased => unknown(),
            Refusal::Quota => owner_limit_error(&app),
            other => TableError::Refused(other).into(),
        };
        match create(membership.clone(), stored, read, is_own, refused).await {
            Err(ApiError::Changed) => {}
            stored => return Ok(created(&scope, &stored?)),
        }
    }
}

/// It is 429 if the club has added as many people as it may in 24 hours (M14).
fn check_added(log: &InvitationLog, asked: bool, applied: bool, now: Timestamp) -> Result<()> {
    if asked {
        return Ok(());
    }
    let limit = InvitationLog::DAILY;
    let all = (&log.sent, limit, Reason::TooManyAdded { limit });
    let limit = InvitationLog::STRANGERS;
    let strangers = (&log.strangers, limit, Reason::TooManyStrangers { limit });
    for (count, limit, why) in [Some(all), (!applied).then_some(strangers)]
        .into_iter()
        .flatten()
    {
        let seconds = count.wait_for(1, limit, now);
        if seconds > 0 {
            return Err(ApiError::RateLimited(why, seconds));
        }
    }
    Ok(())
}

fn created(scope: &Officer<MembersWrite>, membership: &Membership) -> Created<MemberBody> {
    let location = format!("/api/clubs/{}/members/{}/", membership.club, membership.id);
    Created {
        location,
        body: MemberBody::new(membership, MemberViewer::of(scope)),
    }
}
