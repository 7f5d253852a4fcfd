//! All keys of the table. Keys are built only in this file.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;

use crate::ids::Id;
use crate::models::{
    Application, ClubCode, Committee, DecisionChange, Event, Extension, Fair, Favorite, JoinLink,
    MailKind, Membership, MembershipRequest, Person, Question, Review, Submission, Subscription,
};

pub(super) const PK: &str = "pk";
pub(super) const SK: &str = "sk";
pub(super) const TYPE: &str = "type";
pub(super) const TTL: &str = "ttl";
/// The version of what an item counts or copies of other items: scores, windows, members, uses.
pub const COUNT_VERSION: &str = "count_version";
pub(super) const GSI1: &str = "gsi1";
pub(super) const GSI1PK: &str = "gsi1pk";
pub(super) const GSI1SK: &str = "gsi1sk";
pub(super) const GSI2: &str = "gsi2";
pub(super) const GSI2PK: &str = "gsi2pk";
pub(super) const GSI2SK: &str = "gsi2sk";

/// The number of partitions for clubs. They are read in parallel to load the catalogue.
pub const CLUB_PARTS: u64 = 4;

/// The number of partitions for the submissions of one application. Each partition allows 1,000
/// write units per second.
pub const SUBMISSION_PARTS: u64 = 4;

/// A primary key of the table or of its index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    pub(super) pk: String,
    pub(super) sk: String,
}

impl Key {
    fn new(pk: String, sk: String) -> Self {
        Self { pk, sk }
    }

    pub(super) fn into_item(self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (PK.to_owned(), AttributeValue::S(self.pk)),
            (SK.to_owned(), AttributeValue::S(self.sk)),
        ])
    }

    pub(super) fn into_index_item(self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (GSI1PK.to_owned(), AttributeValue::S(self.pk)),
            (GSI1SK.to_owned(), AttributeValue::S(self.sk)),
        ])
    }

    pub(super) fn into_time_item(self) -> HashMap<String, AttributeValue> {
        HashMap::from([
            (GSI2PK.to_owned(), AttributeValue::S(self.pk)),
            (GSI2SK.to_owned(), AttributeValue::S(self.sk)),
        ])
    }
}

/// Returns an id as 16 digits with leading zeros, so that text order is the same as number order.
fn padded(id: impl Into<u64>) -> String {
    format!("{:016}", id.into())
}

// People

pub(super) fn profile(person: Id<Person>) -> Key {
    Key::new(format!("USER#{}", padded(person)), "PROFILE".into())
}

pub(super) fn creations(person: Id<Person>) -> Key {
    Key::new(format!("USER#{}", padded(person)), "CREATIONS".into())
}

/// Returns the partition of a person. In the table it holds the profile; in the index it holds the
/// items that belong to the person.
pub(super) fn own(person: Id<Person>) -> String {
    format!("USER#{}", padded(person))
}

pub(super) fn username(username: &str) -> String {
    format!("USERNAME#{}", username.to_lowercase())
}

pub(super) fn by_username(name: &str, person: Id<Person>) -> Key {
    Key::new(username(name), padded(person))
}

/// Returns the key of a search entry: a person by a word of their name, or by their user name.
/// Words with the same first letter share a partition.
pub(super) fn person_word(word: &str, person: Id<Person>) -> Key {
    Key::new(words(word), format!("{word}#{}", padded(person)))
}

/// Returns the partition of all words with the same first letter as this one.
pub(super) fn words(word: &str) -> String {
    format!("WORDS#{}", word.chars().next().unwrap_or('-'))
}

/// Returns the partition of an e-mail address. In the table it holds people; in the index it holds
/// invites and mails.
pub(super) fn address(address: &str) -> String {
    format!("ADDRESS#{}", address.to_lowercase())
}

pub(super) fn person_address(email: &str, person: Id<Person>) -> Key {
    Key::new(address(email), padded(person))
}

pub(super) fn addressed_invite(email: &str, club: &ClubCode, invite: &str) -> Key {
    Key::new(address(email), format!("INVITE#{club}#{invite}"))
}

pub(super) fn addressed_mail(email: &str, about: u64, sequence: u64) -> Key {
    Key::new(
        address(email),
        format!("MAIL#{}#{}", padded(about), padded(sequence)),
    )
}

/// The sort key prefixes of favorites and subscriptions. They are in the partition of the person's
/// profile, because reads of the table are strongly consistent and reads of the index are not.
pub(super) const FAVORITES: &str = "FAVORITE#";
pub(super) const SUBSCRIPTIONS: &str = "SUBSCRIPTION#";

