//! Text search that ignores case and diacritics (H27).

use memchr::memmem::Finder;
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::limits;

/// Returns the text in the form used for comparison: decomposed, without marks, in lower case.
/// Letters that Unicode does not decompose are replaced by the usual spelling without marks: `ß`
/// becomes `ss`, `æ` becomes `ae`, `ø` becomes `o`, `ł` becomes `l`, `ς` becomes `σ`.
pub fn fold(text: &str) -> String {
    folded(text, false)
}

/// The same for texts that are searched in: apostrophes and hyphens are as a keyboard has them, and
/// behind the text is its other spelling, if it has one. It is not for what is stored, such as the
/// key of a name.
pub fn searchable(text: &str) -> String {
    let spellings: Vec<String> = spellings(text, |text| folded(text, true)).collect();
    spellings.join("\n")
}

/// Returns the folded spellings of a text: without marks, and if it has an umlaut, with `ae`, `oe`
/// and `ue`.
fn spellings(text: &str, fold: fn(&str) -> String) -> impl Iterator<Item = String> {
    let other = (!text.is_ascii()).then(|| {
        let mut spelled = String::with_capacity(text.len() + 4);
        for c in text.nfc() {
            match c {
                'ä' | 'Ä' => spelled.push_str("ae"),
                'ö' | 'Ö' => spelled.push_str("oe"),
                'ü' | 'Ü' => spelled.push_str("ue"),
                c => spelled.push(c),
            }
        }
        fold(&spelled)
    });
    let folded = fold(text);
    let other = other.filter(|other| *other != folded);
    std::iter::once(folded).chain(other)
}

fn folded(text: &str, is_search: bool) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        // Most text is ASCII, which needs no Unicode tables.
        let plain = rest
            .bytes()
            .position(|byte| !byte.is_ascii())
            .unwrap_or(rest.len());
        let (ascii, others) = rest.split_at(plain);
        let start = folded.len();
        folded.push_str(ascii);
        folded[start..].make_ascii_lowercase();
        let end = others.find(|c: char| c.is_ascii()).unwrap_or(others.len());
        let (others, after) = others.split_at(end);
        for c in others
            .nfkd()
            .filter(|c| !is_combining_mark(*c))
            .flat_map(char::to_lowercase)
        {
            match c {
                'ß' => folded.push_str("ss"),
                'æ' => folded.push_str("ae"),
                'œ' => folded.push_str("oe"),
                'þ' => folded.push_str("th"),
                'ø' => folded.push('o'),
                'ł' => folded.push('l'),
                'đ' | 'ð' => folded.push('d'),
                'ħ' => folded.push('h'),
                'ŧ' => folded.push('t'),
                'ı' => folded.push('i'),
                'ς' => folded.push('σ'),
                '‘' | '’' | 'ʼ' if is_search => folded.push('\''),
                '‐' | '–' | '−' if is_search => folded.push('-'),
                c => folded.push(c),
            }
        }
        rest = after;
    }
    folded
}

/// Words with more letters are found only if they are written exactly so.
const LONG_WORD: usize = 60;

