//! What pages of clubs and events tell programs: previews of links (`OpenGraph`), structured data
//! (JSON-LD), and the map of the site. Only what everybody may see (O14).

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::{Value, json};
use shared::db::{Table, TableError};
use shared::domain::{Catalogue, ListedClub};
use shared::domain::{Club, Event, Image, Showing};
use shared::ids;
use shared::mail::when;
use shared::text::ClubCode;
use shared::text::html::{escape, to_words};
use shared::time::{Clock, Timestamp};
use shared::web::Visibility;

/// In English and in German: what the site is, and in a line of its own what it needs.
const ABOUT: [&str; 2] = [
    include_str!("../about_en.txt"),
    include_str!("../about_de.txt"),
];
/// How long a preview is used before it is read again.
const PREVIEW_KEPT: TimeDelta = TimeDelta::seconds(60);
/// How many previews are in memory. Together they have less than 2 MB.
const MAX_PREVIEWS: usize = 500;
/// A page does not wait longer for its preview.
const PREVIEW_WAIT: Duration = Duration::from_secs(1);
/// Characters of a description in a preview.
const DESCRIPTION: usize = 200;
/// A brace as HTML: a name with `{{preview}}` in it is no place of the page.
const BRACE: &str = "&#123;";
/// The places of every campus in the map of the site.
const PAGES: [&str; 4] = ["", "clubs/", "events/", "fairs/"];

/// The previews in memory, each with the time at which it was read, by kind and id.
type PreviewCache = HashMap<String, (DateTime<Utc>, Option<Arc<Preview>>)>;

/// What everybody may read of the clubs and events.
pub struct Public {
    table: Table,
    clock: Arc<dyn Clock>,
    /// Base address of images.
    media: String,
    /// The time zone of the campus, an IANA name.
    zone: String,
    clubs: Catalogue<ListedClub>,
    kept: Mutex<PreviewCache>,
}

/// What a page tells of its club or event.
pub struct Preview {
    title: String,
    description: String,
    image: Option<String>,
    /// What the image shows, or empty.
    image_alt: String,
    /// An object of schema.org, without its address.
    data: Value,
}

impl Public {
    /// Returns what everybody may read of this table. `media` is the base address of images, `zone`
    /// the time zone of the campus.
    pub fn new(table: Table, clock: Arc<dyn Clock>, media: String, zone: String) -> Self {
        Self {
            table,
            clock,
            media,
            zone,
            clubs: Catalogue::default(),
            kept: Mutex::default(),
        }
    }

    /// Returns the preview of the page at a path, if it is one of a club or an event that everybody
    /// may see, of an open form of such a club, or a link to join it: at most 1 read for a club and
    /// 3 for an event, once in [`PREVIEW_KEPT`]. A page does not fail because of it.
    pub async fn preview(&self, path: &str) -> Option<Arc<Preview>> {
        let now = self.clock.now();
        let parts: Vec<&str> = path.trim_matches('/').split('/').collect();
        let (kind, id, form) = match parts[..] {
            [kind @ ("clubs" | "events"), id] => (kind, id, None),
            ["clubs", club, "apply", form] => ("clubs", club, Some(form)),
            // Of the link itself, nothing is said.
            ["join", club, _, _] => ("clubs", club, None),
            _ => return None,
        };
        let key = format!("{kind}/{id}/{}", form.unwrap_or_default());
        if let Some((at, kept)) = self.kept().get(&key)
            && now - at < PREVIEW_KEPT
        {
            return kept.clone();
        }
        let read = async {
            Ok::<_, TableError>(match kind {
                "clubs" => self.club(id, form, now).await?,
                _ => self.event(id, now).await?,
            })
        };
        let found = match tokio::time::timeout(PREVIEW_WAIT, read).await {
            Ok(Ok(found)) => found.map(Arc::new),
            Ok(Err(error)) => {
                tracing::warn!(%error, "no preview");
                return None;
            }
            Err(_) => return None,
        };
        let mut kept = self.kept();
        if kept.len() >= MAX_PREVIEWS {
            kept.clear();
        }
        kept.insert(key, (now, found.clone()));
        found
    }

