//! How long the tags of an HTML text are, as the parser sees them. It compares each attribute with
//! all earlier ones of its tag, so one tag of 50 KB would take seconds.

use std::cell::Cell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::limits;

/// Notes whether the tokenizer has finished something.
#[derive(Default)]
struct Finished(Cell<bool>);

impl TokenSink for Finished {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        // A parse error ends nothing.
        if !matches!(token, Token::ParseError(_)) {
            self.0.set(true);
        }
        TokenSinkResult::Continue
    }
}

/// Returns the limit that a tag or a comment of an HTML text breaks: tags have at most
/// [`limits::TAG`] bytes, and comments [`limits::HTML_COMMENT`]. The content of elements such as
/// `style` counts as if it had tags: in SVG it has. So each tag that the parser sees is a tag here,
/// or a part of something that is bounded.
pub fn long_tag(html: &str) -> Option<usize> {
    if html.len() <= limits::TAG {
        return None;
    }
    let options = TokenizerOpts {
        // Otherwise a byte order mark is dropped without a token, and the first tag seems to begin
        // with it.
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    let tokenizer = Tokenizer::new(Finished::default(), options);
    let input = BufferQueue::default();
    let mut begun = 0;
    for (at, c) in html.char_indices() {
        input.push_back(StrTendril::from_char(c));
        let _ = tokenizer.feed(&input);
        if tokenizer.sink.0.take() {
            begun = at + c.len_utf8();
        } else if at - begun > limits::TAG {
            let limit = if is_tag(&html[begun..]) {
                limits::TAG
            } else {
                limits::HTML_COMMENT
            };
            if at - begun > limit {
                return Some(limit);
            }
        }
    }
    None
}

fn is_tag(html: &str) -> bool {
    let name = html.strip_prefix('<').unwrap_or(html);
    let name = name.strip_prefix('/').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves H17
    #[test]
    fn long_tags_are_found_and_long_texts_and_comments_are_not() {
        let many = |n: u32| -> String {
            let names = (0..n).filter_map(|n| char::from_u32(0x4e00 + n));
            names.flat_map(|c| [' ', c]).collect()
        };
        let (short, long) = (many(500), many(2_000));
        for (html, expected) in [
            (format!("<p{short}>{long}</p><b{short}>&amp;"), false),
            (
                format!("a < b <!-- <p{long}> --> <style>{long}</style>"),
                false,
            ),
            (format!("<!--{}-->", long.repeat(6)), true),
            (format!("{long}<p title=\">\"{long}>"), true),
            (format!("<style><!--</style><p{}>-->", long.repeat(6)), true),
            (format!("<!-- <p x=\"--><p{long}>"), true),
            (format!("<p{long}"), true),
            (format!("\u{feff}<p{long}>"), true),
            (format!("<svg><style><g{long}>"), true),
            (format!("<math><title><p{long}>"), true),
            (format!("</p{long}>"), true),
        ] {
            let start: String = html.chars().take(20).collect();
            assert_eq!(long_tag(&html).is_some(), expected, "{start}");
        }
    }
}
