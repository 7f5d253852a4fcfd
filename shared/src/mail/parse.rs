//! Parses the templates of decision mails.

pub(crate) enum TemplateTag {
    If(usize),
    Else,
    End,
}

pub(crate) struct Parser<'a> {
    pub(crate) rest: &'a str,
}

impl<'a> Parser<'a> {
    /// Reads up to the end of the text, or to the tag that ends this branch.
    pub(crate) fn nodes(
        &mut self,
        depth: usize,
    ) -> Result<(Vec<Node>, Option<TemplateTag>), String> {
        if depth > DEPTH {
            return Err(format!("Conditions can be nested at most {DEPTH} deep."));
        }
        let mut nodes = Vec::new();
        loop {
            let next = ["{{", "{%", "{#"]
                .iter()
                .filter_map(|open| self.rest.find(open))
                .min();
            let Some(start) = next else {
                push_text(&mut nodes, self.rest);
                self.rest = "";
                return Ok((nodes, None));
            };
            push_text(&mut nodes, &self.rest[..start]);
            self.rest = &self.rest[start..];
            if self.rest.starts_with("{#") {
                return Err("Comments are not supported.".into());
            }
            if self.rest.starts_with("{{") {
                let inner = self.inside("}}")?;
                nodes.push(Node::Variable(variable(inner)?));
                continue;
            }
            match tag(self.inside("%}")?)? {
                TemplateTag::If(variable) => {
                    let (then, end) = self.nodes(depth + 1)?;
                    let (otherwise, end) = if matches!(end, Some(TemplateTag::Else)) {
                        self.nodes(depth + 1)?
                    } else {
                        (vec![], end)
                    };
                    match end {
                        Some(TemplateTag::End) => nodes.push(Node::If {
                            variable,
                            then,
                            otherwise,
                        }),
                        Some(_) => return Err("A condition can have only one {% else %}.".into()),
                        None => return Err("{% if %} without {% endif %}.".into()),
                    }
                }
                end => return Ok((nodes, Some(end))),
            }
        }
    }

    fn inside(&mut self, close: &str) -> Result<&'a str, String> {
        let (open, rest) = self.rest.split_at(2);
        let (inner, rest) = rest
            .split_once(close)
            .ok_or_else(|| format!("{open} without {close}."))?;
        self.rest = rest;
        Ok(inner)
    }
}

fn push_text(nodes: &mut Vec<Node>, text: &str) {
    if !text.is_empty() {
        nodes.push(Node::Text(text.to_owned()));
    }
}

pub(crate) fn variable(name: &str) -> Result<usize, String> {
    let name = name.trim();
    let known = VARIABLES.iter().position(|known| *known == name);
    known.ok_or_else(|| {
        format!(
            "{name:?} is not a variable. There are: {}.",
            VARIABLES.join(", ")
        )
    })
}

fn tag(inner: &str) -> Result<TemplateTag, String> {
    let mut words = inner.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some("if"), Some(name), None) => Ok(TemplateTag::If(variable(name)?)),
        (Some("else"), None, _) => Ok(TemplateTag::Else),
        (Some("endif"), None, _) => Ok(TemplateTag::End),
        _ => Err(format!(
            "{{%{inner}%}} is not supported: there are if, else and endif."
        )),
    }
}

/// The variables that templates may use.
pub(crate) const VARIABLES: [&str; 7] = [
    "name",
    "full_name",
    "reason",
    "committee",
    "committees",
    "club",
    "application",
];

/// How deep conditions may be nested.
pub(crate) const DEPTH: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Text(String),
    Variable(usize),
    If {
        variable: usize,
        then: Vec<Node>,
        otherwise: Vec<Node>,
    },
}
