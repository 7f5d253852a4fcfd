//! Slots: how they are stored and read. `interview/store.rs` books them.

use std::collections::{BTreeSet, HashMap};

use futures::future::try_join_all;

use crate::db::read::Range;
use crate::db::{Entity, Key, Refusal, Table, TableError, Write};
use crate::domain::application::model::Application;
use crate::domain::outbox::model::Mail;
use crate::domain::person::conditions::check_not_erasing;
use crate::domain::person::keys::own;
use crate::domain::slot::keys;
use crate::domain::slot::model::{OwnInterviews, Slot, SlotNote};
use crate::ids::{Id, of};
use crate::kind::Kind;
use crate::text::ClubCode;
use crate::time::Timestamp;

impl Entity for Slot {
    const KIND: Kind = Kind::Slot;

    fn key(&self) -> Key {
        keys::slot(self.application, self.id)
    }
}

impl Entity for SlotNote {
    const KIND: Kind = Kind::SlotNote;

    fn key(&self) -> Key {
        keys::slot_note(self.application, self.slot)
    }
}

impl Entity for OwnInterviews {
    const KIND: Kind = Kind::OwnInterviews;

    fn key(&self) -> Key {
        keys::own_interviews(self.person, self.application)
    }
}

/// Slots in one transaction. Each has an entry for the timer and may have a note, and DynamoDB
/// allows 100 writes; the others are for the interviewers and the application.
const SLOTS_AT_ONCE: usize = 26;

/// A change of a slot by an officer.
pub struct SlotChange<'a> {
    /// The slot as it was read.
    pub old: &'a Slot,
    /// The slot as it shall be. Its seats are not written.
    pub new: &'a Slot,
    /// The note, if it changes.
    pub note: Option<&'a str>,
    /// Mails to those who have booked it, if its time or place changes. There must be one for each.
    pub mails: &'a [Mail],
}

impl Slot {
    /// The write that does nothing if the application is as it was read, and else refuses.
    fn same_application(application: &Application) -> Write {
        Write::check(application.key())
            .if_equals("version", &application.version)
            .if_none("deleted")
            .or(Refusal::ReferenceDeleted)
    }

    fn note(&self, note: &str) -> SlotNote {
        SlotNote {
            application: self.application,
            slot: self.id,
            note: note.to_owned(),
        }
    }

    /// The writes by which the calendars of those who hold these interviews know of them. Refused
    /// as [`Refusal::Erased`] if one of these people is being erased.
    fn own_interview_entries<'a>(
        slots: impl IntoIterator<Item = &'a Self>,
    ) -> Result<Vec<Write>, TableError> {
        let mut own: Vec<(Key, OwnInterviews)> = Vec::new();
        for slot in slots {
            own.extend(slot.own_interviews().map(|own| (own.key(), own)));
        }
        own.sort_by(|(a, _), (b, _)| a.cmp(b));
        own.dedup_by(|(a, _), (b, _)| a == b);
        let people: BTreeSet<Id<of::Person>> = own
            .iter()
            .map(|(_, calendar_revision)| calendar_revision.person)
            .collect();
        let there = people.into_iter().map(check_not_erasing);
        let own_entries: Result<Vec<Write>, TableError> = own
            .iter()
            .map(|(_, calendar_revision)| Write::put(calendar_revision))
            .collect();
        Ok(there.chain(own_entries?).collect())
    }
}

/// In how many of the last applications other interviews of interviewers are looked for.
const OTHER_APPLICATIONS: usize = 20;

impl Table {
    /// Returns the slots of an application, the earliest first, without those that are being
    /// deleted: 1 query.
    pub async fn slots(&self, application: Id<of::Application>) -> Result<Vec<Slot>, TableError> {
        let mut slots = self.all_slots(application).await?;
        slots.retain(|slot| !slot.deleted);
        slots.sort_by_key(Slot::sort_key);
        Ok(slots)
    }

    /// Returns the slots of an application, in no particular order, also those that are being
    /// deleted: 1 query.
    pub async fn all_slots(
        &self,
        application: Id<of::Application>,
    ) -> Result<Vec<Slot>, TableError> {
        let range = Range::Prefix(keys::SLOTS.into());
        self.query(keys::slots(application), range).await
    }

    /// Returns the slots of a club's other applications in which these people perhaps hold
    /// interviews, of the last such applications: 1 query for each person and application.
    pub async fn slots_of_interviewers(
        &self,
        people: &[Id<of::Person>],
        club: &ClubCode,
        but: Id<of::Application>,
    ) -> Result<Vec<Slot>, TableError> {
        let lists = people.iter().map(async |person| {
            let range = Range::Prefix(keys::OWN_INTERVIEWS.into());
            self.query::<OwnInterviews>(own(*person), range).await
        });
        let mut applications: BTreeSet<Id<of::Application>> = BTreeSet::new();
        for own in try_join_all(lists).await? {
            let here = own
                .iter()
                .filter(|one| one.club == *club && one.application != but);
            applications.extend(here.map(|one| one.application));
        }
        let last = applications.into_iter().rev().take(OTHER_APPLICATIONS);
        let slots = last.map(|id| self.slots(id));
        Ok(try_join_all(slots).await?.into_iter().flatten().collect())
    }

