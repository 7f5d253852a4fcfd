//! Cleaning of HTML fields when they are written (H18).

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::sync::LazyLock;

use ammonia::{Builder, UrlRelative};

use crate::limits;
pub use crate::text::html_tags::long_tag;

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut cleaner = Builder::default();
    cleaner
        .url_schemes(["http", "https", "mailto"].into())
        .url_relative(UrlRelative::Custom(Box::new(with_scheme)))
        .link_rel(Some("noopener noreferrer nofollow"));
    cleaner
});

/// Returns the address of a link that was typed without a scheme, as `www.example.org/x`. Another
/// address without a scheme leads nowhere from a mail or another page, and is left out.
fn with_scheme(address: &str) -> Option<Cow<'_, str>> {
    let host = address.split(['/', '?', '#']).next().unwrap_or_default();
    // With an `@`, the host would be what stands behind it.
    if host.contains('@') {
        return None;
    }
    let mut labels = host.split('.');
    let is_host = host.contains('.') && labels.all(|label| !label.is_empty());
    let is_plain = !address.chars().any(|c| c.is_whitespace() || c.is_control());
    (is_host && is_plain).then(|| Cow::Owned(format!("https://{address}")))
}

/// Tags of whole documents, which the cleaner takes away: who sends them means HTML.
const OF_DOCUMENTS: [&str; 6] = ["html", "head", "body", "font", "script", "style"];

/// Returns whether a text has a tag that the cleaner knows, or one with attributes. One without is
/// plain text; `<3` is no tag.
pub fn has_tags(text: &str) -> bool {
    static ALLOWED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| CLEANER.clone_tags());
    text.split('<').skip(1).any(|after| {
        let after = after.strip_prefix('/').unwrap_or(after);
        let end = after.find(|c: char| !c.is_ascii_alphanumeric());
        let (name, rest) = after.split_at(end.unwrap_or(after.len()));
        let name = name.to_ascii_lowercase();
        let is_allowed = ALLOWED.contains(name.as_str()) || OF_DOCUMENTS.contains(&name.as_str());
        let is_tag = |c: char| c == '>' || c == '/' || c.is_ascii_whitespace();
        let Some((inside, _)) = rest.split_once('>') else {
            return false;
        };
        let has_attributes = !name.is_empty() && inside.contains('=');
        rest.starts_with(is_tag) && (is_allowed || has_attributes)
    })
}

/// Returns plain text as HTML: empty lines make paragraphs, line breaks stay.
pub fn paragraphs(text: &str) -> String {
    let text = escape(text).replace("\r\n", "\n").replace('\r', "\n");
    let mut html = String::with_capacity(text.len() + 16);
    let mut paragraph: Vec<&str> = vec![];
    for line in text.split('\n').chain([""]) {
        if !line.trim().is_empty() {
            paragraph.push(line);
        } else if !paragraph.is_empty() {
            let _ = writeln!(html, "<p>{}</p>", paragraph.join("<br>\n"));
            paragraph.clear();
        }
    }
    html
}

/// Returns the HTML without scripts, event handlers and unsafe links. Simple formatting stays.
pub fn clean(html: &str) -> String {
    CLEANER.clean(html).to_string()
}

/// Elements that the HTML parser opens again in each block until they are closed. Of those with the
/// same attributes it keeps three.
const FORMATTING: [&str; 12] = [
    "b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u",
];

/// Returns how many nodes the parser makes of an HTML text at most. Formatting elements that are
/// not closed are repeated in each block, so 25 KB can become millions of nodes and a gigabyte.
pub fn most_nodes(html: &str) -> usize {
    let (mut tags, mut kinds) = (0, HashSet::new());
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        rest = &rest[open + 1..];
        tags += 1;
        let name_end = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let name = rest[..name_end].to_ascii_lowercase();
        if FORMATTING.contains(&name.as_str()) {
            let attributes = attributes(&rest[name_end..]);
            kinds.insert((name, attributes));
        }
    }
    tags + 3 * kinds.len() * tags
}

