//! Draws: what everybody can recompute, and how it is stored (Y14).

use std::collections::BTreeMap;

use aws_lc_rs::hmac;
use serde::{Deserialize, Serialize};

use crate::db::error::ignore_refusal;
use crate::db::read::{Fetch, Range};
use crate::db::{Entity, Key, Table, TableError, Write};
use crate::domain::ticket::keys;
use crate::domain::ticket::model::{Sale, TicketId};
use crate::ids::{Id, of, sha256_hex};
use crate::kind::Kind;
use crate::settings::Secret;
use crate::time::Timestamp;

/// The draw of a showing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TicketDraw {
    /// Id of the event.
    pub event: Id<of::Event>,
    /// Id of the showing.
    pub showing: Id<of::Showing>,
    /// What decides: 64 hexadecimal digits. It is secret until the draw was held.
    pub seed: String,
    /// What was there to be drawn, since the draw began. It does not change any more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<DrawShare>,
    /// When it was held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drawn_at: Option<Timestamp>,
}

/// What was there to be drawn of a type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct DrawShare {
    /// Id of the type.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub ticket_type: Id<of::TicketType>,
    /// Its capacity. Null: no limit.
    pub capacity: Option<u32>,
    /// How many officers had issued before.
    pub issued: u32,
    /// How many were drawn.
    pub drawn: u32,
}

/// One type of an order that takes part in a draw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawEntry {
    /// Id of the showing.
    pub showing: Id<of::Showing>,
    /// What everybody sees of it: 16 hexadecimal digits.
    pub entry: String,
    /// Id of the type.
    pub ticket_type: Id<of::TicketType>,
    /// How many of its tickets still take part.
    pub count: u32,
    /// Its tickets.
    pub tickets: Vec<TicketId>,
}

/// Results of a draw, in the drawn order: some of them, because an item is not so large.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DrawResults {
    /// Id of the showing.
    pub showing: Id<of::Showing>,
    /// Its number, from 0.
    pub page: u32,
    /// The results.
    pub results: Vec<DrawResult>,
}

/// The result of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "api", derive(utoipa::ToSchema))]
pub struct DrawResult {
    /// 16 hexadecimal digits. The holder's own tickets name it.
    pub entry: String,
    /// Id of the type.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "api", schema(value_type = u64))]
    pub ticket_type: Id<of::TicketType>,
    /// How many tickets it wants.
    pub count: u32,
    /// Whether it got all of them. Null before the draw.
    pub drawn: Option<bool>,
}

/// So many results are in one item.
pub const RESULTS: usize = 500;
/// The most entries of a showing.
pub const MOST_ENTRIES: u32 = 20_000;

impl Entity for TicketDraw {
    const KIND: Kind = Kind::TicketDraw;

    fn key(&self) -> Key {
        keys::draw(self.event, self.showing)
    }
}

impl Entity for DrawEntry {
    const KIND: Kind = Kind::DrawEntry;

    fn key(&self) -> Key {
        keys::draw_entry(self.showing, &self.entry)
    }
}

impl Entity for DrawResults {
    const KIND: Kind = Kind::DrawResults;

    fn key(&self) -> Key {
        keys::draw_results(self.showing, self.page)
    }
}

fn hex(secret: &Secret, text: &str) -> String {
    use std::fmt::Write as _;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.reveal());
    let tag = hmac::sign(&key, text.as_bytes());
    tag.as_ref().iter().fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Returns the entry of one type of an order. Nobody learns from it whose it is.
pub fn entry_of(secret: &Secret, order: u64, of: Id<of::TicketType>) -> String {
    let mut entry = hex(secret, &format!("entry:{order}:{of}"));
    entry.truncate(16);
    entry
}

impl TicketDraw {
    /// Returns the draw of a showing before it is held.
    pub fn new(secret: &Secret, sale: &Sale) -> Self {
        Self {
            event: sale.event,
            showing: sale.showing.id,
            seed: hex(secret, &format!("draw:{}", sale.showing.id)),
            shares: vec![],
            drawn_at: None,
        }
    }

    /// Returns what is known of the seed before the draw.
    pub fn commitment(&self) -> String {
        sha256_hex(self.seed.as_bytes())
    }

