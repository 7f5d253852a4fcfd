//! Parses the templates of the mails that officers send.

pub(crate) enum TemplateTag {
    If(Variable),
    Else,
    End,
}

pub(crate) struct Parser<'a> {
    pub(crate) rest: &'a str,
    /// The variables that the template may use.
    pub(crate) variables: &'a [Variable],
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
            let bytes = self.rest.as_bytes();
            let is_open = |at: &usize| matches!(bytes.get(at + 1), Some(b'{' | b'%' | b'#'));
            let Some(start) = memchr::memchr_iter(b'{', bytes).find(is_open) else {
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
                nodes.push(Node::Variable(self.variable(inner)?));
                continue;
            }
            let inner = self.inside("%}")?;
            match self.tag(inner)? {
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

    fn variable(&self, name: &str) -> Result<Variable, String> {
        let name = name.trim();
        let variable = self
            .variables
            .iter()
            .find(|variable| variable.name() == name);
        variable.copied().ok_or_else(|| {
            let names: Vec<&str> = self
                .variables
                .iter()
                .map(|variable| variable.name())
                .collect();
            let names = names.join(", ");
            format!("{name:?} is not a variable. There are: {names}.")
        })
    }

    fn tag(&self, inner: &str) -> Result<TemplateTag, String> {
        let mut words = inner.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("if"), Some(name), None) => Ok(TemplateTag::If(self.variable(name)?)),
            (Some("else"), None, _) => Ok(TemplateTag::Else),
            (Some("endif"), None, _) => Ok(TemplateTag::End),
            _ => Err(format!(
                "{{%{inner}%}} is not supported: there are if, else and endif."
            )),
        }
    }
}

fn push_text(nodes: &mut Vec<Node>, text: &str) {
    if !text.is_empty() {
        nodes.push(Node::Text(text.to_owned()));
    }
}

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

/// How deep conditions may be nested.
pub(crate) const DEPTH: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Text(String),
    Variable(Variable),
    If {
        variable: Variable,
        then: Vec<Node>,
        otherwise: Vec<Node>,
    },
}
