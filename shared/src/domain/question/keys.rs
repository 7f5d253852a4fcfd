//! The keys of the table that belong to this thing.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::application::keys::applications;
use crate::domain::application::model::Application;
use crate::domain::question::model::Question;
use crate::ids::Id;
use crate::text::ClubCode;

pub(crate) fn question(
    club: &ClubCode,
    application: Id<Application>,
    question: Id<Question>,
) -> Key {
    Key::new(
        applications(club),
        format!("{}#QUESTION#{}", padded(application), padded(question)),
    )
}

pub(crate) fn prompts(application: Id<Application>) -> String {
    format!("PROMPTS#{}", padded(application))
}

pub(crate) fn prompt(application: Id<Application>, question: Id<Question>, version: u32) -> Key {
    Key::new(
        prompts(application),
        format!("{}#{version:06}", padded(question)),
    )
}