/// Returns the text of the attributes of a tag, up to its end.
fn attributes(rest: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (position, c) in rest.char_indices() {
        match quote {
            Some(end) if c == end => quote = None,
            None if c == '>' => return &rest[..position],
            None if (c == '"' || c == '\'') && before == '=' => quote = Some(c),
            Some(_) | None => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    rest
}

/// Returns plain text escaped for HTML text and attributes.
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

/// Returns the text of an HTML document for mail readers without HTML: without tags, with blocks as
/// separate lines, and with links as `text (address)`.
pub fn to_text(html: &str) -> String {
    text_of(html, true)
}

/// Returns the visible text of an HTML document: like [`to_text`], but without the addresses of
/// links.
pub fn to_words(html: &str) -> String {
    text_of(html, false)
}

fn text_of(html: &str, with_addresses: bool) -> String {
    let mut text = String::with_capacity(html.len());
    let mut href: Option<String> = None;
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        push_text(&mut text, &rest[..open]);
        let Some(close) = rest[open..].find('>') else {
            break;
        };
        let tag = &rest[open + 1..open + close];
        match tag
            .trim_start_matches('/')
            .split([' ', '/'])
            .next()
            .unwrap_or_default()
        {
            "br" => text.push('\n'),
            "p" | "div" | "ul" | "ol" | "table" | "blockquote" | "h1" | "h2" | "h3" | "h4"
            | "h5" | "h6" | "hr" => break_block(&mut text),
            "tr" if !text.ends_with('\n') => text.push('\n'),
            "td" | "th" if !text.is_empty() && !text.ends_with(char::is_whitespace) => {
                text.push(' ');
            }
            "li" if !tag.starts_with('/') => {
                if !text.is_empty() && !text.ends_with('\n') {
                    text.push('\n');
                }
                text.push_str("- ");
            }
            "a" if tag.starts_with('/') => {
                if let Some(address) = href
                    .take()
                    .filter(|address| !text.ends_with(address.as_str()))
                {
                    let _ = write!(text, " ({address})");
                }
            }
            "a" if with_addresses => {
                href = tag
                    .split_once("href=\"")
                    .and_then(|(_, value)| value.split('"').next())
                    .map(unescape);
            }
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

/// Adds the text between two tags. White space becomes one space, and is removed at the start of a
/// line.
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

/// Elements without an end tag.
const VOID: [&str; 7] = ["area", "br", "col", "hr", "img", "wbr", "input"];

/// Returns the first [`limits::SHORTENED_DESCRIPTION`] characters of clean HTML, for lists of clubs
/// (C15).
pub fn beginning(html: &str) -> String {
    beginning_of(html, limits::SHORTENED_DESCRIPTION)
}

/// Returns the first `most` characters of clean HTML. The text is cut at the end of an outermost
/// element. If the first such element is longer, it is cut inside, and the open elements are
/// closed. The result may be a little longer then, so it must not be cut again.
pub fn beginning_of(html: &str, most: usize) -> String {
    let Some((limit, _)) = html.char_indices().nth(most) else {
        return html.to_owned();
    };
    let mut open: Vec<&str> = Vec::new();
    let (mut position, mut outermost) = (0, 0);
    while let Some(start) = html[position..limit]
        .find('<')
        .map(|found| position + found)
    {
        let Some(end) = html[start..]
            .find('>')
            .map(|found| start + found + 1)
            .filter(|end| *end <= limit)
        else {
            return cut(html, start, outermost, &open);
        };
        let tag = html[start + 1..end - 1].trim_end_matches('/');
        if tag.starts_with('/') {
            open.pop();
            if open.is_empty() {
                outermost = end;
            }
        } else {
            let name = tag.split([' ', '\n']).next().unwrap_or_default();
            if !VOID.contains(&name) {
                open.push(name);
            }
        }
        position = end;
    }
    cut(html, limit, outermost, &open)
}

/// Returns whether `short` is a beginning of `whole`, also one that an earlier release cut twice.
pub fn is_beginning(short: &str, whole: &str) -> bool {
    let mut text = short.trim_end();
    while let Some(start) = text.rfind("</").filter(|_| text.ends_with('>')) {
        text = text[..start].trim_end();
    }
    whole.starts_with(text.trim_end_matches('…').trim_end())
}

fn cut(html: &str, at: usize, outermost: usize, open: &[&str]) -> String {
    if outermost > 0 {
        return html[..outermost].to_owned();
    }
    // The text is not cut inside a character reference.
    let text = &html[..at];
    let text = match text.rfind('&') {
        Some(reference) if !text[reference..].contains(';') && at - reference < 12 => {
            &text[..reference]
        }
        _ => text,
    };
    let mut whole = format!("{}…", text.trim_end());
    for name in open.iter().rev() {
        let _ = write!(whole, "</{name}>");
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves H18
    #[test]
    fn cleaning_keeps_formatting_and_drops_what_runs() {
        let dirty = r#"<p onclick="x()">Hi <b>you</b><script>bad()</script> <a href="javascript:bad()">a</a> <a href="https://x.example">b</a></p>"#;
        assert_eq!(
            clean(dirty),
            r#"<p>Hi <b>you</b> <a rel="noopener noreferrer nofollow">a</a> <a href="https://x.example" rel="noopener noreferrer nofollow">b</a></p>"#
        );
    }

    // proves C15
    #[test]
    fn html_beginning_is_well_formed() {
        let paragraph = format!("<p>{}</p>", "word ".repeat(190));
        assert_eq!(beginning(&paragraph), paragraph);
        assert_eq!(beginning(&paragraph.repeat(5)), paragraph.repeat(2));
        let long = format!("<ul><li><b>{}</b></li></ul>", "&amp;x".repeat(1_000));
        let short = beginning(&long);
        assert!(
            short.chars().count() <= limits::SHORTENED_DESCRIPTION + 20
                && short.ends_with("…</b></li></ul>"),
            "{short}"
        );
        assert_eq!(clean(&short), short);
        let plain = "Ünï ".repeat(1_000);
        assert_eq!(
            beginning(&plain).chars().count(),
            limits::SHORTENED_DESCRIPTION
        );
        // The limit is inside a tag.
        let tag = format!("{}<a href=\"https://x.example\">x</a>", "a".repeat(1_995));
        assert_eq!(beginning(&tag), format!("{}…", "a".repeat(1_995)));
    }

    #[test]
    fn text_keeps_the_words_and_the_addresses() {
        let html = "<p>Dear &lt;Ada&gt;,</p><p>you are  in!<br>See <a \
            href=\"https://x.example/?a=1&amp;b=2\">here</a>.</p><ul><li>one</li><li>two</li></ul>";
        assert_eq!(
            to_words(html),
            "Dear <Ada>,\n\nyou are in!\nSee here.\n\n- one\n- two"
        );
        assert_eq!(
            to_text(html),
            "Dear <Ada>,\n\nyou are in!\nSee here (https://x.example/?a=1&b=2).\n\n- one\n- two"
        );
    }

    // proves E4
    #[test]
    fn a_text_without_tags_is_plain() {
        for text in [
            "I <3 you",
            "a < b > c",
            "Hi <name>",
            "<",
            "</>",
            "<bold>",
            "x<y && y>z",
            "a <b and c",
        ] {
            assert!(!has_tags(text), "{text}");
        }
        for text in [
            "<b>Hi</b>",
            "Hi<br>you",
            "<BR/>",
            "</p>",
            "<html><body>Hi",
            "<svg/onload=x>",
        ] {
            assert!(has_tags(text), "{text}");
        }
        assert_eq!(
            paragraphs("Dear {{ name }},\r\nhello.\n \n\n<3 & more\n"),
            "<p>Dear {{ name }},<br>\nhello.</p>\n<p>&lt;3 &amp; more</p>\n"
        );
    }

    // proves H18
    #[test]
    fn links_without_scheme_lead_somewhere() {
        for (address, kept) in [
            ("www.uni.example/x?y", Some("https://www.uni.example/x?y")),
            ("uni.example", Some("https://uni.example")),
            ("page", None),
            ("../x.html", None),
            ("/x.html", None),
            ("//uni.example", None),
            (".hidden", None),
            ("www.bank.example@evil.example", None),
            ("ada@uni.example", None),
        ] {
            let cleaned = clean(&format!("<a href=\"{address}\">x</a>"));
            let found = cleaned.split('"').nth(1).filter(|one| one.contains("://"));
            assert_eq!(found, kept, "{cleaned}");
        }
    }
}