pub(super) fn favorite(person: Id<Person>, favorite: Id<Favorite>) -> Key {
    Key::new(own(person), format!("{FAVORITES}{}", padded(favorite)))
}

pub(super) fn subscription(person: Id<Person>, subscription: Id<Subscription>) -> Key {
    Key::new(
        own(person),
        format!("{SUBSCRIPTIONS}{}", padded(subscription)),
    )
}

/// Returns the key of the marker of an erasure, and its key in the index.
pub(super) fn erasure(person: Id<Person>) -> Key {
    Key::new(own(person), "ERASURE".into())
}

pub(super) fn own_erasure(person: Id<Person>, round: u64) -> Key {
    Key::new(own(person), format!("ERASURE#{}", padded(round)))
}

/// This prefix sorts before favorites, too.
pub(super) const OWN_PLACES: &str = "APPLIED#";

pub(super) fn own_place(person: Id<Person>, submission: Id<Submission>) -> Key {
    Key::new(own(person), format!("{OWN_PLACES}{}", padded(submission)))
}

/// This prefix sorts before favorites. So one range can read favorites and subscriptions without
/// the keyed requests.
pub(super) const KEYED_REQUESTS: &str = "ATTEMPT#";

pub(super) fn keyed_request(person: Id<Person>, id: &str) -> Key {
    Key::new(own(person), format!("{KEYED_REQUESTS}{id}"))
}

/// The prefixes of answers of drafts in the index: of those that are there, and of those that were
/// removed and only keep their version.
pub(super) const OWN_DRAFTS: &str = "DRAFT#";
const OWN_REMOVED: &str = "REMOVED#";

pub(super) fn own_draft(
    is_removed: bool,
    person: Id<Person>,
    application: Id<Application>,
    committee: Option<Id<Committee>>,
    question: Id<Question>,
) -> Key {
    Key::new(
        own(person),
        format!(
            "{}{}#{}#{}",
            if is_removed { OWN_REMOVED } else { OWN_DRAFTS },
            padded(application),
            committee_or_none(committee),
            padded(question)
        ),
    )
}

pub(super) const SUBSCRIBERS: &str = "SUBSCRIBER#";

pub(super) fn subscriber(club: &ClubCode, person: Id<Person>) -> Key {
    Key::new(club_items(club), format!("{SUBSCRIBERS}{}", padded(person)))
}

pub(super) const OWN_MEMBERSHIPS: &str = "MEMBER#";
pub(super) const OWN_REQUESTS: &str = "REQUEST#";
pub(super) const OWN_SUBMISSIONS: &str = "SUBMISSION#";

pub(super) fn own_request(person: Id<Person>, club: &ClubCode) -> Key {
    Key::new(own(person), format!("{OWN_REQUESTS}{club}"))
}

pub(super) fn own_mail(person: Id<Person>, about: u64, sequence: u64) -> Key {
    Key::new(
        own(person),
        format!("MAIL#{}#{}", padded(about), padded(sequence)),
    )
}

pub(super) const OWN_EXTENSIONS: &str = "EXTENSION#";

pub(super) fn own_extension(person: Id<Person>, application: Id<Application>) -> Key {
    let sk = format!("{OWN_EXTENSIONS}{}", padded(application));
    Key::new(own(person), sk)
}

pub(super) fn own_membership(person: Id<Person>, club: &ClubCode) -> Key {
    Key::new(own(person), format!("{OWN_MEMBERSHIPS}{club}"))
}

/// Returns the club of an entry of the index that stands for a membership.
pub(super) fn club_of_membership(index_sort_key: &str) -> Option<ClubCode> {
    ClubCode::parse(index_sort_key.strip_prefix(OWN_MEMBERSHIPS)?)
}

pub(super) fn own_submission(person: Id<Person>, submission: Id<Submission>) -> Key {
    Key::new(
        own(person),
        format!("{OWN_SUBMISSIONS}{}", padded(submission)),
    )
}

// Clubs

/// Returns one of the [`CLUB_PARTS`] partitions for clubs.
pub fn clubs(part: u64) -> String {
    format!("CLUBS#{part}")
}

/// Returns the number of the partition of a club.
pub fn club_part(code: &ClubCode) -> u64 {
    crate::ids::derived("club", &[code]) % CLUB_PARTS
}

/// Returns the key of a club.
pub fn club(code: &ClubCode) -> Key {
    Key::new(clubs(club_part(code)), format!("CLUB#{code}"))
}

