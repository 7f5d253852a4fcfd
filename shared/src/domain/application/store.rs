//! Applications with their committees, questions and prompts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::TimeDelta;

use crate::db::answer::{AnyItem as _, Stored, readable};
use crate::db::error::ignore_refusal;
use crate::db::read::Range;
use crate::db::{Entity, Refusal, Retries, Table, TableError, Write};
use crate::domain::application::model::{Application, ApplicationTexts};
use crate::domain::catalogue::versions::moved;
use crate::domain::club::model::{Club, Window};
use crate::domain::extension::model::Extension;
use crate::domain::form::model::{Form, WholeForm};
use crate::domain::keys;
use crate::domain::keys::Key;
use crate::domain::person::model::Person;
use crate::domain::question::model::{Prompt, Question};
use crate::domain::submission::model::{Submission, Withdrawal};
use crate::domain::tombstones::{DeletedApplication, Gone};
use crate::ids::Id;
use crate::text::ClubCode;
use crate::time::Timestamp;

impl Entity for Application {
    const TYPE: &'static str = "Application";

    fn key(&self) -> Key {
        keys::application(&self.club, self.id)
    }
}

impl Entity for ApplicationTexts {
    const TYPE: &'static str = "ApplicationTexts";

    fn key(&self) -> Key {
        keys::application_texts(&self.club, self.application)
    }
}

impl Entity for Question {
    const TYPE: &'static str = "Question";

    fn key(&self) -> Key {
        keys::question(&self.club, self.application, self.id)
    }
}

impl Entity for Prompt {
    const TYPE: &'static str = "Prompt";

    fn key(&self) -> Key {
        keys::prompt(self.application, self.question, self.version)
    }
}

/// Number of extensions of a person that are read at once.
const EXTENSIONS_READ: usize = 100;

/// How many applications a club may have.
#[derive(Debug, Clone, Copy)]
pub struct ApplicationQuota {
    /// Number of those that have not ended.
    pub open: usize,
    /// Number of all.
    pub all: i64,
}

/// Returns the windows of a club with that of an application, without those that ended long ago.
fn windows_with(
    windows: &BTreeMap<String, Window>,
    application: &Application,
    now: Timestamp,
) -> BTreeMap<String, Window> {
    let mut windows = windows.clone();
    let id = application.id.to_string();
    if application.deleted.is_none() {
        windows.insert(id, application.window());
    } else {
        windows.remove(&id);
    }
    let mut ended: Vec<(Timestamp, String)> = windows
        .iter()
        .filter(|(_, window)| window.end < now)
        .map(|(id, window)| (window.end, id.clone()))
        .collect();
    ended.sort_by(|a, b| b.cmp(a));
    let oldest = now.plus(-TimeDelta::days(Window::KEPT_DAYS));
    let is_late =
        |(n, (end, _)): &(usize, &(Timestamp, String))| *n >= Window::KEPT || *end < oldest;
    for (_, (_, id)) in ended.iter().enumerate().filter(is_late) {
        windows.remove(id);
    }
    windows
}

/// Returns how many of these windows have not ended.
fn not_ended(windows: &BTreeMap<String, Window>, now: Timestamp) -> usize {
    windows.values().filter(|window| window.end >= now).count()
}

/// Returns whether a club would have more applications than the quota allows with this one.
fn exceeds(
    quota: Option<ApplicationQuota>,
    club: &Club,
    application: &Application,
    is_new: bool,
) -> bool {
    let windows = windows_with(&club.windows, application, application.updated_at);
    let is_counted = |windows: &BTreeMap<String, Window>| {
        let window = windows.get(&application.id.to_string());
        window.is_some_and(|window| window.end >= application.updated_at)
    };
    let is_one_more = is_counted(&windows) && !is_counted(&club.windows);
    quota.is_some_and(|quota| {
        is_one_more && not_ended(&windows, application.updated_at) > quota.open
            || is_new && club.applications >= quota.all
    })
}

