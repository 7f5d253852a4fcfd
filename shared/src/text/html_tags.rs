//! How long the tags of an HTML text are, as the parser sees them. It compares each attribute with
//! all earlier ones of its tag, so one tag of 50 KB would take seconds.

use std::cell::Cell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::{RawKind, Rawtext, Rcdata, ScriptData};
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::limits;

/// Notes whether the tokenizer has finished something.
#[derive(Default)]
struct Finished(Cell<bool>);

impl TokenSink for Finished {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let tag = match token {
            // It is in the middle of something.
            Token::ParseError(_) => return TokenSinkResult::Continue,
            Token::TagToken(tag) if tag.kind == TagKind::StartTag => Some(tag),
            _ => None,
        };
        self.0.set(true);
        match tag.and_then(|tag| raw(&tag.name)) {
            Some(kind) => TokenSinkResult::RawData(kind),
            None => TokenSinkResult::Continue,
        }
    }
}

/// Elements whose content has no tags.
fn raw(name: &str) -> Option<RawKind> {
    match name {
        "script" => Some(ScriptData),
        "textarea" | "title" => Some(Rcdata),
        "style" | "xmp" | "iframe" | "noembed" | "noframes" => Some(Rawtext),
        _ => None,
    }
}

/// Returns whether a tag of an HTML text has more than [`limits::TAG`] bytes. Comments may.
pub fn has_long_tag(html: &str) -> bool {
    let tokenizer = Tokenizer::new(Finished::default(), TokenizerOpts::default());
    let input = BufferQueue::default();
    let mut begun = 0;
    for (at, c) in html.char_indices() {
        input.push_back(StrTendril::from_char(c));
        let _ = tokenizer.feed(&input);
        if tokenizer.sink.0.take() {
            begun = at + c.len_utf8();
        } else if at - begun > limits::TAG && is_tag(&html[begun..]) {
            return true;
        }
    }
    false
}

fn is_tag(html: &str) -> bool {
    let name = html.strip_prefix('<').unwrap_or(html);
    let name = name.strip_prefix('/').unwrap_or(name);
    name.starts_with(|c: char| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    // proves H18
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
                format!("a < b <!-- <p{long}> --> <style><p{long}></style>"),
                false,
            ),
            (format!("{long}<p title=\">\"{long}>"), true),
            (format!("<style><!--</style><p{long}>-->"), true),
            (format!("<!-- <p x=\"--><p{long}>"), true),
            (format!("<p{long}"), true),
            (format!("</p{long}>"), true),
        ] {
            assert_eq!(has_long_tag(&html), expected, "{}", &html[..20]);
        }
    }
}
