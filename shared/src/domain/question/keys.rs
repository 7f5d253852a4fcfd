//! The keys of questions and prompts in the table.

use crate::db::Key;
use crate::db::keys::padded;
use crate::domain::application::keys::applications;
use crate::ids::{Id, of};
use crate::text::ClubCode;

pub(crate) fn question(
    club: &ClubCode,
    application: Id<of::Application>,
    question: Id<of::Question>,
) -> Key {
    Key::new(
        applications(club),
        format!("{}#QUESTION#{}", padded(application), padded(question)),
    )
}

pub(crate) fn prompts(application: Id<of::Application>) -> String {
    format!("PROMPTS#{}", padded(application))
}

pub(crate) fn prompt(
    application: Id<of::Application>,
    question: Id<of::Question>,
    version: u32,
) -> Key {
    Key::new(
        prompts(application),
        format!("{}#{version:06}", padded(question)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::application::keys::{application, application_range};

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
