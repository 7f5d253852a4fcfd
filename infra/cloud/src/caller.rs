//! A person who calls the gateway.

use std::time::{Duration, Instant};

use http::Method;
use local::issuer::Subject;
use serde_json::Value;
use tests::{Client, Response};

use crate::{Cloud, Error};

/// A caller of the API. It puts the stage in front of each path.
pub(crate) struct Caller(pub(crate) Client);

impl Caller {
    pub(crate) async fn send(&self, method: Method, path: &str, body: Value) -> Response {
        self.0
            .send(
                method,
                &format!("/dev{path}"),
                Some(body).filter(|body| !body.is_null()),
            )
            .await
    }

    pub(crate) async fn get(&self, path: &str) -> Response {
        self.send(Method::GET, path, Value::Null).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Response {
        self.send(Method::POST, path, body).await
    }

    pub(crate) fn header(&self, name: &'static str, value: &str) -> Self {
        Self(self.0.clone().header(name, value))
    }
}

pub(crate) fn step(began: Instant, what: &str) {
    println!("{:6.2} s  {what}", began.elapsed().as_secs_f64());
}

pub(crate) fn caller(
    cloud: &Cloud,
    username: &str,
    email: &str,
    name: &str,
) -> Result<(Caller, String), Error> {
    let subject = Subject {
        username: username.into(),
        email: Some(email.into()),
        name: Some(name.into()),
        ..Subject::default()
    };
    let token = cloud.token(&subject)?;
    Ok((
        Caller(Client::new(cloud.gateway.router(), Some(token.clone()))),
        token,
    ))
}

/// Repeats a check until it is true, at most five minutes.
pub(crate) async fn until(what: &str, mut right: impl AsyncFnMut() -> bool) -> Result<(), Error> {
    let began = Instant::now();
    while !right().await {
        if began.elapsed() > Duration::from_mins(5) {
            return Err(format!("waited too long for {what}").into());
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}
