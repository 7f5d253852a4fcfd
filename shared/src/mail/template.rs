//! Templates: `{{ variable }}` and `{% if variable %}…{% else %}…{% endif %}`, nothing else (E4).

use std::fmt::Write as _;

use crate::mail::parse::{Node, Parser, TemplateTag, Variable};
use crate::mail::render::{HtmlContext, Rendering, Variables};
use crate::text::html;

/// Stands for `{{ link }}` while a template is cleaned, which keeps only whole addresses in links.
const LINK: &str = "https://link.clubs.invalid/";

/// Limit for templates with tables: bytes times number of conditions. Checking a condition cleans
/// the whole text several times.
const CHECKED: usize = 300_000;

/// A parsed template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template(Vec<Node>);

impl Template {
    /// Parses a template that may use these variables. The error says what is wrong with it.
    pub fn parse(source: &str, variables: &[Variable]) -> Result<Self, String> {
        let mut parser = Parser {
            rest: source,
            variables,
        };
        let (nodes, end) = parser.nodes(0)?;
        match end {
            None => Ok(Self(nodes)),
            Some(TemplateTag::Else) => Err("{% else %} without {% if %}.".into()),
            Some(_) => Err("{% endif %} without {% if %}.".into()),
        }
    }

    /// Returns the text with the escaped values; none if it is larger than
    /// [`crate::limits::MAIL_BYTES`].
    pub fn render(&self, values: &Variables<'_>) -> Option<String> {
        let mut out = Rendering::default();
        out.add(&self.0, values);
        out.finish()
    }

    /// Returns the template as HTML, with the conditions replaced by the branch that `holds`
    /// chooses. `holds` gets the number of the condition in the source. A condition for which it
    /// returns none stays, and so do all variables.
    fn resolved(&self, holds: &impl Fn(usize) -> Option<bool>) -> String {
        fn walk(
            nodes: &[Node],
            number: &mut usize,
            holds: &impl Fn(usize) -> Option<bool>,
            out: &mut String,
        ) {
            for node in nodes {
                match node {
                    Node::Text(text) => out.push_str(text),
                    Node::Variable(variable) => {
                        let _ = write!(out, "{{{{ {} }}}}", variable.name());
                    }
                    Node::If {
                        variable,
                        then,
                        otherwise,
                    } => {
                        let decided = holds(*number);
                        *number += 1;
                        let (mut first, mut second) = (String::new(), String::new());
                        walk(then, number, holds, &mut first);
                        walk(otherwise, number, holds, &mut second);
                        match decided {
                            Some(true) => out.push_str(&first),
                            Some(false) => out.push_str(&second),
                            None => {
                                let name = variable.name();
                                let _ = write!(
                                    out,
                                    "{{% if {name} %}}{first}{{% else %}}{second}{{% endif %}}"
                                );
                            }
                        }
                    }
                }
            }
        }
        let (mut out, mut number) = (String::new(), 0);
        walk(&self.0, &mut number, holds, &mut out);
        out
    }

