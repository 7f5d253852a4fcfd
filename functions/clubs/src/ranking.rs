//! Which clubs of the catalogue a list shows, and in which order (C10, C11, C12, C13, C14).

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use shared::catalogue::{Clubs, ListedClub};
use shared::http::{ApiError, Params, Result};
use shared::lookups::Entries;
use shared::models::{Club, LookupKind};
use shared::text::{self, Word};
use shared::time::Timestamp;

use crate::body::{ClubViewer, TagsAndBadges, is_accepting};

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClubOrder {
    /// By name.
    Alphabetical,
    /// By name, backwards.
    ReverseAlphabetical,
    /// By score.
    Featured,
    /// By favorites, then name.
    Favorites,
    /// The same, most favorites first.
    MostFavorites,
}

impl ClubOrder {
    fn read(params: &Params) -> Result<Self> {
        Ok(match params.text("ordering") {
            None | Some("featured") => Self::Featured,
            Some("alphabetical") => Self::Alphabetical,
            Some("-alphabetical") => Self::ReverseAlphabetical,
            Some("favorite_count") => Self::Favorites,
            Some("-favorite_count") => Self::MostFavorites,
            Some(_) => {
                let known =
                    "alphabetical, -alphabetical, featured, favorite_count, -favorite_count";
                return Err(ApiError::field(
                    "ordering",
                    format!("Expected one of {known}."),
                ));
            }
        })
    }
}

/// Which clubs are asked for, and in which order.
pub struct ClubFilter {
    words: Vec<Word>,
    active: Option<bool>,
    accepting: Option<bool>,
    member: Option<bool>,
    tags: String,
    badges: String,
    /// The order.
    pub order: ClubOrder,
}

/// A filter, with the ids of what it names.
struct ResolvedFilter<'a> {
    /// Each word, with the tags that it occurs in.
    words: Vec<(&'a Word, Vec<u64>)>,
    active: Option<bool>,
    tags: Vec<u64>,
    badges: Vec<u64>,
}

/// The entries that are meant: one, or several with commas between them; a number is an id, all
/// else a name. None, if one of them is not there.
fn parse_ids<T: LookupKind>(entries: &Entries<T>, text: &str) -> Option<Vec<u64>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(vec![]);
    }
    let names: HashMap<String, u64> = entries
        .iter()
        .map(|entry| (text::fold(entry.value.name()), entry.id))
        .collect();
    let one = |item: &str| match item.parse() {
        Ok(id) => entries.get(id).map(|entry| entry.id),
        Err(_) => names.get(&text::fold(item)).copied(),
    };
    // A name may have a comma.
    if let Some(id) = one(text) {
        return Some(vec![id]);
    }
    text.split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty())
        .map(one)
        .collect()
}

impl ClubFilter {
    /// What the query says.
    pub fn read(params: &Params) -> Result<Self> {
        Ok(Self {
            words: params.search()?,
            active: params.flag("active")?,
            accepting: params.flag("accepting")?,
            member: params.flag("member")?,
            tags: params.text("tags").unwrap_or_default().to_owned(),
            badges: params.text("badges").unwrap_or_default().to_owned(),
            order: ClubOrder::read(params)?,
        })
    }

    /// Whether it is one of the clubs that the caller asks for, because of what they have to do
    /// with it and what the time is.
    pub fn is_for(
        &self,
        club: &Club,
        viewer: &ClubViewer,
        is_signed_in: bool,
        now: Timestamp,
    ) -> bool {
        self.accepting
            .is_none_or(|accepting| is_accepting(club, now) == accepting)
            && self
                .member
                .is_none_or(|member| is_signed_in && viewer.is_member(&club.code) == member)
    }

