//! Filters and orders of the list of clubs (C10, C11, C12, C13, C14).

use std::cmp::Ordering;
use std::collections::HashMap;

use shared::domain::{Badge, Club, Clubs, Entries, ListedClub, ReferenceKind, Tag};
use shared::ids::Id;
use shared::reason::Reason;
use shared::text;
use shared::text::{ClubCode, Word};
use shared::time::Timestamp;
use shared::web::{ApiError, Params, Result};

use crate::body::{ClubViewer, NextEventBody, TagsAndBadges, is_accepting};

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClubOrder {
    Alphabetical,
    ReverseAlphabetical,
    /// By score, with equal scores in an order that changes every day.
    Featured,
    /// Fewest favorites first, then by name.
    Favorites,
    /// Most favorites first, then by name.
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
                let orders =
                    "alphabetical, -alphabetical, featured, favorite_count, -favorite_count";
                let why = Reason::not_one_of(orders.split(", "));
                return Err(ApiError::field("ordering", why));
            }
        })
    }
}

/// The filters and the order of a request.
pub struct ClubFilter {
    words: Vec<Word>,
    /// Whether words of the search may have mistakes.
    similar: bool,
    active: Option<bool>,
    accepting: Option<bool>,
    member: Option<bool>,
    /// Only clubs that wait for approval.
    is_waiting: bool,
    /// Only deleted clubs.
    pub is_archived: bool,
    tags: String,
    badges: String,
    /// The order of the result.
    pub order: ClubOrder,
}

/// A filter in which tags and badges are given by their ids.
struct ResolvedFilter<'a> {
    /// Each word of the search, with the ids of the tags that contain it.
    words: Vec<(&'a Word, Vec<Id<Tag>>)>,
    similar: bool,
    active: Option<bool>,
    tags: Vec<Id<Tag>>,
    badges: Vec<Id<Badge>>,
}

/// The ids of the entries that `text` names: ids or names, separated by commas. `None` if one of
/// them does not exist.
fn parse_ids<T: ReferenceKind>(entries: &Entries<T>, text: &str) -> Option<Vec<Id<T>>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(vec![]);
    }
    let names: HashMap<String, Id<T>> = entries
        .iter()
        .map(|entry| (text::fold(entry.value.name()), entry.id))
        .collect();
    let one = |item: &str| match item.parse() {
        Ok(number) => entries.get(Id::new(number)).map(|entry| entry.id),
        Err(_) => names.get(&text::fold(item)).copied(),
    };
    // A name may contain a comma, so the whole text is tried first.
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
    /// Reads the query parameters.
    pub fn read(params: &Params) -> Result<Self> {
        Ok(Self {
            words: params.search()?,
            similar: params.flag("similar")?.unwrap_or(false),
            active: params.flag("active")?,
            accepting: params.flag("accepting")?,
            member: params.flag("member")?,
            is_waiting: match params.text("approved") {
                None => false,
                Some("none") => true,
                Some(_) => return Err(ApiError::field("approved", Reason::not_one_of(["none"]))),
            },
            is_archived: params.flag("archived")?.unwrap_or(false),
            tags: params.text("tags").unwrap_or_default().to_owned(),
            badges: params.text("badges").unwrap_or_default().to_owned(),
            order: ClubOrder::read(params)?,
        })
    }

    /// Whether only admins may ask for this.
    pub fn is_for_admins(&self) -> bool {
        self.is_waiting || self.is_archived
    }

    /// Whether the club passes the filters that depend on the time and the caller.
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
            && (!self.is_waiting || (club.approved.is_none() && !club.archived))
    }

    /// The filter with ids. `None` if it names a tag or badge that does not exist; then no club
    /// matches.
    fn resolved_filter(&self, labels: &TagsAndBadges) -> Option<ResolvedFilter<'_>> {
        let tags = labels.tags.iter().filter(|_| !self.words.is_empty());
        let names: Vec<(Id<Tag>, String)> = tags
            .map(|tag| (tag.id, text::searchable(&tag.value.name)))
            .collect();
        let inside = |word: &Word| {
            names
                .iter()
                .filter(|(_, name)| word.is_in(name) || self.similar && word.is_nearly_in(name))
                .map(|(id, _)| *id)
                .collect()
        };
        Some(ResolvedFilter {
            words: self.words.iter().map(|word| (word, inside(word))).collect(),
            similar: self.similar,
            active: self.active,
            tags: parse_ids(&labels.tags, &self.tags)?,
            badges: parse_ids(&labels.badges.0, &self.badges)?,
        })
    }

    /// The matching clubs for which `sees` is true, with the values that they are sorted by.
    pub fn find<'a>(
        &self,
        clubs: &'a Clubs,
        labels: &TagsAndBadges,
        rank: &Ranking,
        sees: impl Fn(&Club) -> bool,
    ) -> Vec<Ranked<'a>> {
        let Some(resolved_filter) = self.resolved_filter(labels) else {
            return vec![];
        };
        clubs
            .iter()
            .filter(|listed| sees(&listed.club) && resolved_filter.matches(listed))
            .map(|listed| rank.of(listed, self.order))
            .collect()
    }
}

impl ResolvedFilter<'_> {
    fn matches(&self, listed: &ListedClub) -> bool {
        let ListedClub {
            club, text, name, ..
        } = listed;
        let tags = &club.profile.tags;
        self.active
            .is_none_or(|active| club.profile.active == active)
            && self.tags.iter().all(|tag| tags.contains(tag))
            && self.badges.iter().all(|badge| club.badges.contains(badge))
            && self.words.iter().all(|(word, inside)| {
                word.is_in(text)
                    || inside.iter().any(|tag| tags.contains(tag))
                    || self.similar && (word.is_nearly_in(name) || word.is_nearly_in(&club.code))
            })
    }
}

/// The data, besides the clubs themselves, that the order depends on.
pub struct Ranking {
    pub now: Timestamp,
    /// The next event of each club that has one that has not ended.
    pub hosts: HashMap<ClubCode, NextEventBody>,
}

/// A club with the values that it is sorted by.
pub struct Ranked<'a> {
    score: i64,
    tie_break: u64,
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

    /// The score of a club for `ordering=featured` (C14).
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
            + points(self.hosts.contains_key(&club.code), 6)
            + points(profile.active, 5)
            + i64::from((club.favorites + 1).max(1).ilog2())
    }
}

const DAY: i64 = 86_400;

/// A number that orders clubs with equal scores, different on each day (the last step of
/// splitmix64).
fn tie_break(club: u64, day: i64) -> u64 {
    let n = club ^ day.unsigned_abs().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

/// Compares two clubs. Two different clubs are never equal.
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