/// Number of questions in one transaction. Each has two items, and DynamoDB allows 100 items and 4
/// MB, of which 50 options of full length are 50 KB.
const QUESTIONS_AT_ONCE: usize = 20;

/// The data that is needed to show a person's own submissions.
#[derive(Debug, Default)]
pub struct ApplicationParts {
    /// Applications by id. Deleted ones are missing.
    pub applications: HashMap<Id<Application>, Application>,
    /// Prompts by question id and version.
    pub prompts: HashMap<(Id<Question>, u32), Prompt>,
}

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
    all.retain(|whole| whole.form.application.deleted.is_none());
    for WholeForm { form, .. } in &mut all {
        form.settle_committees();
        form.questions
            .sort_by_key(|question| (question.precedence, question.id));
    }
    all
}

/// Says in the application that its questions change, for those who keep them in memory.
fn questions_changed(club: &ClubCode, application: Id<Application>, now: Timestamp) -> Write {
    Write::update(keys::application(club, application))
        .add("version", 1)
        .set("questions_changed_at", &now)
        .if_exists()
        .if_none("deleted")
}

impl Table {
    /// Returns all applications of a club with their questions and texts, in the order of creation:
    /// 1 query.
    pub async fn whole_forms(&self, club: &ClubCode) -> Result<Vec<WholeForm>, TableError> {
        Ok(forms(
            self.items(keys::applications(club), Range::All).await?,
        ))
    }

    /// Returns one application with its questions and texts: 1 query.
    pub async fn whole_form(
        &self,
        club: &ClubCode,
        application: Id<Application>,
    ) -> Result<Option<WholeForm>, TableError> {
        let (from, to) = keys::application_range(application);
        let range = Range::Between(from, to);
        Ok(forms(self.items(keys::applications(club), range).await?).pop())
    }

    /// Returns one application with its questions: 1 query, whose price does not depend on the
    /// texts.
    pub async fn form(
        &self,
        club: &ClubCode,
        application: Id<Application>,
    ) -> Result<Option<Form>, TableError> {
        let (from, to) = keys::form_range(application);
        let range = Range::Between(from, to);
        let found = forms(self.items(keys::applications(club), range).await?).pop();
        Ok(found.map(|whole| whole.form))
    }

    /// Returns the texts of an application: 1 read.
    pub async fn application_texts(
        &self,
        club: &ClubCode,
        application: Id<Application>,
    ) -> Result<ApplicationTexts, TableError> {
        let found = self.get(keys::application_texts(club, application)).await?;
        Ok(found.unwrap_or_else(|| ApplicationTexts::none(club.clone(), application)))
    }

    /// Returns one application without its questions: 1 read.
    pub async fn application(
        &self,
        club: &ClubCode,
        application: Id<Application>,
    ) -> Result<Option<Application>, TableError> {
        let found: Option<Application> = self.get(keys::application(club, application)).await?;
        Ok(found.filter(|application| application.deleted.is_none()))
    }

    /// Returns one application, deleted or not: 1 read. For continuing a deletion.
    pub async fn application_even_deleted(
        &self,
        club: &ClubCode,
        application: Id<Application>,
    ) -> Result<Option<Application>, TableError> {
        self.get(keys::application(club, application)).await
    }

    /// Returns these versions of prompts of an application: 1 batch read per 100.
    pub async fn prompts(
        &self,
        application: Id<Application>,
        versions: &HashSet<(Id<Question>, u32)>,
    ) -> Result<HashMap<(Id<Question>, u32), Prompt>, TableError> {
        let wanted = versions
            .iter()
            .map(|(question, version)| keys::prompt(application, *question, *version));
        let prompts: Vec<Prompt> = self.get_many(wanted.collect()).await?.into_entities();
        Ok(prompts
            .into_iter()
            .map(|prompt| ((prompt.question, prompt.version), prompt))
            .collect())
    }