/// A search word in its folded spellings, prepared for searching in many texts.
pub struct Word(Vec<Finder<'static>>);

impl Word {
    /// Returns whether the word occurs in a text that is [`searchable`].
    pub fn is_in(&self, folded: &str) -> bool {
        let mut spellings = self.0.iter();
        spellings.any(|finder| finder.find(folded.as_bytes()).is_some())
    }

    /// Returns whether the word is nearly a word of a text that is [`searchable`], or nearly its
    /// beginning: with one letter that is wrong, missing, too many or exchanged with the next; with
    /// two of them from 8 letters on. Words of fewer than 4 letters must be right (C21).
    pub fn is_nearly_in(&self, folded: &str) -> bool {
        let spellings = self.0.iter().map(Finder::needle);
        let mut spellings = spellings.filter_map(|word| std::str::from_utf8(word).ok());
        spellings.any(|word| Self::is_near(word, folded))
    }

    fn is_near(word: &str, folded: &str) -> bool {
        let length = word.chars().count();
        let mistakes = match length {
            0..4 => 0,
            4..8 => 1,
            8..=LONG_WORD => 2,
            // The comparison takes as long as the square of the length.
            _ => return false,
        };
        let mut others = folded.split(|c: char| !c.is_alphanumeric());
        others.any(|other| {
            // Each letter more or less is a mistake, so most words need not be compared.
            if other.chars().count() + mistakes < length {
                return false;
            }
            let beginning = match other.char_indices().nth(length) {
                Some((end, _)) => &other[..end],
                None => other,
            };
            [other, beginning]
                .iter()
                .filter(|other| other.chars().count() <= length + mistakes)
                .any(|other| strsim::osa_distance(word, other) <= mistakes)
        })
    }
}

/// Returns the words of a search, prepared for searching in many texts.
pub fn search(text: &str) -> Vec<Word> {
    let words = text.split_whitespace().map(|word| {
        let spellings = spellings(word, |word| folded(word, true));
        let spellings = spellings.filter(|word| !word.is_empty());
        Word(
            spellings
                .map(|word| Finder::new(&word).into_owned())
                .collect(),
        )
    });
    words.filter(|word| !word.0.is_empty()).collect()
}

/// Returns the words of a text, or of a search in what is stored, each in its folded spellings.
pub fn words(text: &str) -> Vec<Vec<String>> {
    let words = text.split_whitespace().map(|word| {
        let spellings = spellings(word, fold);
        spellings.filter(|word| !word.is_empty()).collect()
    });
    words
        .filter(|word: &Vec<String>| !word.is_empty())
        .collect()
}

/// Returns whether every word occurs in at least one of the texts.
pub fn matches<'a>(words: &[Word], texts: impl IntoIterator<Item = &'a str>) -> bool {
    if words.is_empty() {
        return true;
    }
    let texts: Vec<String> = texts.into_iter().map(searchable).collect();
    let all = texts.join("\n");
    words.iter().all(|word| word.is_in(&all))
}

/// Returns whether a text can be used as a mail address: one `@`, a host with a dot, no characters
/// that could end a mail header, and nothing that SES refuses. It refuses the whole mail for one
/// wrong address.
pub fn is_email(text: &str) -> bool {
    let Some((local, host)) = text.rsplit_once('@') else {
        return false;
    };
    let plain = |c: char| {
        c.is_ascii_graphic()
            && !matches!(
                c,
                '<' | '>' | '(' | ')' | '[' | ']' | ',' | ';' | ':' | '"' | '\\' | '@'
            )
    };
    text.len() <= limits::EMAIL
        && local.len() <= 64
        && local
            .split('.')
            .all(|part| !part.is_empty() && part.chars().all(plain))
        && host.contains('.')
        && host.split('.').all(|label| {
            (1..=63).contains(&label.len())
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves H27
    #[test]
    fn case_and_diacritics_do_not_matter() {
        assert!(matches(
            &search("  ELISE strasse "),
            ["Élise", "Große Straße"]
        ));
        assert!(!matches(&search("elise bob"), ["Élise"]));
        assert!(matches(
            &search("women's ice-hockey l’été"),
            ["Women’s Ice\u{2011}Hockey", "L'été"]
        ));
        assert_eq!(fold("ÀB\u{301}c ẞ ﬁ Ωmega\u{301}"), "abc ss fi ωmega");
        assert_eq!(
            fold("ŁÓDŹ Ærø Đorđe Þór İstanbul Iğdır cœur"),
            "lodz aero dorde thor istanbul igdir coeur"
        );
        assert!(
            matches(&search("ΣΊΣΥΦΟΣ"), ["Σίσυφος"]) && matches(&search("σίσυφος"), ["ΣΙΣΥΦΟΣ"])
        );
        for (text, found) in [
            ("Jörg Müller", [true, true, true]),
            ("Jorg Mu\u{308}ller", [true, true, true]),
            ("Mueller", [true, true, false]),
            ("Muller", [true, false, true]),
        ] {
            let is_found =
                ["MÜLLER", "mueller", "muller"].map(|word| matches(&search(word), [text]));
            assert_eq!(is_found, found, "{text}");
        }
    }

    #[test]
    fn addresses_that_mail_can_go_to() {
        let long = "a".repeat(65);
        for good in ["ada@uni.example", "a.b+c@x.y.example", "o'hara@x-y.example"] {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "",
            "ada",
            "@x.example",
            "ada@x",
            "a b@x.example",
            "a@x.example\r\nBcc: b@x.example",
            "a@b@x.example",
            "<a@x.example>",
            "a@x..example",
            "ü@uni.example",
            "chess.@uni.example",
            ".c@uni.example",
            "a..b@uni.example",
            "[x]@uni.example",
            "x@-uni.example",
            "x@uni-.example",
            &format!("{long}@uni.example"),
            &format!("x@{long}.example"),
        ] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