    fn kept(&self) -> MutexGuard<'_, PreviewCache> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn image(&self, image: Option<&Image>) -> Option<String> {
        image.map(|image| format!("{}/{}", self.media, image.small))
    }

    async fn club(
        &self,
        code: &str,
        form: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<Option<Preview>, TableError> {
        let Some(code) = ClubCode::parse(code) else {
            return Ok(None);
        };
        let club = self.table.club(&code).await?;
        let anybody = Visibility::with(None, false);
        Ok(club.filter(|club| anybody.sees(club)).map(|club| {
            let about = if club.profile.subtitle.is_empty() {
                shortened(&club.profile.description)
            } else {
                club.profile.subtitle.clone()
            };
            let image = self.image(club.image.as_ref());
            let open = form.and_then(|form| club.windows.get(form));
            let open = open.filter(|window| window.is_open(now));
            let (title, description) = match open {
                Some(window) => (
                    format!("{} · {}", window.name, club.profile.name),
                    format!("Apply until {}.", self.time(window.end)),
                ),
                None => (club.profile.name.clone(), about.clone()),
            };
            Preview {
                data: json!({
                    "@context": "https://schema.org", "@type": "Organization",
                    "name": club.profile.name, "description": about, "logo": image,
                    "sameAs": club.profile.website,
                }),
                title,
                description,
                image,
                image_alt: club.profile.image_alt.clone(),
            }
        }))
    }

    /// A time as people say it, in the time zone of the campus.
    fn time(&self, at: Timestamp) -> String {
        let zone = self.zone.parse();
        zone.map_or_else(|_| at.to_string(), |zone| when(at, None, zone))
    }

    async fn event(&self, id: &str, now: DateTime<Utc>) -> Result<Option<Preview>, TableError> {
        let Some(id) = ids::parse(id) else {
            return Ok(None);
        };
        let Some(code) = self.table.club_of_event(id).await? else {
            return Ok(None);
        };
        let (event, club) =
            futures::try_join!(self.table.event(&code, id), self.table.club(&code))?;
        let anybody = Visibility::with(None, false);
        let found = event.zip(club.filter(|club| anybody.sees(club)));
        Ok(found.map(|(event, club)| self.of_event(&event, &club, now)))
    }

    fn of_event(&self, event: &Event, club: &Club, now: DateTime<Utc>) -> Preview {
        let about = shortened(&event.description);
        let image = self.image(event.image.as_ref().or(club.image.as_ref()));
        let image_alt = match event.image {
            Some(_) => event.image_alt.clone(),
            None => club.profile.image_alt.clone(),
        };
        let next = event.next_showing(Timestamp::at(now));
        let page_of = |showing: &Showing| {
            let name = showing.location.clone();
            let name = name.filter(|_| showing.location_is_public)?;
            Some(json!({ "@type": "Place", "name": name }))
        };
        Preview {
            title: event.name.clone(),
            data: json!({
                "@context": "https://schema.org", "@type": "Event",
                "name": event.name, "description": about, "image": image,
                "startDate": next.map(|showing| showing.start),
                "endDate": next.map(|showing| showing.end),
                "location": next.and_then(page_of),
                "organizer": { "@type": "Organization", "name": club.profile.name },
            }),
            description: match about.as_str() {
                "" => club.profile.name.clone(),
                about => format!("{}. {about}", club.profile.name),
            },
            image,
            image_alt,
        }
    }

    /// Returns the map of the site: the places of every campus, and the pages of all clubs that
    /// everybody may see. `base` is the address of the site, with a slash at its end.
    ///
    /// # Errors
    ///
    /// If the clubs cannot be read.
    pub async fn site_map(&self, base: &str) -> Result<String, TableError> {
        let versions = self.table.versions().await?;
        let now = self.clock.now();
        let clubs = self.clubs.clubs(&self.table, &versions, now).await?;
        let anybody = Visibility::with(None, false);
        let pages = clubs
            .iter()
            .filter(|listed| anybody.sees(&listed.club))
            .map(|listed| format!("clubs/{}/", listed.club.code));
        let all = PAGES
            .iter()
            .map(|page_of| (*page_of).to_owned())
            .chain(pages);
        let mut map = String::from(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
        );
        for page in all {
            let address = escape(&format!("{base}{page}"));
            let _ = writeln!(map, "<url><loc>{address}</loc></url>");
        }
        map.push_str("</urlset>\n");
        Ok(map)
    }
}

impl Preview {
    /// Returns the title of the page, as HTML.
    pub fn title(&self) -> String {
        escape(&self.title).replace('{', BRACE)
    }

    /// Returns the description of the page, as HTML.
    pub fn description(&self) -> String {
        escape(&self.description).replace('{', BRACE)
    }

    /// Returns the elements of the head. `address` is that of the page.
    pub fn head(&self, address: &str) -> String {
        let mut properties = vec![
            ("og:type", "website"),
            ("og:title", &self.title),
            ("og:description", &self.description),
            ("og:url", address),
        ];
        if let Some(image) = &self.image {
            properties.push(("og:image", image));
            if !self.image_alt.is_empty() {
                properties.push(("og:image:alt", &self.image_alt));
            }
        }
        let mut tags = String::new();
        for (name, text) in properties {
            let text = escape(text);
            let _ = writeln!(tags, "<meta property=\"{name}\" content=\"{text}\">");
        }
        let mut data = self.data.clone();
        data["url"] = json!(address);
        if let Some(fields) = data.as_object_mut() {
            fields.retain(|_, value| !value.is_null());
        }
        // Within a script, only this sign could end it.
        let data = data.to_string().replace('<', "\\u003c");
        format!("{tags}<script type=\"application/ld+json\">{data}</script>")
    }
}

/// The beginning of the text of a description.
fn shortened(html: &str) -> String {
    let text = to_words(html);
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(DESCRIPTION) {
        None => line,
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}

/// Returns what pages say that have no preview of their own: what the site is, and what it needs.
pub fn about(language: &str) -> (&'static str, &'static str) {
    let text = ABOUT[usize::from(language == "de")].trim_end();
    text.split_once('\n').unwrap_or((text, ""))
}
