//! Cleaning of HTML fields on write (decisions.md §1, §12.3).

use std::fmt::Write as _;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use crate::limits;

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::default();
    cleaner.url_schemes(["http", "https", "mailto"].into()).url_relative(UrlRelative::Deny).link_rel(Some("noopener noreferrer nofollow"));
    cleaner
});

/// The HTML without scripts, event handlers and unsafe links; simple formatting stays.
pub fn clean(html: &str) -> String {
    CLEANER.clean(html).to_string()
}

/// Plain text, made safe for HTML text and attributes.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// The text of an HTML document for readers without HTML: tags gone, blocks as lines, links as `text (address)`.
pub fn to_text(html: &str) -> String {
    text_of(html, true)
}

/// The text that readers of an HTML document see: as [`to_text`], without the addresses of links.
pub fn to_words(html: &str) -> String {
    text_of(html, false)
}

fn text_of(html: &str, with_addresses: bool) -> String {
    let mut text = String::with_capacity(html.len());
    let mut href: Option<String> = None;
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        push_text(&mut text, &rest[..open]);
        let Some(close) = rest[open..].find('>') else { break };
        let tag = &rest[open + 1..open + close];
        match tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default() {
            "br" => text.push('\n'),
            "p" | "div" | "ul" | "ol" | "table" | "blockquote" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "hr" => break_block(&mut text),
            "tr" if !text.ends_with('\n') => text.push('\n'),
            "li" if !tag.starts_with('/') => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text.push_str("- ");
            }
            "a" if tag.starts_with('/') => {
                if let Some(address) = href.take().filter(|address| !text.ends_with(address.as_str())) {
                    let _ = write!(text, " ({address})");
                }
            }
            "a" if with_addresses => href = tag.split_once("href=\"").and_then(|(_, value)| value.split('"').next()).map(unescape),
            _ => {}
        }
        rest = &rest[open + close + 1..];
    }
    if !rest.contains('<') {
        push_text(&mut text, rest);
    }
    text.trim().to_owned()
}

fn break_block(text: &mut String) {
    let kept = text.trim_end_matches(' ').len();
    text.truncate(kept);
    if !text.is_empty() {
        while !text.ends_with("\n\n") {
            text.push('\n');
        }
    }
}

/// Adds what stands between two tags: white space is one space, none at the beginning of a line.
fn push_text(text: &mut String, html: &str) {
    let is_space = |c: char| c.is_whitespace() && c != '\u{a0}';
    let from = text.len();
    let mut space = text.is_empty() || text.ends_with(['\n', ' ']);
    let mut rest = html;
    while let Some(first) = rest.chars().next() {
        if is_space(first) {
            rest = rest.trim_start_matches(is_space);
            if !space {
                text.push(' ');
            }
            space = true;
        } else {
            let (word, after) = rest.split_at(rest.find(is_space).unwrap_or(rest.len()));
            text.push_str(word);
            rest = after;
            space = false;
        }
    }
    if text[from..].contains('&') {
        let plain = unescape(&text[from..]);
        text.truncate(from);
        text.push_str(&plain);
    }
}

fn unescape(html: &str) -> String {
    html.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&nbsp;", " ")
        .replace("&amp;", "&")
}

/// Shortens the descriptions of one answer if all of them together would be too large for it: otherwise a few long ones
/// would keep everybody from the list that they stand in. Of each that is long, the beginning stays, as plain text.
pub fn shorten<'a>(descriptions: impl Iterator<Item = &'a mut String>) {
    let all: Vec<&mut String> = descriptions.collect();
    // Quotes and control characters are longer in JSON.
    let size = |text: &str| text.len() + text.bytes().filter(|b| matches!(b, b'"' | b'\\' | 0..=0x1f)).count() * 2;
    if all.iter().map(|text| size(text)).sum::<usize>() <= limits::DESCRIPTIONS {
        return;
    }
    for text in all.into_iter().filter(|text| size(text) > limits::SHORTENED * 4) {
        let beginning: String = to_text(text).chars().take(limits::SHORTENED).collect();
        *text = format!("<p>{}…</p>", escape(&beginning));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cleaning_keeps_formatting_and_drops_what_runs() {
        let dirty = r#"<p onclick="x()">Hi <b>you</b><script>bad()</script> <a href="javascript:bad()">a</a> <a href="https://x.example">b</a></p>"#;
        assert_eq!(
            clean(dirty),
            r#"<p>Hi <b>you</b> <a rel="noopener noreferrer nofollow">a</a> <a href="https://x.example" rel="noopener noreferrer nofollow">b</a></p>"#
        );
    }

    #[test]
    fn text_keeps_the_words_and_the_addresses() {
        let html = "<p>Dear &lt;Ada&gt;,</p><p>you are  in!<br>See <a href=\"https://x.example/?a=1&amp;b=2\">here</a>.</p><ul><li>one</li><li>two</li></ul>";
        assert_eq!(to_words(html), "Dear <Ada>,\n\nyou are in!\nSee here.\n\n- one\n- two");
        assert_eq!(to_text(html), "Dear <Ada>,\n\nyou are in!\nSee here (https://x.example/?a=1&b=2).\n\n- one\n- two");
    }
}