    /// Returns the variables of the conditions, in the order of the source.
    fn conditions(&self) -> Vec<&'static str> {
        fn walk(nodes: &[Node], found: &mut Vec<&'static str>) {
            for node in nodes {
                if let Node::If {
                    variable,
                    then,
                    otherwise,
                } = node
                {
                    found.push(variable.name());
                    walk(then, found);
                    walk(otherwise, found);
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.0, &mut found);
        found
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

    /// Returns an error message if `cleaned`, what [`Template::clean`] made of `source`, would show
    /// something else.
    pub fn changed(source: &str, cleaned: &str, variables: &[Variable]) -> Option<String> {
        Self::inside_tag(cleaned, variables)
            .or_else(|| Self::misplaced(source, variables))
            .or_else(|| Self::lost(source, cleaned, variables))
    }

    /// Returns an error message if a condition is inside a tag: one of its branches could end the
    /// tag, and what cleaning took for a text would be attributes.
    fn inside_tag(cleaned: &str, variables: &[Variable]) -> Option<String> {
        fn walk(nodes: &[Node], context: &mut HtmlContext) -> Option<String> {
            nodes.iter().find_map(|node| match node {
                Node::Text(text) => {
                    context.follow(text);
                    None
                }
                Node::Variable(_) => None,
                Node::If { variable, .. } if context.is_in_tag() => {
                    Some(hidden(&format!("{{% if {} %}}", variable.name())))
                }
                Node::If {
                    then, otherwise, ..
                } => walk(then, context).or_else(|| walk(otherwise, context)),
            })
        }
        walk(
            &Self::parse(cleaned, variables).ok()?.0,
            &mut HtmlContext::default(),
        )
    }

    /// Returns an error message if cleaning took a variable or a condition away: from a comment, a
    /// style, or the inside of a tag.
    fn lost(source: &str, cleaned: &str, variables: &[Variable]) -> Option<String> {
        let before = Self::parse(source, variables).ok()?.tokens();
        let after = Self::parse(cleaned, variables).ok()?.tokens();
        let wrong = (0..before.len()).find(|n| before.get(*n) != after.get(*n))?;
        if before.len() == after.len() {
            return Some("A variable is between the parts of a table. Put it into a cell.".into());
        }
        Some(hidden(&before[wrong]))
    }

    /// Returns its variables and conditions in the order of the source.
    fn tokens(&self) -> Vec<String> {
        fn walk(nodes: &[Node], found: &mut Vec<String>) {
            for node in nodes {
                match node {
                    Node::Text(_) => {}
                    Node::Variable(variable) => {
                        found.push(format!("{{{{ {} }}}}", variable.name()));
                    }
                    Node::If {
                        variable,
                        then,
                        otherwise,
                    } => {
                        found.push(format!("{{% if {} %}}", variable.name()));
                        walk(then, found);
                        let mut second = Vec::new();
                        walk(otherwise, &mut second);
                        if !second.is_empty() {
                            found.push("{% else %}".to_owned());
                            found.extend(second);
                        }
                        found.push("{% endif %}".to_owned());
                    }
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.0, &mut found);
        found
    }

    /// Returns an error message if a condition stands where it must not. Where HTML allows no text
    /// (for example between the rows of a table), cleaning moves the condition away from its
    /// content, and everybody would see both branches. `source` is the template before it is
    /// cleaned.
    fn misplaced(source: &str, variables: &[Variable]) -> Option<String> {
        let template = Self::parse(source, variables).ok()?;
        let conditions = template.conditions();
        // Cleaning moves text out of tables only.
        if !source.to_ascii_lowercase().contains("<t") {
            return None;
        }
        if conditions.len() * source.len() > CHECKED {
            return Some(
                "There are too many conditions for a text of this length with tables.".to_owned(),
            );
        }
        let squeezed = |html: &str| html.split_whitespace().collect::<Vec<_>>().join(" ");
        // Checks each condition by itself, with all others decided.
        let wrong = (0..conditions.len()).find(|n| {
            [true, false].into_iter().any(|others| {
                let with_it = template.resolved(&|i| (i != *n).then_some(others));
                let Ok(cleaned) = Self::parse(&html::clean(&with_it), variables) else {
                    return true;
                };
                [true, false].into_iter().any(|holds| {
                    let before = html::clean(
                        &template.resolved(&|i| Some(if i == *n { holds } else { others })),
                    );
                    let after = html::clean(&cleaned.resolved(&|_| Some(holds)));
                    squeezed(&before) != squeezed(&after)
                })
            })
        })?;
        let name = conditions[wrong];
        Some(format!(
            "Condition {} ({{% if {name} %}}) is at a place where HTML allows no text, \
             such as between the rows of a table. \
             Put it inside a cell, or around the whole table.",
            wrong + 1
        ))
    }

    /// Returns whether the template shows a variable.
    pub fn shows(&self, searched: Variable) -> bool {
        fn any(nodes: &[Node], searched: Variable) -> bool {
            nodes.iter().any(|node| match node {
                Node::Text(_) => false,
                Node::Variable(variable) => *variable == searched,
                Node::If {
                    then, otherwise, ..
                } => any(then, searched) || any(otherwise, searched),
            })
        }
        any(&self.0, searched)
    }
}

/// What is said of a variable or a condition that cannot be where it is.
fn hidden(token: &str) -> String {
    format!(
        "{token} is at a place where HTML shows no text, such as a comment or the inside of a tag. \
         Put it into the text."
    )
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