    /// Returns the notes of the slots of an application: 1 query.
    pub async fn slot_notes(
        &self,
        application: Id<of::Application>,
    ) -> Result<HashMap<Id<of::Slot>, String>, TableError> {
        let range = Range::Prefix(keys::SLOT_NOTES.into());
        let notes: Vec<SlotNote> = self.query(keys::slots(application), range).await?;
        Ok(notes.into_iter().map(|one| (one.slot, one.note)).collect())
    }

    /// Returns a slot, also one that is being deleted: 1 read.
    pub async fn slot(
        &self,
        application: Id<of::Application>,
        slot: Id<of::Slot>,
    ) -> Result<Option<Slot>, TableError> {
        self.get(keys::slot(application, slot)).await
    }

    /// Returns the note of a slot: 1 read.
    pub async fn slot_note(
        &self,
        application: Id<of::Application>,
        slot: Id<of::Slot>,
    ) -> Result<String, TableError> {
        let found: Option<SlotNote> = self.get(keys::slot_note(application, slot)).await?;
        Ok(found.map(|found| found.note).unwrap_or_default())
    }

    /// Returns slots of any applications by their ids: 1 batch read per 100.
    pub async fn slots_by_id(
        &self,
        requested: impl IntoIterator<Item = (Id<of::Application>, Id<of::Slot>)>,
    ) -> Result<HashMap<Id<of::Slot>, Slot>, TableError> {
        let keys: Vec<Key> = requested
            .into_iter()
            .map(|(application, slot)| keys::slot(application, slot))
            .collect();
        let found = self.get_entities::<Slot>(keys).await?;
        Ok(found.into_values().map(|slot| (slot.id, slot)).collect())
    }

    /// Stores new slots with the same note, 26 in a transaction. Refused as
    /// [`Refusal::ReferenceDeleted`] if the application is not as it was read, as
    /// [`Refusal::Erased`] if an interviewer is being erased, and as [`Refusal::Exists`] if an
    /// earlier attempt stored them.
    pub async fn create_slots(
        &self,
        slots: &[Slot],
        note: &str,
        application: &Application,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let mut done = Ok(());
        for (n, chunk) in slots.chunks(SLOTS_AT_ONCE).enumerate() {
            let mut writes = vec![Slot::same_application(application)];
            for slot in chunk {
                writes.push(Write::create(slot)?.or(Refusal::Exists));
                if !note.is_empty() {
                    writes.push(Write::put(&slot.note(note))?);
                }
                if let Some(task) = slot.scheduled_task(now) {
                    writes.push(Write::put(&task)?);
                }
            }
            writes.extend(Slot::own_interview_entries(chunk)?);
            match self.transact(writes).await {
                // The rest may still be missing.
                Err(TableError::Refused(Refusal::Exists)) => {
                    done = Err(TableError::Refused(Refusal::Exists));
                }
                Err(error) if n > 0 => return Err(error.after_write()),
                stored => stored?,
            }
        }
        done
    }

    /// Changes a slot. Refused as [`Refusal::Changed`] if it is not as it was read: if mails are
    /// sent, or it gets fewer places or another committee, this includes its bookings. Refused as
    /// [`Refusal::ReferenceDeleted`] if the application is not as it was read, and as
    /// [`Refusal::Erased`] if a new interviewer is being erased.
    pub async fn update_slot(
        &self,
        change: SlotChange<'_>,
        application: &Application,
        now: Timestamp,
    ) -> Result<(), TableError> {
        let SlotChange {
            old,
            new,
            note,
            mails,
        } = change;
        let mut write = Write::update(new.key())
            .set("start", &new.start)
            .set("end", &new.end)
            .set("location", &new.location)
            .set("capacity", &new.capacity)
            .set("committee", &new.committee)
            .set("interviewers", &new.interviewers)
            .set("version", &new.version)
            .set("revision", &new.revision)
            .by_actor()
            .if_equals("version", &old.version)
            .if_none("deleted");
        if old.revision != new.revision
            || old.committee != new.committee
            || new.capacity < old.capacity
        {
            write = write.if_equals("seats", &old.seats);
        }
        let mut writes = vec![write, Slot::same_application(application)];
        if let Some(note) = note {
            writes.push(Write::put(&new.note(note))?);
        }
        if old.start != new.start
            && let Some(task) = new.scheduled_task(now)
        {
            writes.push(Write::put(&task)?);
        }
        if old.interviewers != new.interviewers {
            writes.extend(Slot::own_interview_entries([new])?);
        }
        for mail in mails {
            writes.push(Write::put(mail)?.if_new());
        }
        self.transact(writes).await
    }

    /// Makes a slot invisible, so that nobody books it any more. Refused if it is not as it was
    /// read, bookings included.
    pub async fn set_slot_deleted(&self, slot: &Slot) -> Result<(), TableError> {
        let write = Write::update(slot.key())
            .set("deleted", &true)
            .if_equals("version", &slot.version)
            .if_equals("seats", &slot.seats);
        self.write(write).await.map(drop)
    }

    /// Deletes a slot that is being deleted and has no bookings any more, and its note.
    pub async fn remove_slot(&self, slot: &Slot) -> Result<(), TableError> {
        let nobody: HashMap<String, u64> = HashMap::new();
        let delete = Write::delete_with_tombstone(slot.key())
            .if_equals("deleted", &true)
            .if_equals("seats", &nobody);
        let note = Write::delete(keys::slot_note(slot.application, slot.id));
        self.transact(vec![delete, note]).await
    }
}