    /// Returns whether one of these questions was in an application once: 1 batch read. The first
    /// version of each prompt stays when its question is deleted.
    pub async fn had_questions(
        &self,
        application: Id<Application>,
        questions: &HashSet<Id<Question>>,
    ) -> Result<bool, TableError> {
        let first = questions.iter().map(|id| keys::prompt(application, *id, 1));
        let found = self.get_many(first.collect()).await?;
        Ok(!found.is_empty())
    }

    /// Returns the applications and prompts that submissions refer to, from any club: 1 batch read per
    /// 100 items.
    pub async fn parts_of<'a>(
        &self,
        submissions: impl Iterator<Item = &'a Submission>,
    ) -> Result<ApplicationParts, TableError> {
        let (mut heads, mut prompts) = (HashMap::new(), HashMap::new());
        for submission in submissions {
            let application = submission.application;
            heads.insert(
                application,
                keys::application(&submission.club, application),
            );
            for answer in submission.answers.read() {
                let id = (answer.question, answer.version);
                prompts.insert(
                    id,
                    keys::prompt(application, answer.question, answer.version),
                );
            }
        }
        let mut found = self
            .get_many(heads.values().chain(prompts.values()).cloned().collect())
            .await?;
        let mut parts = ApplicationParts::default();
        for (id, key) in heads {
            if let Some(application) = found
                .take::<Application>(&key)?
                .filter(|application| application.deleted.is_none())
            {
                parts.applications.insert(id, application);
            }
        }
        for (id, key) in prompts {
            if let Some(prompt) = found.take(&key)? {
                parts.prompts.insert(id, prompt);
            }
        }
        Ok(parts)
    }

    /// Stores a new application with its questions, if there are any, and updates the catalogue.
    pub async fn create_application(
        &self,
        WholeForm { form, texts }: &WholeForm,
        quota: Option<ApplicationQuota>,
    ) -> Result<(), TableError> {
        let head = &form.application;
        if !form.questions.is_empty() {
            let stored = self.application_even_deleted(&head.club, head.id);
            let (stored, club) = futures::try_join!(stored, self.club(&head.club))?;
            if stored.is_some() {
                // An earlier attempt stored it, and it may have been changed since then.
                return Err(TableError::Refused(Refusal::Exists));
            }
            if club.is_some_and(|club| exceeds(quota, &club, head, true)) {
                return Err(TableError::Refused(Refusal::Quota));
            }
        }
        // Store the questions first: the application must not be visible before it is complete. A
        // refusal means that an earlier attempt with the same idempotency key stored them.
        for questions in form.questions.chunks(QUESTIONS_AT_ONCE) {
            let mut writes = Vec::new();
            for question in questions {
                writes.push(Write::put(question)?.if_new());
                writes.push(Write::put(&question.prompt)?.if_new());
            }
            ignore_refusal(self.transact(writes).await)?;
        }
        let mut writes = vec![Write::put(head)?.if_new()];
        if texts.version > 0 {
            writes.push(Write::put(texts)?.if_new());
        }
        if !form.questions.is_empty() {
            // `clubs-admin repair` may have deleted the questions, because it saw no application.
            writes.push(Write::check(keys::deleted_application(head.id)).if_new());
        }
        self.store_application(writes, head, quota, true).await
    }

    /// Replaces an application, and its texts if they changed: as they were read, and as they are
    /// now. Refused if the application or its texts no longer have the version that was read. Both
    /// are checked, because a reader beside a transaction may get the new one of the two only.
    pub async fn update_application(
        &self,
        application: &Application,
        read_version: u64,
        texts: Option<(&ApplicationTexts, &ApplicationTexts)>,
        quota: Option<ApplicationQuota>,
    ) -> Result<(), TableError> {
        let mut writes = vec![Write::put(application)?.if_equals("version", &read_version)];
        if let Some((read, new)) = texts {
            let write = Write::put(new)?;
            writes.push(match read.version {
                0 => write.if_new(),
                version => write.if_equals("version", &version),
            });
        }
        self.store_application(writes, application, quota, false)
            .await
    }

    /// Writes an application together with what its club knows of it: its window, and for a new one
    /// the number of applications. Refused as [`Refusal::Quota`] if the club would have more than
    /// the quota allows.
    async fn store_application(
        &self,
        writes: Vec<Write>,
        application: &Application,
        quota: Option<ApplicationQuota>,
        is_new: bool,
    ) -> Result<(), TableError> {
        let code = &application.club;
        let part = keys::clubs(keys::club_part(code));
        let mut retries = Retries::default();
        loop {
            retries.next().await?;
            let club = self.club(code).await?;
            let club = club.ok_or(TableError::Refused(Refusal::Changed))?;
            if exceeds(quota, &club, application, is_new) {
                return Err(TableError::Refused(Refusal::Quota));
            }
            let windows = windows_with(&club.windows, application, application.updated_at);
            let mut change = Write::update(keys::club(code))
                .set("windows", &windows)
                .counted()
                .if_equals("windows", &club.windows)
                .or(Refusal::Superseded);
            if is_new {
                change = change.count("applications", 1);
                if let Some(quota) = quota {
                    change = change.if_absent_or_below("applications", &quota.all);
                }
            }
            let all = writes
                .iter()
                .cloned()
                .chain([change, moved([part.clone()])]);
            match self.transact(all.collect()).await {
                // Another application of the club was changed at the same moment.
                Err(TableError::Refused(Refusal::Superseded)) => {}
                done => return done,
            }
        }
    }

    /// Removes an application that is marked as deleted, with everything that belongs to it.
    /// Submissions are removed only if `forced`. `when` is the order number of the deletion and its
    /// time. Can be repeated if it was interrupted.
    pub async fn remove_application(
        &self,
        application: &Application,
        forced: bool,
        when: (u64, Timestamp),
    ) -> Result<(), TableError> {
        let id = application.id;
        let (from, to) = keys::application_range(id);
        let mut partitions = vec![
            (
                keys::applications(&application.club),
                Range::Between(from, to),
            ),
            (keys::prompts(id), Range::All),
            (keys::extensions(id), Range::All),
            (keys::reviews(id), Range::All),
        ];
        let drafts =
            (0..keys::SUBMISSION_PARTS).map(|part| self.keys(keys::drafts(id, part), Range::All));
        let drafts = futures::future::try_join_all(drafts).await?;
        self.bury(drafts.into_iter().flatten().collect(), when)
            .await?;
        if !forced {
            // A submission that is stored at this moment stays.
            let gone = self.withdrawals(id).await?;
            let gone = gone.iter().map(async |withdrawal| {
                let gone = Write::put(&Gone::new(withdrawal.key(), when))?;
                let gone = gone.if_equals(keys::TYPE, &Withdrawal::TYPE);
                ignore_refusal(self.write(gone).await)
            });
            futures::future::try_join_all(gone).await?;
        }
        if forced {
            // Decisions and reviews are written together with their submission. So they are looked
            // for after it is gone.
            let submissions = (0..keys::SUBMISSION_PARTS)
                .map(|part| self.keys(keys::submissions(id, part), Range::All));
            let found = futures::future::try_join_all(submissions).await?;
            self.bury(found.into_iter().flatten().collect(), when)
                .await?;
            partitions.push((keys::history(id), Range::All));
        }
        let found = futures::future::try_join_all(
            partitions
                .into_iter()
                .map(|(pk, range)| self.keys(pk, range)),
        )
        .await?;
        let head = application.key();
        self.delete_many(
            found
                .into_iter()
                .flatten()
                .filter(|key| *key != head)
                .collect(),
        )
        .await?;
        // Delete the application itself last: until then, the deletion can be continued.
        let deleted = DeletedApplication {
            application: id,
            club: application.club.clone(),
            at: when.1,
        };
        let club = Write::update(keys::club(&application.club)).count("applications", -1);
        let removal = self.transact(vec![
            Write::delete(head).if_exists(),
            Write::put(&deleted)?,
            club.if_exists(),
        ]);
        ignore_refusal(removal.await)
    }

    /// Stores a question, and its prompt if that is new. Refused if the question changed after
    /// `read` was read, or if the application was deleted. `read` is `None` for a new question.
    pub async fn put_question(
        &self,
        question: &Question,
        read: Option<&Question>,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let write = Write::put(question)?;
        let mut writes = vec![
            match read {
                None => write.if_new(),
                Some(read) => write.if_equals("version", &read.version),
            },
            questions_changed(&question.club, question.application, now),
        ];
        if read.is_none_or(|read| read.prompt.version != question.prompt.version) {
            writes.push(Write::put(&question.prompt)?.if_new());
        }
        self.transact(writes).await
    }

    /// Stores the order of questions, all or nothing. Refused if the version of a question changed,
    /// or if the application was deleted.
    pub async fn order_questions(
        &self,
        application: &Application,
        questions: &[Question],
        now: Timestamp,
    ) -> Result<(), TableError> {
        let moved = questions.iter().map(|q| {
            Write::update(q.key())
                .set("precedence", &q.precedence)
                .add("version", 1)
                .if_equals("version", &q.version)
        });
        let form = questions_changed(&application.club, application.id, now);
        self.transact(moved.chain([form]).collect()).await
    }

    /// Deletes a question. Its prompts stay, because existing answers refer to them. Refused if its
    /// version changed, or if the application was deleted.
    pub async fn delete_question(
        &self,
        question: &Question,
        now: Timestamp,
    ) -> Result<(), TableError> {
        self.transact(vec![
            Write::delete(question.key()).if_equals("version", &question.version),
            questions_changed(&question.club, question.application, now),
        ])
        .await
    }

    /// Returns the extensions of a person, the latest applications first: 1 query of the index and
    /// 1 batch read. At most [`EXTENSIONS_READ`]; more than that nobody has.
    pub async fn own_extensions(&self, person: Id<Person>) -> Result<Vec<Extension>, TableError> {
        let range = Range::Prefix(keys::OWN_EXTENSIONS.into());
        let entries = self.index_entries(keys::own(person), range).await?;
        let latest = entries.iter().rev().take(EXTENSIONS_READ).map(Stored::key);
        Ok(self.get_many(latest.collect()).await?.into_entities())
    }

    /// Returns these applications of a club with their questions and texts, in the order of
    /// creation:
    /// 1 query for each.
    pub async fn whole_forms_of(
        &self,
        club: &ClubCode,
        applications: &BTreeSet<Id<Application>>,
    ) -> Result<Vec<WholeForm>, TableError> {
        let forms = applications.iter().map(|id| self.whole_form(club, *id));
        let found = futures::future::try_join_all(forms).await?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Returns applications of any clubs; those that are gone are left out: 1 batch read per 100.
    pub async fn applications_by_id(
        &self,
        wanted: impl Iterator<Item = (ClubCode, Id<Application>)>,
    ) -> Result<HashMap<Id<Application>, Application>, TableError> {
        let keys = wanted.map(|(club, id)| keys::application(&club, id));
        let mut found: Vec<Application> = self.get_many(keys.collect()).await?.into_entities();
        found.retain(|application| application.deleted.is_none());
        Ok(found.into_iter().map(|found| (found.id, found)).collect())
    }

    /// Returns a person's extensions of these applications, by application: 1 batch read per 100.
    pub async fn extensions_of(
        &self,
        person: Id<Person>,
        applications: &[Id<Application>],
    ) -> Result<HashMap<Id<Application>, Extension>, TableError> {
        let wanted: Vec<(Id<Application>, Key)> = applications
            .iter()
            .map(|id| (*id, Extension::key_of(*id, person)))
            .collect();
        let mut found = self
            .get_many(wanted.iter().map(|(_, key)| key.clone()).collect())
            .await?;
        let mut extensions = HashMap::new();
        for (id, key) in wanted {
            if let Some(extension) = found.take(&key)? {
                extensions.insert(id, extension);
            }
        }
        Ok(extensions)
    }
}
