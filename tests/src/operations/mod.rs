//! Every operation once: who may call it, and with which body it succeeds. The tests of roles, of
//! repeats with a key and of lost answers read these rows, and so do the price list and the
//! examples of the OpenAPI document.

mod applications;
mod catalogue;
mod events;
mod memberships;
mod submissions;
mod webhooks;

use std::collections::BTreeMap;

use http::Method;
use serde_json::Value;

use crate::scene::{ADMIN, CONCERNED, MEMBER, OFFICER, OWNER, STRANGER};

/// The status for each caller of a [`crate::scene::Scene`].
pub type Statuses = [u16; 7];

const ANYBODY: Statuses = [200; 7];
const SIGNED_IN: Statuses = [401, 200, 200, 200, 200, 200, 200];
const OFFICERS: Statuses = officers(200);

const fn officers(status: u16) -> Statuses {
    [401, 403, 403, status, status, status, 403]
}

const fn admins(status: u16) -> Statuses {
    [401, 403, 403, 403, 403, status, 403]
}

const fn owners(status: u16) -> Statuses {
    [401, 403, 403, 403, status, status, 403]
}

/// Only the person whose data it is; others are told that it does not exist.
const fn own(status: u16) -> Statuses {
    [401, 404, 404, 404, 404, 404, status]
}

/// Who is not a member yet.
const fn outsiders(status: u16) -> Statuses {
    [401, status, 400, 400, 400, status, 400]
}

/// The body of a request.
#[derive(Debug, Clone)]
pub enum Body {
    /// None.
    Nothing,
    /// JSON. A text such as `{question}` stands for a value of the campus ([`Values`]).
    Json(Value),
    /// The object as GET shows it.
    Whole,
    /// A form with a picture.
    Picture,
}

/// The values of placeholders such as `{club}` on a campus.
#[derive(Debug, Clone, Default)]
pub struct Values(BTreeMap<&'static str, Value>);

impl Values {
    /// The value of a placeholder.
    ///
    /// # Panics
    ///
    /// If the campus has no such value.
    pub fn get(&self, name: &str) -> &Value {
        let value = self.0.get(name);
        value.unwrap_or_else(|| panic!("the campus has no value for {name}"))
    }

    /// The path with the values of this campus.
    pub fn path(&self, path: &str) -> String {
        let segment = |segment: &str| match self.0.get(segment) {
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
            None => segment.to_owned(),
        };
        path.split('/').map(segment).collect::<Vec<_>>().join("/")
    }

    /// The body with the values of this campus.
    pub fn body(&self, body: &Value) -> Value {
        match body {
            Value::String(text) => self.0.get(text.as_str()).unwrap_or(body).clone(),
            Value::Array(all) => all.iter().map(|value| self.body(value)).collect(),
            Value::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), self.body(value)))
                .collect(),
            other => other.clone(),
        }
    }
}

impl Extend<(&'static str, Value)> for Values {
    fn extend<I: IntoIterator<Item = (&'static str, Value)>>(&mut self, values: I) {
        self.0.extend(values);
    }
}

/// An operation, with a request that succeeds for at least one caller.
#[derive(Debug, Clone)]
pub struct Operation {
    /// The `operationId` of the OpenAPI document.
    pub id: &'static str,
    /// The method.
    pub method: Method,
    /// The path as it is documented.
    pub route: String,
    /// The path of the request. It may have other placeholders than the documented one.
    pub path: String,
    /// The query with its `?`, or nothing.
    pub query: &'static str,
    /// The body.
    pub body: Body,
    /// What each caller gets.
    pub statuses: Statuses,
    /// Whether the request stores something.
    pub writes: bool,
    by: Option<usize>,
}

impl Operation {
    /// The caller who makes the request in tests of something else than roles.
    pub fn caller(&self) -> usize {
        let succeeds = |caller: &usize| self.statuses[*caller] < 300;
        let order = [OWNER, ADMIN, CONCERNED, OFFICER, MEMBER, STRANGER];
        self.by
            .or_else(|| order.into_iter().find(succeeds))
            .unwrap_or(ADMIN)
    }

    /// The status that this caller gets.
    pub fn status(&self) -> u16 {
        self.statuses[self.caller()]
    }
}

