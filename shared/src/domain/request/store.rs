//! Requests to join clubs (membership requests).

use crate::db::error::ignore_refusal;
use crate::db::execute::WriteResult;
use crate::db::read::{Fetch, Range};
use crate::db::response::AnyItem as _;
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::club::model::Club;
use crate::domain::member::model::Membership;
use crate::domain::outbox::model::Mail;
use crate::domain::person::conditions::check_not_erasing;
use crate::domain::person::model::Person;
use crate::domain::request::keys;
use crate::domain::request::model::MembershipRequest;
use crate::domain::{club, member, person};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::Timestamp;

impl Entity for MembershipRequest {
    const KIND: Kind = Kind::MembershipRequest;

    fn key(&self) -> Key {
        keys::request(&self.club, self.id)
    }

    fn index_key(&self) -> Option<Key> {
        Some(keys::own_request(self.person, &self.club))
    }
}

impl MembershipRequest {
    /// Returns the id of a person's request to join a club. It is derived from both.
    pub fn id_of(club: &ClubCode, person: Id<of::Person>) -> Id<of::MembershipRequest> {
        Id::derived("membership request", &[club, &person.to_string()])
    }

    /// Returns a new request of `person`. `creation` is the id of the HTTP request.
    pub fn new(club: &ClubCode, person: &Person, creation: u64, now: Timestamp) -> Self {
        Self {
            id: Self::id_of(club, person.id),
            club: club.clone(),
            person: person.id,
            applicant: person.applicant(),
            creation,
            created_at: now,
        }
    }
}

/// A club with a person's membership and request there.
#[derive(Debug, Default)]
pub struct JoinState {
    /// The club, archived or not.
    pub club: Option<Club>,
    /// The person's membership, if there is one.
    pub membership: Option<Membership>,
    /// The person's request to join, if there is one.
    pub request: Option<MembershipRequest>,
}

/// Returns the write that deletes a person's request, if there is one.
pub(crate) fn delete_request_of(club: &ClubCode, person: Id<of::Person>) -> Write {
    Write::delete_with_tombstone(keys::request(club, MembershipRequest::id_of(club, person)))
}

/// Returns the condition that a person has no request.
pub(crate) fn no_request_of(club: &ClubCode, person: Id<of::Person>) -> Write {
    let key = keys::request(club, MembershipRequest::id_of(club, person));
    Write::check(key).if_absent()
}

impl Table {
    /// Returns the requests to join a club, in no particular order: 1 query.
    pub async fn requests(&self, club: &ClubCode) -> Result<Vec<MembershipRequest>, TableError> {
        self.query(
            club::keys::club_items(club),
            Range::Prefix(keys::REQUESTS.into()),
        )
        .await
    }

    /// Returns a request by its id: 1 read.
    pub async fn request(
        &self,
        club: &ClubCode,
        id: Id<of::MembershipRequest>,
    ) -> Result<Option<MembershipRequest>, TableError> {
        self.get(keys::request(club, id)).await
    }

    /// Returns who asks to join, for a mail about a request: that one, or another one that waits if
    /// it is gone: 1 read, and then 1 query for one request. None if nobody waits any more, or the
    /// mail is about something else.
    pub async fn asking_now(&self, mail: &Mail) -> Result<Option<MembershipRequest>, TableError> {
        let Some(news) = &mail.request else {
            return Ok(None);
        };
        let mut asking = self.request(&news.club, news.request).await?;
        if asking.is_some() {
            return Ok(asking);
        }
        let (pk, range) = (
            club::keys::club_items(&news.club),
            Range::Prefix(keys::REQUESTS.into()),
        );
        let take = |page: Vec<MembershipRequest>| {
            asking = page.into_iter().next();
            Ok(asking.is_none())
        };
        self.each_page(false, pk, range, Fetch::Pages(1), take)
            .await?;
        Ok(asking)
    }

    /// Lets officers be told of the next request at once, because this mail about one is not sent:
    /// 1 write.
    pub async fn forget_telling(&self, mail: &Mail) -> Result<(), TableError> {
        let Some(news) = &mail.request else {
            return Ok(());
        };
        let again = Write::update(club::keys::club(&news.club))
            .set("requests_notified_at", &None::<Timestamp>)
            .if_equals("requests_notified_at", &mail.queued_at);
        ignore_refusal(self.write(again).await)
    }

    /// Returns the requests of these people to join a club: 1 batch read per 100.
    pub async fn requests_among(
        &self,
        club: &ClubCode,
        people: impl Iterator<Item = Id<of::Person>>,
    ) -> Result<Vec<MembershipRequest>, TableError> {
        let requested: Vec<Key> = people
            .map(|person| keys::request(club, MembershipRequest::id_of(club, person)))
            .collect();
        let mut found = self.get_many(requested.clone()).await?;
        requested
            .iter()
            .filter_map(|key| found.take(key).transpose())
            .collect()
    }

    /// Returns the requests of a person: 1 query of the index.
    pub async fn requests_of(
        &self,
        person: Id<of::Person>,
    ) -> Result<Vec<MembershipRequest>, TableError> {
        self.query_index(
            person::keys::own(person),
            Range::Prefix(keys::OWN_REQUESTS.into()),
        )
        .await
    }

    /// Returns a club, and a person's membership and request there: 1 batch read.
    pub async fn join_state(
        &self,
        code: &ClubCode,
        person: Id<of::Person>,
    ) -> Result<JoinState, TableError> {
        let club = club::keys::club(code);
        let member = member::keys::member(code, Membership::id_of(code, person));
        let request = keys::request(code, MembershipRequest::id_of(code, person));
        let mut found = self
            .get_many(vec![club.clone(), member.clone(), request.clone()])
            .await?;
        Ok(JoinState {
            club: found.take(&club)?,
            membership: found.take(&member)?,
            request: found.take(&request)?,
        })
    }

    /// Stores a request, and the mails that inform the officers, if there are any.
    ///
    /// With mails, the club also stores when its officers were informed. Refused if somebody else
    /// informed them after `club` was read.
    pub async fn create_request(
        &self,
        request: &MembershipRequest,
        club: &Club,
        mails: &[Mail],
    ) -> Result<(), TableError> {
        let member = member::keys::member(
            &request.club,
            Membership::id_of(&request.club, request.person),
        );
        let is_no_member = Write::check(member).if_never_or_before();
        let mut writes = vec![
            Write::create(request)?.or(Refusal::Exists),
            is_no_member.or(Refusal::AlreadyMember),
            check_not_erasing(request.person),
        ];
        if !mails.is_empty() {
            let notified =
                Write::update(club.key()).set("requests_notified_at", &request.created_at);
            let notified = match club.requests_notified_at {
                Some(before) => notified.if_equals("requests_notified_at", &before),
                // New clubs have null here. Older clubs do not have the attribute.
                None => notified.if_none("requests_notified_at"),
            };
            writes.push(notified);
        }
        for mail in mails {
            writes.push(Write::put(mail)?);
        }
        self.transact(writes).await
    }

    /// Deletes a request. Refused if the person has sent a new one in the meantime. If the request
    /// no longer exists, this counts as success.
    pub async fn delete_request(&self, request: &MembershipRequest) -> Result<(), TableError> {
        match self
            .try_write(
                Write::delete_with_tombstone(request.key())
                    .if_equals("creation", &request.creation),
            )
            .await?
        {
            WriteResult::Refused(Some(there)) if there.kind() == MembershipRequest::TYPE => {
                Err(TableError::Refused(Refusal::Changed))
            }
            _ => Ok(()),
        }
    }
}
