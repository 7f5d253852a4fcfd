//! Templates of the mails that officers send: `{{ variable }}` and `{% if variable %}…{% else %}…
//! {% endif %}`, nothing else (E4). minijinja renders them.

use std::collections::BTreeMap;
use std::io;

use minijinja::Environment;
use minijinja::syntax::SyntaxConfig;

use crate::domain::TemplateFormat;
use crate::limits;
use crate::reason::Reason;
use crate::text::html::{self, escape};

/// Stands for `{{ link }}` while a template is cleaned, which keeps only whole addresses in links.
const LINK: &str = "https://link.clubs.invalid/";
/// Ends the name of a value that stands inside a tag.
const IN_TAG: &str = "_in_tag";

/// What a template may show, and may ask for in a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variable {
    /// First name.
    Name,
    /// Full name.
    FullName,
    /// Reason of the decision.
    Reason,
    /// Name of the committee. If the mail is about several, all of them.
    Committee,
    /// The same as `committee`.
    Committees,
    /// Name of the club.
    Club,
    /// Name of the application.
    Application,
    /// Web address where the person chooses an interview.
    Link,
}

impl Variable {
    /// Those of acceptances and rejections.
    pub(crate) const OF_DECISIONS: [Self; 7] = [
        Self::Name,
        Self::FullName,
        Self::Reason,
        Self::Committee,
        Self::Committees,
        Self::Club,
        Self::Application,
    ];
    /// Those of invitations to an interview.
    pub(crate) const OF_INTERVIEWS: [Self; 7] = [
        Self::Name,
        Self::FullName,
        Self::Committee,
        Self::Committees,
        Self::Club,
        Self::Application,
        Self::Link,
    ];

    /// Returns its name in templates.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::FullName => "full_name",
            Self::Reason => "reason",
            Self::Committee => "committee",
            Self::Committees => "committees",
            Self::Club => "club",
            Self::Application => "application",
            Self::Link => "link",
        }
    }
}

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
    /// Returns the values as HTML: of each variable one for texts, and one for the inside of a tag
    /// or a link. A condition on an empty value does not hold.
    fn escaped(&self) -> BTreeMap<String, String> {
        let all = [
            ("name", self.name),
            ("full_name", self.full_name),
            ("reason", self.reason),
            ("committee", self.committee),
            ("committees", self.committee),
            ("club", self.club),
            ("application", self.application),
            ("link", self.link),
        ];
        let both = all.into_iter().flat_map(|(name, value)| {
            let html = escape(if value.trim().is_empty() { "" } else { value });
            let text = match name {
                "link" if !html.is_empty() => format!("<a href=\"{html}\">{html}</a>"),
                _ => html.replace('\n', "<br>"),
            };
            let in_tag = (format!("{name}{IN_TAG}"), html.replace('\n', " "));
            [(name.to_owned(), text), in_tag]
        });
        both.collect()
    }
}

/// A piece of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    Variable(Variable),
    If(Variable),
    Else,
    End,
}

impl Piece<'_> {
    /// Returns the variable of a condition.
    fn asked(self) -> Option<Variable> {
        match self {
            Self::If(variable) => Some(variable),
            _ => None,
        }
    }

    /// Returns it as it is written; nothing for a text.
    fn tag(self) -> Option<String> {
        Some(match self {
            Self::Text(_) => return None,
            Self::Variable(variable) => format!("{{{{ {} }}}}", variable.name()),
            Self::If(variable) => format!("{{% if {} %}}", variable.name()),
            Self::Else => "{% else %}".to_owned(),
            Self::End => "{% endif %}".to_owned(),
        })
    }
}