/// A row of the tables. Method and path come from the OpenAPI document.
struct Row(Operation);

fn row(id: &'static str, statuses: Statuses, body: Body, writes: bool) -> Row {
    Row(Operation {
        id,
        method: Method::GET,
        route: String::new(),
        path: String::new(),
        query: "",
        body,
        statuses,
        writes,
        by: None,
    })
}

/// An operation that stores nothing.
fn read(id: &'static str, statuses: Statuses) -> Row {
    row(id, statuses, Body::Nothing, false)
}

/// An operation that stores nothing, with its body in JSON.
fn report(id: &'static str, statuses: Statuses, body: Value) -> Row {
    row(id, statuses, Body::Json(body), false)
}

/// An operation that stores something, with its body in JSON or null.
fn write(id: &'static str, statuses: Statuses, body: Value) -> Row {
    let body = match body {
        Value::Null => Body::Nothing,
        body => Body::Json(body),
    };
    row(id, statuses, body, true)
}

/// A PUT of the object as GET shows it.
fn replace(id: &'static str, statuses: Statuses) -> Row {
    row(id, statuses, Body::Whole, false)
}

/// An upload of a picture.
fn upload(id: &'static str) -> Row {
    row(id, OFFICERS, Body::Picture, true)
}

impl Row {
    fn query(mut self, query: &'static str) -> Self {
        self.0.query = query;
        self
    }

    fn by(mut self, caller: usize) -> Self {
        self.0.by = Some(caller);
        self
    }

    /// The request succeeds and stores nothing, because there is nothing to do.
    fn stores_nothing(mut self) -> Self {
        self.0.writes = false;
        self
    }

    /// A path with other placeholders than the documented one.
    fn at(mut self, path: &str) -> Self {
        path.clone_into(&mut self.0.path);
        self
    }
}

/// The operations of the OpenAPI document: method and path by `operationId`.
pub fn documented() -> BTreeMap<String, (Method, String)> {
    let document = local::document();
    let items = document["paths"].as_object().into_iter().flatten();
    let operations = items.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| {
            let id = operation["operationId"].as_str().unwrap_or_default();
            let method = Method::from_bytes(method.to_uppercase().as_bytes()).expect("a method");
            (id.to_owned(), (method, path.clone()))
        })
    });
    operations.collect()
}

/// All operations.
///
/// # Panics
///
/// If the OpenAPI document has other operations. The message says what to add.
pub fn all() -> Vec<Operation> {
    let documented = documented();
    let rows: Vec<Row> = [
        catalogue::rows(),
        webhooks::rows(),
        memberships::rows(),
        applications::rows(),
        submissions::rows(),
        events::rows(),
    ]
    .into_iter()
    .flatten()
    .collect();
    let missing: Vec<&String> = documented
        .keys()
        .filter(|id| rows.iter().all(|row| row.0.id != id.as_str()))
        .collect();
    assert!(
        missing.is_empty(),
        "add a row to tests/src/operations/ for {missing:?}: who may call it, and a body"
    );
    let with_path = |Row(operation): Row| {
        let (method, route) = documented
            .get(operation.id)
            .unwrap_or_else(|| panic!("{} is not in the OpenAPI document", operation.id));
        let is_usual = operation.path.is_empty();
        Operation {
            method: method.clone(),
            route: route.clone(),
            path: if is_usual {
                route.clone()
            } else {
                operation.path
            },
            ..operation
        }
    };
    rows.into_iter().map(with_path).collect()
}

/// One request of each operation, in an order in which all of them succeed on one campus if the
/// caller may do everything: reads, writes, deletions from the inside to the outside.
pub fn once() -> Vec<Operation> {
    let mut rows: Vec<Operation> = Vec::new();
    for row in all() {
        let is_first = rows.iter().all(|existing| existing.id != row.id);
        if is_first && !matches!(row.body, Body::Whole) {
            rows.push(row);
        }
    }
    rows.sort_by_key(|row| {
        let depth = row.route.split('/').count();
        match row.method {
            Method::GET => 0,
            Method::DELETE if row.id == "delete_settings" => 200,
            Method::DELETE if row.route.starts_with("/api/clubs/") => 100 - depth,
            Method::DELETE => 2,
            _ => 1,
        }
    });
    rows
}