/// Returns the key of the full description of a club. It is separate from the item that lists read.
pub(super) fn club_text(code: &ClubCode) -> Key {
    Key::new(club_items(code), "TEXT".into())
}

pub(super) fn versions() -> Key {
    Key::new("CATALOGUE".into(), "VERSION".into())
}

pub(super) fn warm_up() -> Key {
    versions()
}

pub(super) fn club_items(code: &ClubCode) -> String {
    format!("CLUB#{code}")
}

pub(super) const MEMBERS: &str = "MEMBER#";

/// Returns the key of a membership. Its id is derived from the club and the person.
pub(super) fn member(club: &ClubCode, membership: Id<Membership>) -> Key {
    Key::new(club_items(club), format!("{MEMBERS}{}", padded(membership)))
}

pub(super) const INVITES: &str = "INVITE#";

pub(super) fn invite(club: &ClubCode, invite: &str) -> Key {
    Key::new(club_items(club), format!("{INVITES}{invite}"))
}

pub(super) fn invitation_log(club: &ClubCode) -> Key {
    Key::new(club_items(club), "LOG#INVITATIONS".into())
}

pub(super) const JOIN_LINKS: &str = "JOIN#";

pub(super) fn join_link(club: &ClubCode, link: Id<JoinLink>) -> Key {
    Key::new(club_items(club), format!("{JOIN_LINKS}{}", padded(link)))
}

/// Returns the key of the use of a join link by a person.
pub(super) fn link_use(club: &ClubCode, link: Id<JoinLink>, person: Id<Person>) -> Key {
    let sk = format!("JOINED#{}#{}", padded(link), padded(person));
    Key::new(club_items(club), sk)
}

pub(super) fn own_link_use(person: Id<Person>, link: Id<JoinLink>) -> Key {
    Key::new(own(person), format!("JOINED#{}", padded(link)))
}

pub(super) const REQUESTS: &str = "REQUEST#";

/// Returns the key of a membership request. Its id is derived from the club and the person.
pub(super) fn request(club: &ClubCode, request: Id<MembershipRequest>) -> Key {
    Key::new(club_items(club), format!("{REQUESTS}{}", padded(request)))
}

// Collections that admins maintain

pub(super) fn lookup<T>(part: &str, id: Id<T>) -> Key {
    Key::new(part.to_owned(), padded(id))
}

/// Returns the key that reserves the name of an entry. It contains a hash of the name, because the
/// length of keys is limited.
pub(super) fn lookup_name(part: &str, name: &str) -> Key {
    Key::new(
        format!("{part}#NAMES"),
        crate::ids::sha256_hex(crate::text::fold(name).as_bytes()),
    )
}

/// Returns the key of the entry whose name is reserved in this partition.
pub(super) fn named_lookup(names: &str, id: u64) -> Option<Key> {
    let part = names.strip_suffix("#NAMES")?;
    Some(lookup::<()>(part, Id::new(id)))
}

pub(super) fn year_uses(year: u16) -> Key {
    Key::new("YEARS#USES".into(), year.to_string())
}

/// The partition of the registrations of clubs for fairs. The catalogue part has the same name.
pub const REGISTRATIONS: &str = "REGISTRATIONS";

pub(super) fn registration(fair: Id<Fair>, club: &ClubCode) -> Key {
    Key::new(REGISTRATIONS.into(), format!("{}#{club}", padded(fair)))
}

// Events

pub(super) const EVENTS: &str = "EVENT#";

pub(super) fn event(club: &ClubCode, event: Id<Event>) -> Key {
    Key::new(club_items(club), format!("{EVENTS}{}", padded(event)))
}

/// Returns the key of the whole description of an event.
pub(super) fn event_text(club: &ClubCode, event: Id<Event>) -> Key {
    Key::new(club_items(club), format!("TEXT#EVENT#{}", padded(event)))
}

pub(super) fn event_club(event: Id<Event>) -> Key {
    Key::new(format!("EVENT#{}", padded(event)), "CLUB".into())
}

/// The years whose months have their own partitions. Events that end earlier share one partition,
/// and so do events that end later. Without this limit, anybody who may write events could create a
/// partition for each month of 10,000 years.
const EVENT_YEARS: std::ops::RangeInclusive<&str> = "2020"..="2040";
/// The prefix of the partitions of events.
pub(super) const EVENT_PARTS: &str = "EVENTS#";

