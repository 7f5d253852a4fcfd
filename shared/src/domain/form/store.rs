//! Forms: applications read together with their questions and texts.

use std::collections::{BTreeSet, HashMap};

use futures::stream;
use futures::stream::{StreamExt as _, TryStreamExt as _};

use crate::db::error::check_memory_budget;
use crate::db::read::{Fetch, Range};
use crate::db::response::{AnyItem as _, Stored, readable};
use crate::db::{Entity, Table, TableError};
use crate::domain::application::model::{Application, ApplicationTexts};
use crate::domain::extension::model::Extension;
use crate::domain::form::model::{Form, WholeForm};
use crate::domain::question::model::Question;
use crate::domain::{application, extension, person};
use crate::ids::{Id, of};
use crate::text::ClubCode;

fn forms(items: Vec<Stored>) -> Vec<WholeForm> {
    let mut all: Vec<WholeForm> = Vec::new();
    // Items are sorted by key: each application comes before its questions and its texts.
    for item in items {
        match (item.kind(), all.last_mut()) {
            (Application::TYPE, _) => {
                let found = readable::<Application>([item]).into_iter();
                all.extend(found.map(|application| WholeForm {
                    texts: ApplicationTexts::none(application.club.clone(), application.id),
                    form: Form {
                        application,
                        questions: vec![],
                    },
                }));
            }
            (ApplicationTexts::TYPE, Some(WholeForm { form, texts })) => {
                let found = readable::<ApplicationTexts>([item]).into_iter();
                let mut own = found.filter(|found| found.application == form.application.id);
                if let Some(found) = own.next() {
                    *texts = found;
                }
            }
            (_, Some(WholeForm { form, .. })) => {
                let of_form = |question: &Question| question.application == form.application.id;
                let found = readable([item]).into_iter().filter(of_form);
                form.questions.extend(found);
            }
            (_, None) => {}
        }
    }
    all.retain(|whole| whole.form.application.deleted != Some(true));
    for WholeForm { form, .. } in &mut all {
        form.settle();
        form.questions
            .sort_by_key(|question| (question.precedence, question.id));
    }
    all
}

impl Table {
    /// Returns all applications of a club with their questions and texts, in the order of creation:
    /// 1 query. Fails with [`TableError::TooMuch`] if they are larger than the memory limit.
    pub async fn whole_forms(&self, club: &ClubCode) -> Result<Vec<WholeForm>, TableError> {
        let (mut found, mut memory_used) = (Vec::new(), 0);
        let take = |page: Vec<Stored>| {
            // As they were answered, and as they are read.
            memory_used += 2 * page.iter().map(Stored::size).sum::<usize>();
            found.extend(page);
            check_memory_budget(memory_used).map(|()| true)
        };
        self.each_page(
            false,
            application::keys::applications(club),
            Range::All,
            Fetch::Items,
            take,
        )
        .await?;
        Ok(forms(found))
    }

    /// Returns one application with its questions and texts: 1 query. Waits as
    /// [`Table::application`].
    pub async fn whole_form(
        &self,
        club: &ClubCode,
        application: Id<of::Application>,
    ) -> Result<Option<WholeForm>, TableError> {
        let (from, to) = application::keys::application_range(application);
        let range = Range::Between(from, to);
        self.decided_form(club, range).await
    }

    /// Returns one application with its questions: 1 query, whose price does not depend on the
    /// texts. Waits as [`Table::application`].
    pub async fn form(
        &self,
        club: &ClubCode,
        application: Id<of::Application>,
    ) -> Result<Option<Form>, TableError> {
        let (from, to) = application::keys::form_range(application);
        let range = Range::Between(from, to);
        let found = self.decided_form(club, range).await?;
        Ok(found.map(|whole| whole.form))
    }

    /// Returns the form in a range. While it is not decided whether its application is deleted
    /// (X14), it waits for that.
    async fn decided_form(
        &self,
        club: &ClubCode,
        range: Range,
    ) -> Result<Option<WholeForm>, TableError> {
        let mut retries = self.retries();
        loop {
            retries.next().await?;
            let items = self.items(application::keys::applications(club), range.clone());
            let found = forms(items.await?).pop();
            let is_undecided = |whole: &WholeForm| whole.form.application.may_be_deleted();
            if !found.as_ref().is_some_and(is_undecided) {
                return Ok(found);
            }
        }
    }

    /// Returns the extensions of a person, the latest applications first: 1 query of the index and
    /// 1 batch read. At most [`EXTENSIONS_READ`]; more than that nobody has.
    pub async fn own_extensions(
        &self,
        person: Id<of::Person>,
    ) -> Result<Vec<Extension>, TableError> {
        let range = Range::Prefix(extension::keys::OWN_EXTENSIONS.into());
        let entries = self.index_entries(person::keys::own(person), range).await?;
        let latest = entries.iter().rev().take(EXTENSIONS_READ).map(Stored::key);
        Ok(self.get_many(latest.collect()).await?.into_entities())
    }

    /// Returns these applications of a club with their questions and texts, in the order of
    /// creation: 1 query for each. Fails with [`TableError::TooMuch`] if they are larger than the
    /// memory limit.
    pub async fn whole_forms_of(
        &self,
        club: &ClubCode,
        applications: &BTreeSet<Id<of::Application>>,
    ) -> Result<Vec<WholeForm>, TableError> {
        let (mut all, mut memory_used) = (Vec::new(), 0);
        let forms: Vec<_> = applications
            .iter()
            .map(|id| self.whole_form(club, *id))
            .collect();
        let mut read = stream::iter(forms).buffered(AT_ONCE);
        while let Some(whole) = read.try_next().await? {
            memory_used += whole.as_ref().map_or(0, WholeForm::size);
            check_memory_budget(memory_used)?;
            all.extend(whole);
        }
        Ok(all)
    }

    /// Returns applications of any clubs; those that are gone are left out: 1 batch read per 100.
    pub async fn applications_by_id(
        &self,
        requested: impl Iterator<Item = (ClubCode, Id<of::Application>)>,
    ) -> Result<HashMap<Id<of::Application>, Application>, TableError> {
        let keys = requested.map(|(club, id)| application::keys::application(&club, id));
        let mut found: Vec<Application> = self.get_many(keys.collect()).await?.into_entities();
        found.retain(|application| application.deleted != Some(true));
        Ok(found.into_iter().map(|found| (found.id, found)).collect())
    }
}

/// So many forms are read at the same time.
const AT_ONCE: usize = 4;
/// Number of extensions of a person that are read at once.
pub(crate) const EXTENSIONS_READ: usize = 100;
