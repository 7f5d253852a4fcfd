//! Fills templates of mails with values.

use std::fmt::Write as _;

use crate::limits;
use crate::mail::parse::{Node, Variable};
use crate::text::html::escape;

/// The values of the variables, as plain text.
#[derive(Debug, Clone, Copy)]
pub struct Variables<'a> {
    /// First name.
    pub name: &'a str,
    /// Full name.
    pub full_name: &'a str,
    /// Reason of the decision.
    pub reason: &'a str,
    /// Name of the committee, or empty. If the mail is about several, all of them. `committees` is
    /// the same.
    pub committee: &'a str,
    /// Name of the club.
    pub club: &'a str,
    /// Name of the application.
    pub application: &'a str,
    /// Web address where the person chooses an interview, or empty.
    pub link: &'a str,
}

impl Variables<'_> {
    fn get(&self, variable: Variable) -> &str {
        match variable {
            Variable::Name => self.name,
            Variable::FullName => self.full_name,
            Variable::Reason => self.reason,
            Variable::Committee | Variable::Committees => self.committee,
            Variable::Club => self.club,
            Variable::Application => self.application,
            Variable::Link => self.link,
        }
    }
}

/// Where the end of a text is: inside a tag, or inside a link that has an address.
#[derive(Default)]
pub(crate) struct HtmlContext {
    /// The tag that has begun; none outside of tags.
    tag: Option<String>,
    quote: Option<char>,
    is_in_link: bool,
}

impl HtmlContext {
    pub(crate) fn is_in_tag(&self) -> bool {
        self.tag.is_some()
    }

    /// Reads the next piece of the text.
    pub(crate) fn follow(&mut self, html: &str) {
        for c in html.chars() {
            let Some(tag) = &mut self.tag else {
                self.tag = (c == '<').then(String::new);
                continue;
            };
            match self.quote {
                Some(quote) if quote == c => self.quote = None,
                None if c == '"' || c == '\'' => self.quote = Some(c),
                None if c == '>' => {
                    self.is_in_link = match tag.as_str() {
                        "/a" => false,
                        tag if tag.starts_with("a ") => tag.contains("href="),
                        _ => self.is_in_link,
                    };
                    self.tag = None;
                    continue;
                }
                Some(_) | None => {}
            }
            tag.push(c);
        }
    }
}

/// A text that is being made from a template.
#[derive(Default)]
pub(crate) struct Rendering {
    out: String,
    context: HtmlContext,
}

impl Rendering {
    /// Adds a part of a template. Stops when the text is too large.
    pub(crate) fn add(&mut self, nodes: &[Node], values: &Variables<'_>) {
        for node in nodes {
            if self.out.len() > limits::MAIL_BYTES {
                return;
            }
            match node {
                Node::Text(text) => {
                    self.out.push_str(text);
                    self.context.follow(text);
                }
                // A value is escaped, so it begins and ends no tag.
                Node::Variable(variable) => self.add_value(*variable, values),
                Node::If {
                    variable,
                    then,
                    otherwise,
                } => {
                    let is_empty = values.get(*variable).trim().is_empty();
                    self.add(if is_empty { otherwise } else { then }, values);
                }
            }
        }
    }

    /// A reason may have several lines. Inside a tag, for example in a link, there are none.
    fn add_value(&mut self, variable: Variable, values: &Variables<'_>) {
        let is_in_tag = self.context.is_in_tag();
        let line_break = if is_in_tag { " " } else { "<br>" };
        let value = escape(values.get(variable)).replace('\n', line_break);
        if variable == Variable::Link && !is_in_tag && !self.context.is_in_link {
            let _ = write!(self.out, "<a href=\"{value}\">{value}</a>");
        } else {
            self.out.push_str(&value);
        }
    }

    /// Returns the text; none if it is larger than [`limits::MAIL_BYTES`].
    pub(crate) fn finish(self) -> Option<String> {
        (self.out.len() <= limits::MAIL_BYTES).then_some(self.out)
    }
}
