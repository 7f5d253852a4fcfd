//! Searching in text: whatever the case and the diacritics (decisions.md §12.8).

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

/// The text as it is compared: decomposed, without marks, in lower case, `ß` as `ss`, `ς` as `σ`.
pub fn fold(text: &str) -> String {
    text.nfkd().filter(|c| !is_combining_mark(*c)).flat_map(char::to_lowercase).collect::<String>().replace('ß', "ss").replace('ς', "σ")
}

/// The words of a search, folded.
pub fn words(search: &str) -> Vec<String> {
    search.split_whitespace().map(fold).filter(|word| !word.is_empty()).collect()
}

/// Whether every word occurs in a text that is folded already.
pub fn contains(folded: &str, words: &[String]) -> bool {
    words.iter().all(|word| folded.contains(word.as_str()))
}

/// Whether every word occurs somewhere in the texts.
pub fn matches<'a>(words: &[String], texts: impl IntoIterator<Item = &'a str>) -> bool {
    if words.is_empty() {
        return true;
    }
    let texts: Vec<String> = texts.into_iter().map(fold).collect();
    contains(&texts.join("\n"), words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_diacritics_do_not_matter() {
        assert!(matches(&words("  ELISE strasse "), ["Élise", "Große Straße"]));
        assert!(!matches(&words("elise bob"), ["Élise"]));
        assert!(matches(&words("ΣΊΣΥΦΟΣ"), ["Σίσυφος"]) && matches(&words("σίσυφος"), ["ΣΙΣΥΦΟΣ"]));
    }
}