/// Returns the pieces of a template, or what is wrong with it.
fn pieces<'a>(mut rest: &'a str, variables: &[Variable]) -> Result<Vec<Piece<'a>>, Reason> {
    let variable = |name: &str| {
        let mut all = variables.iter();
        all.find(|one| one.name() == name).copied().ok_or_else(|| {
            let (value, allowed) = (name.to_owned(), variables.iter().map(|one| one.name()));
            let allowed = allowed.collect();
            Reason::UnknownVariable { value, allowed }
        })
    };
    let mut pieces = vec![];
    while let Some(at) = ["{{", "{%", "{#"]
        .iter()
        .filter_map(|open| rest.find(open))
        .min()
    {
        let (text, tail) = rest.split_at(at);
        let (open, tail) = tail.split_at(2);
        let end = match open {
            "{{" => "}}",
            "{%" => "%}",
            _ => return Err(Reason::TemplateComment),
        };
        let (inner, tail) = tail.split_once(end).ok_or_else(|| Reason::OpenTag {
            value: open.to_owned(),
            allowed: vec![end],
        })?;
        pieces.push(Piece::Text(text));
        rest = tail;
        let words: Vec<&str> = inner.split_whitespace().collect();
        pieces.push(match (open, &words[..]) {
            ("{{", _) => Piece::Variable(variable(inner.trim())?),
            (_, ["if", name]) => Piece::If(variable(name)?),
            (_, ["else"]) => Piece::Else,
            (_, ["endif"]) => Piece::End,
            _ => {
                let value = format!("{{%{inner}%}}");
                return Err(Reason::UnknownCommand { value });
            }
        });
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// Where the end of a text is: inside a tag, or inside a link that has an address.
#[derive(Default)]
struct HtmlContext {
    /// The tag that has begun; none outside of tags.
    tag: Option<String>,
    quote: Option<char>,
    is_in_link: bool,
}

impl HtmlContext {
    /// Reads the next piece of the text.
    fn follow(&mut self, html: &str) {
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

/// Takes at most the size of a mail.
struct Bounded(Vec<u8>);

impl io::Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() + bytes.len() > limits::MAIL_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A template that can be rendered.
#[derive(Debug, Clone)]
pub struct Template {
    environment: Environment<'static>,
    shown: Vec<Variable>,
    /// The variables of its conditions.
    asked: Vec<Variable>,
}

/// The name of the only template of an environment.
const NAME: &str = "mail";

impl Template {
    /// Parses a template in this format, as [`Template::parse`] does.
    pub fn of(
        source: &str,
        format: TemplateFormat,
        variables: &[Variable],
    ) -> Result<Self, Reason> {
        match format {
            TemplateFormat::Html => Self::parse(source, variables),
            TemplateFormat::Text => Self::parse(&html::paragraphs(source), variables),
        }
    }

    /// Returns the format of a template as it was sent.
    pub fn format(sent: &str) -> TemplateFormat {
        if html::has_tags(sent) {
            TemplateFormat::Html
        } else {
            TemplateFormat::Text
        }
    }

    /// Returns the first name in single braces of a template, as `{name}`: it would be mailed as it
    /// stands.
    pub fn single_braces(source: &str) -> Option<&str> {
        let opened = source.match_indices('{');
        let mut found = opened.filter_map(|(at, _)| {
            let (before, after) = (&source[..at], &source[at + 1..]);
            let (name, behind) = after.split_once('}')?;
            let is_single = !before.ends_with('{') && !behind.starts_with('}');
            let is_part = |c: char| c.is_alphanumeric() || "_ -.".contains(c);
            let is_name = name.trim().starts_with(char::is_alphabetic) && name.chars().all(is_part);
            (is_single && is_name).then(|| &source[at..=at + 1 + name.len()])
        });
        found.next()
    }

    /// Returns whether a cleaned template has a link that leads nowhere.
    pub fn has_lost_link(cleaned: &str) -> bool {
        let mut links = cleaned.split("<a").skip(1);
        links.any(|link| {
            let tag = link.split('>').next().unwrap_or_default();
            (tag.is_empty() || tag.starts_with(' ')) && !tag.contains("href=")
        })
    }

    /// Parses a template that may use these variables. The error says what is wrong with it.
    pub fn parse(source: &str, variables: &[Variable]) -> Result<Self, Reason> {
        let mut prepared = String::with_capacity(source.len());
        let (mut shown, mut asked) = (vec![], vec![]);
        let mut context = HtmlContext::default();
        for piece in pieces(source, variables)? {
            match piece {
                Piece::Text(text) => {
                    context.follow(text);
                    prepared.push_str(text);
                }
                // A value is escaped, so it begins and ends no tag.
                Piece::Variable(variable) => {
                    let is_inside =
                        context.tag.is_some() || (variable == Variable::Link && context.is_in_link);
                    let end = if is_inside { IN_TAG } else { "" };
                    prepared.extend(["{{ ", variable.name(), end, " }}"]);
                    shown.push(variable);
                }
                other => {
                    prepared.extend(other.tag());
                    asked.extend(other.asked());
                }
            }
        }
        let mut environment = Environment::empty();
        let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
        environment.set_syntax(syntax.map_err(|_| Reason::UnbalancedIf)?);
        let read = environment.add_template_owned(NAME, prepared);
        read.map_err(|_| Reason::UnbalancedIf)?;
        Ok(Self {
            environment,
            shown,
            asked,
        })
    }

    /// Returns the text with the escaped values; none if it is larger than
    /// [`crate::limits::MAIL_BYTES`].
    pub fn render(&self, values: &Variables<'_>) -> Option<String> {
        let mut out = Bounded(vec![]);
        let template = self.environment.get_template(NAME).ok()?;
        let values = minijinja::Value::from_pairs(values.escaped());
        template.render_captured_to(values, &mut out).ok()?;
        String::from_utf8(out.0).ok()
    }

    /// Returns whether the template shows a variable.
    pub fn shows(&self, searched: Variable) -> bool {
        self.shown.contains(&searched)
    }

    /// Returns the source without scripts, event handlers and unsafe links ([`html::clean`]).
    /// `{{ link }}` may be the address of a link.
    pub fn clean(source: &str) -> String {
        let mut protected = String::with_capacity(source.len());
        for (n, part) in source.split("{{").enumerate() {
            let link = part
                .split_once("}}")
                .filter(|(name, _)| n > 0 && name.trim() == Variable::Link.name());
            match link {
                Some((_, after)) => protected.extend([LINK, after]),
                None => protected.extend([if n > 0 { "{{" } else { "" }, part]),
            }
        }
        html::clean(&protected).replace(LINK, "{{ link }}")
    }

    /// Returns what is wrong if `cleaned`, what [`Template::clean`] made of `source`, would show
    /// something else.
    pub fn changed(source: &str, cleaned: &str, variables: &[Variable]) -> Option<Reason> {
        let before = pieces(source, variables).ok()?;
        let after = pieces(cleaned, variables).ok()?;
        inside_tag(&after)
            .or_else(|| misplaced(source, cleaned, variables))
            .or_else(|| lost(&before, &after))
    }
}

/// Returns what is wrong if a condition is inside a tag: one of its branches could end the tag,
/// and what cleaning took for a text would be attributes.
fn inside_tag(cleaned: &[Piece<'_>]) -> Option<Reason> {
    let mut context = HtmlContext::default();
    cleaned.iter().find_map(|piece| {
        if let Piece::Text(text) = piece {
            context.follow(text);
        }
        let is_inside = matches!(piece, Piece::If(_)) && context.tag.is_some();
        is_inside.then(|| hidden(piece.tag().unwrap_or_default()))
    })
}

/// Returns what is wrong if cleaning took a variable or a condition away: from a comment, a
/// style, or the inside of a tag.
fn lost(before: &[Piece<'_>], after: &[Piece<'_>]) -> Option<Reason> {
    let tags = |pieces: &[Piece<'_>]| -> Vec<String> {
        pieces.iter().filter_map(|piece| piece.tag()).collect()
    };
    let (before, after) = (tags(before), tags(after));
    let wrong = (0..before.len()).find(|n| before.get(*n) != after.get(*n))?;
    if before.len() == after.len() {
        return Some(Reason::BetweenCells);
    }
    Some(hidden(before[wrong].clone()))
}

/// Returns what is wrong if a condition stands where it must not. Where HTML allows no text (for
/// example between the rows of a table), cleaning moves the condition away from its content, and
/// everybody would see both branches.
fn misplaced(source: &str, cleaned: &str, variables: &[Variable]) -> Option<Reason> {
    // Cleaning moves text out of tables only.
    if !source.to_ascii_lowercase().contains("<t") {
        return None;
    }
    let before = Template::parse(source, variables).ok()?;
    let after = Template::parse(cleaned, variables).ok()?;
    let shown = |template: &Template, filled: &dyn Fn(Variable) -> bool| {
        let value = |variable, text| if filled(variable) { text } else { "" };
        let html = template.render(&Variables {
            name: value(Variable::Name, "n"),
            full_name: value(Variable::FullName, "f"),
            reason: value(Variable::Reason, "r"),
            committee: value(Variable::Committee, "c"),
            club: value(Variable::Club, "o"),
            application: value(Variable::Application, "a"),
            link: value(Variable::Link, LINK),
        });
        let html = html::clean(&html.unwrap_or_default());
        html.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // Checks the conditions on each variable by themselves, with all others decided.
    let differs = |variable: &Variable, others: bool, holds: bool| {
        let filled = |one: Variable| if one == *variable { holds } else { others };
        shown(&before, &filled) != shown(&after, &filled)
    };
    let both = [true, false];
    let wrong = before.asked.iter().find(|variable| {
        let mut others = both.into_iter();
        others.any(|others| {
            both.into_iter()
                .any(|holds| differs(variable, others, holds))
        })
    })?;
    let value = format!("{{% if {} %}}", wrong.name());
    Some(Reason::BetweenRows { value })
}

/// What is said of a variable or a condition that cannot be where it is.
fn hidden(value: String) -> Reason {
    Reason::HiddenText { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADA: Variables<'static> = Variables {
        name: "Ada",
        full_name: "Ada <b>",
        reason: " ",
        committee: "Tech",
        club: "Chess & Go",
        application: "Fall",
        link: "https://clubs.test/submissions/1/interview/",
    };

    fn render(source: &str) -> String {
        Template::parse(source, &Variable::OF_DECISIONS)
            .unwrap()
            .render(&ADA)
            .unwrap()
    }

    // proves E4
    #[test]
    fn variables_are_escaped_and_conditions_chosen() {
        assert_eq!(
            render("<p>{{name}} / {{ full_name }} / {{ club }}</p>"),
            "<p>Ada / Ada &lt;b&gt; / Chess &amp; Go</p>"
        );
        assert_eq!(
            render(
                "{% if reason %}r{% else %}none{% endif %}{%if committee%}c{%if name%}n{%endif%}{% endif %}"
            ),
            "nonecn"
        );
        assert_eq!(render("no { tags } here %} }}"), "no { tags } here %} }}");
    }

    // proves H18, E4
    #[test]
    fn a_condition_ends_no_tag() {
        for source in [
            "<a title=\"{% if reason %}T{% endif %}\" href=\"javascript:x\" onclick=\"y\" x=\"</a>",
            "<p title=\"a>{% if reason %}b{% endif %}\">c</p>",
        ] {
            let variables = &Variable::OF_DECISIONS;
            let cleaned = Template::clean(source);
            assert!(
                Template::changed(source, &cleaned, variables).is_some(),
                "{cleaned}"
            );
        }
    }

    // proves E5
    #[test]
    fn all_else_is_refused() {
        for source in [
            "{{ password }}",
            "{{ name | upper }}",
            "{{ }}",
            "{{ name",
            "{% for x in y %}{% endfor %}",
            "{% if name %}",
            "{% endif %}",
            "{% else %}",
            "{% if name %}{% else %}{% else %}{% endif %}",
            "{% if not name %}{% endif %}",
            "{{ link }}",
            "{# note #}",
            "{% raw %}",
            "{% if name == 1 %}{% endif %}",
            "{{ name.__class__ }}",
            "{%",
            "{%}",
            "{{}",
        ] {
            assert!(
                Template::parse(source, &Variable::OF_DECISIONS).is_err(),
                "{source}"
            );
        }
        let deep = "{% if name %}".repeat(10_000);
        assert!(Template::parse(&deep, &Variable::OF_DECISIONS).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_template_parses_or_is_refused_without_new_tags(source in "[a{}% ifnamels<&]{0,60}", value in "\\PC{0,40}") {
            if let Ok(template) = Template::parse(&source, &Variable::OF_DECISIONS) {
                let values = Variables { name: &value, full_name: "", reason: "", committee: "", club: "", application: "", link: "" };
                // The same branches, without anything that could be a tag.
                let plain = Variables { name: if value.trim().is_empty() { "" } else { "x" }, ..values };
                let tags = |text: String| text.matches('<').count();
                proptest::prop_assert_eq!(
                    template.render(&values).map(tags),
                    template.render(&plain).map(tags)
                );
            }
        }
    }
}
