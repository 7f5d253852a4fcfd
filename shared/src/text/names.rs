//! Names of people.

/// What a family name may begin with. It is never how somebody is greeted.
const PARTICLES: [&str; 16] = [
    "von", "van", "de", "da", "di", "del", "der", "den", "la", "le", "el", "al", "bin", "ibn",
    "mac", "st",
];
/// What stands behind a name and a comma, and is no given name.
const SUFFIXES: [&str; 6] = ["jr", "sr", "ii", "iii", "phd", "md"];

/// Returns the first and the last name of a whole name (P6). Of "Family, Given", the first name is
/// what follows the comma. Of others, it is the first word; if that is a particle, all of it.
pub fn name_parts(name: &str) -> (&str, &str) {
    let is_suffix = |part: &str| {
        let plain = part.replace('.', "").trim().to_lowercase();
        SUFFIXES.contains(&plain.as_str())
    };
    let mut parts = name
        .split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let whole = parts.next().unwrap_or(name.trim());
    if let Some(given) = parts.find(|part| !is_suffix(part)) {
        return (given, whole);
    }
    let (first, last) = whole.split_once(' ').unwrap_or((whole, ""));
    if PARTICLES.contains(&first) {
        return (whole, "");
    }
    (first, last.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves P6
    #[test]
    fn people_are_greeted_by_their_first_name() {
        for (name, parts) in [
            ("Ada Lovelace", ("Ada", "Lovelace")),
            ("Ada King Lovelace", ("Ada", "King Lovelace")),
            ("Beethoven, Ludwig", ("Ludwig", "Beethoven")),
            ("van Beethoven, Ludwig", ("Ludwig", "van Beethoven")),
            ("Smith, John, PhD", ("John", "Smith")),
            ("John Smith, Jr.", ("John", "Smith")),
            ("Smith, Jr., John", ("John", "Smith")),
            ("de la Cruz", ("de la Cruz", "")),
            ("Van Morrison", ("Van", "Morrison")),
            ("st john", ("st john", "")),
            ("Plato", ("Plato", "")),
            (",", (",", "")),
        ] {
            assert_eq!(name_parts(name), parts, "{name}");
        }
    }
}