/// Returns the partition of events whose last showing ends in the month of `time`. `time` has the
/// format of the API (for example `2026-11-21T09:00:00Z`).
pub(super) fn events(time: &str) -> String {
    // The order of the parts is the order of time: digits sort before letters.
    let part = match (
        time.get(..4).unwrap_or_default(),
        time.get(..7).unwrap_or_default(),
    ) {
        (year, month) if EVENT_YEARS.contains(&year) => month,
        (year, _) if year < *EVENT_YEARS.start() => "0000",
        _ => "later",
    };
    format!("{EVENT_PARTS}{part}")
}

/// Returns the key of the catalogue copy of an event in a part.
pub(super) fn event_listing(part: &str, event: Id<Event>) -> Key {
    Key::new(part.to_owned(), padded(event))
}

// Applications

pub(super) fn applications(club: &ClubCode) -> String {
    format!("APPLICATIONS#{club}")
}

pub(super) fn application(club: &ClubCode, application: Id<Application>) -> Key {
    Key::new(applications(club), padded(application))
}

/// Returns the key of the texts of an application. It follows those of its questions.
pub(super) fn application_texts(club: &ClubCode, application: Id<Application>) -> Key {
    Key::new(applications(club), format!("{}#TEXTS", padded(application)))
}

/// Returns the first and last sort key of one application and its questions, without its texts.
pub(super) fn form_range(application: Id<Application>) -> (String, String) {
    (
        padded(application),
        format!("{}#QUESTION#~", padded(application)),
    )
}

/// Returns the first and last sort key of one application with its questions and texts.
pub(super) fn application_range(application: Id<Application>) -> (String, String) {
    (padded(application), format!("{}#~", padded(application)))
}

pub(super) fn question(
    club: &ClubCode,
    application: Id<Application>,
    question: Id<Question>,
) -> Key {
    Key::new(
        applications(club),
        format!("{}#QUESTION#{}", padded(application), padded(question)),
    )
}

/// Returns the key of what remains of a deleted application.
pub(super) fn deleted_application(application: Id<Application>) -> Key {
    Key::new(
        format!("DELETED#{}", padded(application)),
        "APPLICATION".into(),
    )
}

pub(super) fn prompts(application: Id<Application>) -> String {
    format!("PROMPTS#{}", padded(application))
}

pub(super) fn prompt(application: Id<Application>, question: Id<Question>, version: u32) -> Key {
    Key::new(
        prompts(application),
        format!("{}#{version:06}", padded(question)),
    )
}

pub(super) fn extensions(application: Id<Application>) -> String {
    format!("EXTENSIONS#{}", padded(application))
}

pub(super) fn extension(application: Id<Application>, extension: Id<Extension>) -> Key {
    Key::new(extensions(application), padded(extension))
}

// Drafts

/// Returns the id of a committee, or zeros if there is none. No id is 0.
fn committee_or_none(committee: Option<Id<Committee>>) -> String {
    padded(committee.map_or(0, u64::from))
}

/// Returns one of the [`SUBMISSION_PARTS`] partitions for the drafts of an application.
pub(super) fn drafts(application: Id<Application>, part: u64) -> String {
    format!("DRAFTS#{}#{part}", padded(application))
}

/// Returns the partition of all drafts of a person, and what their sort keys begin with.
pub(super) fn drafts_of(application: Id<Application>, person: Id<Person>) -> (String, String) {
    (
        drafts(application, person.get() % SUBMISSION_PARTS),
        format!("{}#", padded(person)),
    )
}

pub(super) fn draft_answer(
    application: Id<Application>,
    person: Id<Person>,
    committee: Option<Id<Committee>>,
    question: Id<Question>,
) -> Key {
    let (pk, prefix) = drafts_of(application, person);
    let committee = committee_or_none(committee);
    Key::new(pk, format!("{prefix}{committee}#{}", padded(question)))
}

// Submissions

pub(super) fn submissions(application: Id<Application>, part: u64) -> String {
    format!("SUBMISSIONS#{}#{part}", padded(application))
}

/// Returns the application in the sort key of an answer of a draft in the index.
pub(super) fn application_of_draft(index_sort_key: &str) -> Option<Id<Application>> {
    let (id, _) = index_sort_key.strip_prefix(OWN_DRAFTS)?.split_once('#')?;
    Some(Id::new(id.parse().ok()?))
}

/// Returns the application in the key of a submission.
pub(super) fn application_of_submission(key: &Key) -> Option<Id<Application>> {
    let (id, _) = key.pk.strip_prefix("SUBMISSIONS#")?.split_once('#')?;
    Some(Id::new(id.parse().ok()?))
}

