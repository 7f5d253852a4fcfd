//! Events in memory, as lists show and search them.

use crate::domain::catalogue::memory::{Listed, ListedAt};
use crate::domain::catalogue::versions::Versions;
use crate::domain::club;
use crate::domain::club::listed::Clubs;
use crate::domain::event::keys;
use crate::domain::event::model::{Event, Showing, Span};
use crate::domain::event::store::EventListing;
use crate::text;
use crate::text::html;
use crate::time::Timestamp;

/// An event in a list, with its searchable text.
pub struct ListedEvent {
    /// The event.
    pub event: Event,
    /// Name and the text of the description, folded.
    pub text: String,
    /// When its showings start and end. It is what lists are ordered by.
    pub span: Option<Span>,
    /// The number of the segment of the catalogue that has its club.
    pub club_segment: usize,
}

impl Listed for ListedEvent {
    type Stored = EventListing;

    fn new(EventListing { event, .. }: EventListing) -> Self {
        let texts = [event.name.as_str(), &html::to_words(&event.description)].join("\n");
        Self {
            text: text::searchable(&texts),
            span: event.span(),
            club_segment: usize::try_from(club::keys::club_segment(&event.club))
                .unwrap_or_default(),
            event,
        }
    }

    fn size(&self) -> usize {
        let showings = self.event.showings.iter();
        let location = |showing: &Showing| showing.location.as_ref().map_or(0, String::len);
        let showings: usize = showings.map(|showing| location(showing) + 200).sum();
        self.event.description.len() + self.text.len() + showings + 500
    }
}

impl ListedEvent {
    /// Returns where the club that hosts it is.
    pub fn host(&self, clubs: &Clubs) -> Option<ListedAt> {
        clubs.position_of(self.club_segment, &self.event.club)
    }
}

impl Versions {
    /// Returns the segments with events whose last showing ends between `from` and `to`, in order
    /// of time. Segments are whole months, so they may contain other events too.
    pub fn event_segments(&self, from: Option<Timestamp>, to: Option<Timestamp>) -> Vec<String> {
        let segment = |time: Timestamp| keys::events(&time.to_string());
        let (from, to) = (from.map(segment), to.map(segment));
        let all = self
            .segments()
            .filter(|segment| segment.starts_with(keys::EVENT_SEGMENTS));
        let inside = all.filter(|segment| {
            from.as_ref().is_none_or(|from| *segment >= from)
                && to.as_ref().is_none_or(|to| *segment <= to)
        });
        let mut segments: Vec<String> = inside.cloned().collect();
        segments.sort();
        segments
    }
}