    /// None if a tag or badge is meant that there is not.
    fn wanted(&self, labels: &TagsAndBadges) -> Option<ResolvedFilter<'_>> {
        let tags = labels.tags.iter().filter(|_| !self.words.is_empty());
        let names: Vec<(u64, String)> = tags
            .map(|tag| (tag.id, text::fold(&tag.value.name)))
            .collect();
        let inside = |word: &Word| {
            names
                .iter()
                .filter(|(_, name)| word.is_in(name))
                .map(|(id, _)| *id)
                .collect()
        };
        Some(ResolvedFilter {
            words: self.words.iter().map(|word| (word, inside(word))).collect(),
            active: self.active,
            tags: parse_ids(&labels.tags, &self.tags)?,
            badges: parse_ids(&labels.badges.0, &self.badges)?,
        })
    }

    /// The clubs that match, of those that `sees` lets through, each with what it is ranked by.
    pub fn find<'a>(
        &self,
        clubs: &'a Clubs,
        labels: &TagsAndBadges,
        rank: &Ranking,
        sees: impl Fn(&Club) -> bool,
    ) -> Vec<Ranked<'a>> {
        let Some(wanted) = self.wanted(labels) else {
            return vec![];
        };
        clubs
            .iter()
            .filter(|listed| sees(&listed.club) && wanted.matches(listed))
            .map(|listed| rank.of(listed, self.order))
            .collect()
    }
}

impl ResolvedFilter<'_> {
    fn matches(&self, ListedClub { club, text, .. }: &ListedClub) -> bool {
        let tags = &club.profile.tags;
        self.active
            .is_none_or(|active| club.profile.active == active)
            && self.tags.iter().all(|tag| tags.contains(tag))
            && self.badges.iter().all(|badge| club.badges.contains(badge))
            && self.words.iter().all(|(word, inside)| {
                word.is_in(text) || inside.iter().any(|tag| tags.contains(tag))
            })
    }
}

/// What clubs are ranked by besides themselves.
pub struct Ranking {
    /// The present time.
    pub now: Timestamp,
    /// The clubs with events that have not ended, and when all of these will have.
    pub hosts: HashSet<String>,
}

/// A club with what it is ranked by.
pub struct Ranked<'a> {
    score: i64,
    tie_break: u64,
    /// The club.
    pub listed: &'a ListedClub,
}

impl Ranking {
    fn of<'a>(&self, listed: &'a ListedClub, order: ClubOrder) -> Ranked<'a> {
        match order {
            ClubOrder::Featured => Ranked {
                score: self.score(&listed.club),
                tie_break: tie_break(listed.tie_break, self.day()),
                listed,
            },
            _ => Ranked {
                score: 0,
                tie_break: 0,
                listed,
            },
        }
    }

    fn day(&self) -> i64 {
        self.now.epoch_seconds().div_euclid(DAY)
    }

    /// The score of `ordering=featured` (docs/architecture.md): a complete profile, what is on, an
    /// open application, favorites.
    fn score(&self, club: &Club) -> i64 {
        let profile = &club.profile;
        let complete = [
            !profile.subtitle.is_empty(),
            !profile.description.is_empty(),
            !profile.email.is_empty(),
            profile.website.is_some(),
            club.image.is_some(),
        ];
        let complete: i64 = complete.into_iter().map(i64::from).sum();
        let points = |holds: bool, points: i64| if holds { points } else { 0 };
        complete * 2
            + points(is_accepting(club, self.now), 10)
            + points(self.hosts.contains(&club.code), 6)
            + points(profile.active, 5)
            + i64::from((club.favorites + 1).max(1).ilog2())
    }
}

const DAY: i64 = 86_400;

/// A club's place among equals on a day (the finalizer of splitmix64).
fn tie_break(club: u64, day: i64) -> u64 {
    let n = club ^ day.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// The order of two clubs; no two are equal.
pub fn compare(order: ClubOrder, a: &Ranked, b: &Ranked) -> Ordering {
    let by_code = a.listed.club.code.cmp(&b.listed.club.code);
    let by_name = a.listed.name.cmp(&b.listed.name).then(by_code);
    let by_favorites = a.listed.club.favorites.cmp(&b.listed.club.favorites);
    match order {
        ClubOrder::Alphabetical => by_name,
        ClubOrder::ReverseAlphabetical => by_name.reverse(),
        ClubOrder::Featured => b
            .score
            .cmp(&a.score)
            .then(a.tie_break.cmp(&b.tie_break))
            .then(by_code),
        ClubOrder::Favorites => by_favorites.then(by_name),
        ClubOrder::MostFavorites => by_favorites.reverse().then(by_name),
    }
}