/// Returns the place of a submission in the order of time.
pub(super) fn submission_place(sequence: u64, id: u64) -> String {
    format!("{}#{}", padded(sequence), padded(id))
}

/// Returns the key of a submission in the index by time.
pub(super) fn submission_by_time(
    application: Id<Application>,
    submission: Id<Submission>,
    sequence: u64,
) -> Key {
    Key::new(
        submissions(application, submission.get() % SUBMISSION_PARTS),
        submission_place(sequence, submission.get()),
    )
}

pub(super) fn submission(application: Id<Application>, submission: Id<Submission>) -> Key {
    Key::new(
        submissions(application, submission.get() % SUBMISSION_PARTS),
        padded(submission),
    )
}

/// Returns the partition of all reviews of an application.
pub(super) fn reviews(application: Id<Application>) -> String {
    format!("REVIEWS#{}", padded(application))
}

/// Returns the partition of the reviews of a submission, and what their sort keys begin with.
pub(super) fn reviews_of(
    application: Id<Application>,
    submission: Id<Submission>,
) -> (String, String) {
    (reviews(application), format!("{}#", padded(submission)))
}

pub(super) fn review(
    application: Id<Application>,
    submission: Id<Submission>,
    review: Id<Review>,
) -> Key {
    let (pk, prefix) = reviews_of(application, submission);
    Key::new(pk, format!("{prefix}{}", padded(review)))
}

pub(super) fn own_review(person: Id<Person>, review: Id<Review>) -> Key {
    Key::new(own(person), format!("REVIEW#{}", padded(review)))
}

pub(super) fn history(application: Id<Application>) -> String {
    format!("HISTORY#{}", padded(application))
}

pub(super) fn history_prefix(submission: Id<Submission>) -> String {
    format!("{}#", padded(submission))
}

pub(super) fn history_item(
    application: Id<Application>,
    submission: Id<Submission>,
    change: Id<DecisionChange>,
) -> Key {
    Key::new(
        history(application),
        format!("{}{}", history_prefix(submission), padded(change)),
    )
}

// Mail

pub(super) fn outbox(about: u64, sequence: u64, kind: MailKind, attempt: u32) -> Key {
    Key::new(
        format!("OUTBOX#{}", padded(about)),
        format!("{}#{}#{attempt:06}", padded(sequence), kind.name()),
    )
}

pub(super) fn mail_outage() -> Key {
    Key::new("MAILS".into(), "OUTAGE".into())
}

pub(super) fn mail_turns() -> Key {
    Key::new("MAILS".into(), "TURNS".into())
}

/// Returns the key of the lease of a mail. It is in the same partition as the mail.
pub(super) fn mail_lease(
    about: u64,
    sequence: u64,
    kind: MailKind,
    attempt: u32,
    turn: u32,
) -> Key {
    let Key { pk, sk } = outbox(about, sequence, kind, attempt);
    Key::new(pk, format!("{sk}#LEASE#{turn:06}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_events_stand_in_the_order_of_time_and_are_few() {
        let times = [
            "0001-01-01T00:00:00Z",
            "2019-12-31T23:59:59Z",
            "2020-01-01T00:00:00Z",
            "2026-11-21T09:00:00Z",
            "2040-12-31T23:59:59Z",
        ];
        let parts: Vec<String> = times
            .iter()
            .chain(&["2041-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
            .map(|time| events(time))
            .collect();
        assert!(parts.is_sorted(), "{parts:?}");
        assert_eq!((&parts[0], &parts[5]), (&parts[1], &parts[6]));
        assert_eq!(parts[3], "EVENTS#2026-11");
    }

    #[test]
    fn one_application_is_one_range_and_nothing_else() {
        let club = || ClubCode::parse("a").unwrap();
        let (from, to) = application_range(Id::new(7));
        let inside = [
            application(&club(), Id::new(7)),
            question(&club(), Id::new(7), Id::new(1)),
            question(&club(), Id::new(7), Id::new(crate::ids::MAX_ID)),
        ];
        assert!(inside.iter().all(|key| (&from..=&to).contains(&&key.sk)));
        let outside = [
            application(&club(), Id::new(8)),
            application(&club(), Id::new(6)),
            question(&club(), Id::new(8), Id::new(1)),
            question(&club(), Id::new(6), Id::new(9)),
        ];
        assert!(outside.iter().all(|key| !(&from..=&to).contains(&&key.sk)));
    }
}
