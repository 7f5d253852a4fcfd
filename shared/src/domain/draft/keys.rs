//! The keys of drafts in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::person::keys::own;
use crate::domain::submission::keys::SUBMISSION_PARTS;
use crate::ids::{Id, of};

/// Returns the id of a committee, or zeros if there is none. No id is 0.
fn committee_or_none(committee: Option<Id<of::Committee>>) -> String {
    padded(committee.map_or(0, u64::from))
}

/// The prefix of answers of drafts in the index. Only erasures and exports read them.
const OWN_ANSWERS: &str = "ANSWER#";

/// The prefix of drafts in the index.
pub(crate) const OWN_DRAFTS: &str = "DRAFT#";

pub(crate) fn own_answer(
    person: Id<of::Person>,
    application: Id<of::Application>,
    committee: Option<Id<of::Committee>>,
    question: Id<of::Question>,
) -> Key {
    let (application, committee) = (padded(application), committee_or_none(committee));
    let question = padded(question);
    Key::new(
        own(person),
        format!("{OWN_ANSWERS}{application}#{committee}#{question}"),
    )
}

pub(crate) fn own_draft(
    person: Id<of::Person>,
    application: Id<of::Application>,
    committee: Option<Id<of::Committee>>,
) -> Key {
    let (application, committee) = (padded(application), committee_or_none(committee));
    Key::new(
        own(person),
        format!("{OWN_DRAFTS}{application}#{committee}"),
    )
}

/// Returns one of the [`SUBMISSION_PARTS`] partitions for the drafts of an application.
pub(crate) fn drafts(application: Id<of::Application>, part: u64) -> String {
    format!("DRAFTS#{}#{part}", padded(application))
}

/// Returns the partition of all drafts of a person, and what their sort keys begin with.
pub(crate) fn drafts_of(
    application: Id<of::Application>,
    person: Id<of::Person>,
) -> (String, String) {
    (
        drafts(application, person.get() % SUBMISSION_PARTS),
        format!("{}#", padded(person)),
    )
}

pub(crate) fn draft_answer(
    application: Id<of::Application>,
    person: Id<of::Person>,
    committee: Option<Id<of::Committee>>,
    question: Id<of::Question>,
) -> Key {
    let (pk, prefix) = drafts_of(application, person);
    let committee = committee_or_none(committee);
    Key::new(pk, format!("{prefix}{committee}#{}", padded(question)))
}

/// Returns the application in the sort key of a draft in the index.
pub(crate) fn application_of_draft(index_sort_key: &str) -> Option<Id<of::Application>> {
    let (id, _) = index_sort_key.strip_prefix(OWN_DRAFTS)?.split_once('#')?;
    Some(Id::new(id.parse().ok()?))
}

/// Returns the partition of the drafts of an application that were begun.
pub(crate) fn begun_drafts(application: Id<of::Application>) -> String {
    format!("BEGUN#{}", padded(application))
}

pub(crate) fn begun_draft(
    application: Id<of::Application>,
    person: Id<of::Person>,
    committee: Option<Id<of::Committee>>,
) -> Key {
    let committee = committee_or_none(committee);
    Key::new(
        begun_drafts(application),
        format!("{}#{committee}", padded(person)),
    )
}
