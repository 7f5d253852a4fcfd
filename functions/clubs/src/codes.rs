//! Codes of clubs: chosen by the caller, or made from the name (C3, C4).

use shared::limits;
use shared::reason::Reason;
use shared::text::ClubCode;
use shared::text::kinds::CodeText;
use shared::web::{FieldInput, Mode, Reader, Result};

/// The code that the caller chose, if any.
pub fn requested_code(sent: FieldInput<Option<CodeText>>) -> Result<Option<ClubCode>> {
    let mut reader = Reader::new(Mode::Update);
    let code = reader.get(sent).flatten().filter(|code| !code.is_empty());
    let parsed = code.as_deref().map(ClubCode::parse);
    if parsed == Some(None) {
        reader.errors.add("code", Reason::InvalidCode);
    }
    let parsed = parsed.flatten();
    if parsed.as_ref().is_some_and(ClubCode::is_reserved) {
        reader.errors.add("code", Reason::Reserved);
    }
    reader.finish()?;
    Ok(parsed)
}

/// The name in lower-case Latin letters, digits and single hyphens. Other scripts are written in
/// Latin letters.
pub fn slug(name: &str) -> String {
    let latin = deunicode::deunicode(name).to_ascii_lowercase();
    let words: Vec<&str> = latin
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let mut slug = words.join("-");
    slug.truncate(limits::CODE - 4);
    slug.trim_end_matches('-').to_owned()
}

/// The `n`th code to try for a slug. If the slug has no letters, the code is made from the id
/// `creation`.
pub fn numbered(slug: &str, n: u32, creation: u64) -> ClubCode {
    let text = match (slug.bytes().any(|b| b.is_ascii_lowercase()), n) {
        (false, _) => format!("club-{creation}"),
        (true, 1) => slug.to_owned(),
        (true, n) => format!("{slug}-{n}"),
    };
    // A slug has the form of a code, and room for the number.
    let code = ClubCode::parse(&text).unwrap_or_default();
    if code.is_reserved() {
        return ClubCode::parse(&format!("{text}-club")).unwrap_or_default();
    }
    code
}