    /// Returns the entries in the drawn order, each with its result.
    pub fn results(&self, entries: Vec<DrawEntry>) -> Vec<(DrawEntry, bool)> {
        let mut left: BTreeMap<_, Option<u32>> = BTreeMap::new();
        for share in &self.shares {
            let rest = share.capacity.map(|all| all.saturating_sub(share.issued));
            left.insert(share.ticket_type, rest);
        }
        let order = |one: &DrawEntry| sha256_hex(format!("{}:{}", self.seed, one.entry).as_bytes());
        let mut entries = entries;
        entries.retain(|one| one.count > 0);
        entries.sort_by_cached_key(order);
        let result = |one: DrawEntry| {
            let is_drawn = match left.get_mut(&one.ticket_type) {
                Some(Some(rest)) if one.count <= *rest => {
                    *rest -= one.count;
                    true
                }
                Some(None) => true,
                _ => false,
            };
            (one, is_drawn)
        };
        entries.into_iter().map(result).collect()
    }
}

impl DrawEntry {
    /// Returns what everybody sees of it.
    pub fn result(&self, drawn: Option<bool>) -> DrawResult {
        DrawResult {
            entry: self.entry.clone(),
            ticket_type: self.ticket_type,
            count: self.count,
            drawn,
        }
    }

    /// Returns the write with which a ticket leaves the draw.
    pub fn leave(showing: Id<of::Showing>, entry: &str) -> Write {
        Write::update(keys::draw_entry(showing, entry))
            .add("count", -1)
            .if_exists()
    }
}

impl Table {
    /// Returns the draw of a showing: 1 read.
    pub async fn draw(&self, sale: &Sale) -> Result<Option<TicketDraw>, TableError> {
        self.get(keys::draw(sale.event, sale.showing.id)).await
    }

    /// Stores a draw that is not there yet: 1 write. Its seed stays, also if the secret changes.
    pub async fn start_draw(&self, draw: &TicketDraw) -> Result<(), TableError> {
        ignore_refusal(self.write(Write::put(draw)?.if_new()).await)
    }

    /// Stores what is there to be drawn: 1 write. Refused if that was done before.
    pub async fn fix_draw(&self, draw: &TicketDraw) -> Result<(), TableError> {
        self.write(Write::put(draw)?.if_none("shares"))
            .await
            .map(drop)
    }

    /// Stores the results of a draw: 1 write for 500.
    pub async fn store_results(
        &self,
        draw: &TicketDraw,
        results: &[DrawResult],
    ) -> Result<(), TableError> {
        for (page, results) in (0..).zip(results.chunks(RESULTS)) {
            let showing = draw.showing;
            let results = results.to_vec();
            let page = DrawResults {
                showing,
                page,
                results,
            };
            self.write(Write::put(&page)?).await?;
        }
        Ok(())
    }

    /// Stores when a draw was held: 1 write.
    pub async fn finish_draw(&self, draw: &TicketDraw) -> Result<(), TableError> {
        self.write(Write::put(draw)?).await.map(drop)
    }

    /// Returns all results of a draw, in the drawn order: 1 query.
    pub async fn all_results(
        &self,
        showing: Id<of::Showing>,
    ) -> Result<Vec<DrawResult>, TableError> {
        let pages: Vec<DrawResults> = self
            .query(keys::all_draw_results(showing), Range::All)
            .await?;
        Ok(pages.into_iter().flat_map(|page| page.results).collect())
    }

    /// Returns all entries of a draw: 1 query.
    pub async fn draw_entries(
        &self,
        showing: Id<of::Showing>,
    ) -> Result<Vec<DrawEntry>, TableError> {
        self.query(keys::draw_entries(showing), Range::All).await
    }

    /// Returns the next entries of a draw, in the order of their texts: 1 query.
    pub async fn draw_entries_after(
        &self,
        showing: Id<of::Showing>,
        after: Option<&str>,
        most: usize,
    ) -> Result<Vec<DrawEntry>, TableError> {
        let begin = after.map_or_else(|| " ".to_owned(), |after| format!("{after}#"));
        let range = Range::Between(begin, "~".into());
        let size = i32::try_from(most).map_err(TableError::failed)?;
        let (mut found, pk): (Vec<DrawEntry>, _) = (vec![], keys::draw_entries(showing));
        self.each_page(
            false,
            pk,
            range,
            Fetch::Pages(size),
            |page: Vec<DrawEntry>| {
                found.extend(page.into_iter().filter(|one| one.count > 0));
                Ok(found.len() < most)
            },
        )
        .await?;
        Ok(found)
    }

    /// Returns some results of a draw: 1 read.
    pub async fn draw_results(
        &self,
        showing: Id<of::Showing>,
        page: u32,
    ) -> Result<Option<DrawResults>, TableError> {
        self.get(keys::draw_results(showing, page)).await
    }
}
