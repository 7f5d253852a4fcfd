//! Changes of a profile, with the copies of it that lists need: in memberships, submissions,
//! requests, subscriptions and extensions.

use crate::db::error::ignore_refusal;
use crate::db::parts::parts;
use crate::db::read::Range;
use crate::db::response::AnyItem as _;
use crate::db::{Entity as _, JsonText, Refusal, Table, TableError, Write, each};
use crate::domain::bookmark::model::Subscription;
use crate::domain::extension::model::Extension;
use crate::domain::member::model::Membership;
use crate::domain::notice::people::news_switched_on;
use crate::domain::person::model::Person;
use crate::domain::reference::store::count_profile;
use crate::domain::request::model::MembershipRequest;
use crate::domain::submission::model::Submission;
use crate::domain::{bookmark, person};
use crate::time::Timestamp;

/// Which half of a profile was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ProfileHalf {
    /// The claims from the person's token.
    Claims,
    /// The settings that the person edits.
    Settings,
}

parts! {
    Person => (CLAIMS, SETTINGS) {
        id: (Kept, Kept),
        personal: (Written, Kept),
        former_emails: (Written, Kept),
        token_issued_at: (Written, Kept),
        graduation_year: (Kept, Written),
        school: (Kept, Written),
        major: (Kept, Written),
        image_url: (Kept, Written),
        subject: (Kept, Kept),
        clubs_created: (Kept, Kept),
        clubs_owned: (Kept, Kept),
        created_at: (Kept, Kept),
        erasing: (Kept, Kept),
        calendar: (Kept, Kept),
        notices: (Kept, Written),
        signed_in_on: (Kept, Kept),
        admin_seen: (Kept, Kept),
        settings_version: (Kept, Written),
        undelivered: (Removed, Removed),
    } and {
        TYPE: (Kept, Kept),
        GSI1PK: (Written, Kept),
        GSI1SK: (Written, Kept),
    }
}

impl Table {
    /// Stores changed claims from a token.
    ///
    /// Copies are updated first. If the request stops after that, the profile still differs from
    /// the token, and the next request does the update again. If somebody else changed the claims
    /// after `old` was read, their version is kept. Refused as [`Refusal::Erased`] if they are
    /// being erased.
    pub async fn update_claims(&self, old: &Person, person: &Person) -> Result<(), TableError> {
        Box::pin(self.refresh_copies(person, ProfileHalf::Claims)).await?;
        let profile = Write::update(person.key())
            .parts(person, &CLAIMS)?
            .if_equals("personal", &old.personal)
            .if_equals("created_at", &old.created_at)
            .if_equals("erasing", &false);
        let (before, now) = (old.entry_keys(), person.entry_keys());
        let removed = before.difference(&now).cloned().map(Write::delete);
        let stored = match self
            .transact(
                std::iter::once(profile)
                    .chain(removed)
                    .chain(person.entry_puts()?)
                    .collect(),
            )
            .await
        {
            Err(TableError::Refused(_)) => self.person(person.id).await?,
            done => done.map(|()| Some(person.clone()))?,
        };
        let Some(stored) = stored.filter(|stored| !stored.erasing) else {
            return Err(TableError::Refused(Refusal::Erased));
        };
        // Update the copies again: some may have been made from the old profile in the meantime.
        Box::pin(self.refresh_copies(&stored, ProfileHalf::Claims)).await
    }

    /// Stores the settings of a person, after the copies of them. If the request stops in between,
    /// the person's next attempt does the update again.
    ///
    /// Refused if the person no longer exists or is being erased, if the settings changed after
    /// `old` was read, or if a school or major was deleted.
    pub async fn update_settings(
        &self,
        old: &Person,
        new: &Person,
        now: Timestamp,
    ) -> Result<(), TableError> {
        Box::pin(self.refresh_copies(new, ProfileHalf::Settings)).await?;
        let new = &Person {
            settings_version: old.settings_version + 1,
            ..new.clone()
        };
        let write = Write::update(new.key())
            .parts(new, &SETTINGS)?
            .if_absent_or_equals("settings_version", &old.settings_version)
            .if_equals("created_at", &old.created_at)
            .if_equals("erasing", &false);
        let mut others = count_profile(old.uses(), new.uses());
        others.extend(news_switched_on(old, new, now)?);
        let done = self
            .transact(std::iter::once(write).chain(others).collect())
            .await;
        if let Err(TableError::Refused(_)) = &done
            && let Some(theirs) = self.person(new.id).await?
        {
            Box::pin(self.refresh_copies(&theirs, ProfileHalf::Settings)).await?;
        }
        done
    }

    /// Updates the copies of one half of a profile. The other half is not changed: a request that
    /// writes it at the same time also updates its copies.
    async fn refresh_copies(&self, person: &Person, copied: ProfileHalf) -> Result<(), TableError> {
        let personal = &person.personal;
        let subscriptions = Range::Prefix(bookmark::keys::SUBSCRIPTIONS.into());
        let own = person::keys::own(person.id);
        let (items, subscriptions) = futures::try_join!(
            self.index_items(own.clone(), Range::All),
            self.items(own, subscriptions)
        )?;
        let writes = items.into_iter().chain(subscriptions).filter_map(|item| {
            let write = Write::update(item.key());
            let item = item.into_item().ok()?;
            let write = match (item.kind(), copied) {
                (Membership::TYPE, ProfileHalf::Claims) => {
                    write.set("personal", &JsonText(personal))
                }
                (Membership::TYPE, ProfileHalf::Settings) => {
                    write.set("image_url", &person.image_url)
                }
                (
                    Submission::TYPE | MembershipRequest::TYPE | Subscription::TYPE,
                    ProfileHalf::Claims,
                ) => write.set("applicant.personal", personal),
                (
                    Submission::TYPE | MembershipRequest::TYPE | Subscription::TYPE,
                    ProfileHalf::Settings,
                ) => {
                    let write = write.set("applicant.graduation_year", &person.graduation_year);
                    write
                        .set("applicant.school", &person.school)
                        .set("applicant.major", &person.major)
                }
                (Extension::TYPE, ProfileHalf::Claims) => write.set("username", &personal.username),
                _ => return None,
            };
            if write.is_done_in(Some(&item)) {
                return None;
            }
            // If a copy changed in the meantime, or no longer belongs to the person, it stays
            // unchanged.
            let write = write.if_as_in(&item).if_equals("person", &person.id);
            Some(match item.kind() {
                Membership::TYPE => write.add("version", 1).by_actor(),
                Extension::TYPE => write.add("version", 1),
                _ => write,
            })
        });
        // A copy that was removed in the meantime needs no update.
        each(writes, async |write| {
            ignore_refusal(self.write(write).await)
        })
        .await
    }
}
