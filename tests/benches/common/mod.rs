//! What the benchmarks of the service share.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A keep-alive connection of one client.
pub struct Connection(pub TcpStream);

impl Connection {
    pub async fn call(
        &mut self,
        method: &str,
        path: &str,
        token: &str,
        body: &Value,
    ) -> (u16, Vec<u8>) {
        self.send(
            &format!("{method} {path} HTTP/1.1\r\ncontent-type: application/json"),
            token,
            &body.to_string(),
        )
        .await
    }

    pub async fn send(&mut self, head: &str, token: &str, body: &str) -> (u16, Vec<u8>) {
        let request = format!(
            "{head}\r\nhost: bench\r\nauthorization: Bearer {token}\r\ncontent-length: {}\r\n\r\n\
             {body}",
            body.len()
        );
        self.0
            .write_all(request.as_bytes())
            .await
            .expect("a connection");
        let mut read = Vec::with_capacity(4_096);
        let (head, length) = loop {
            self.0.read_buf(&mut read).await.expect("a connection");
            if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
                let head = String::from_utf8_lossy(&read[..end]).to_ascii_lowercase();
                let length = head
                    .lines()
                    .find_map(|line| line.strip_prefix("content-length: ")?.parse().ok())
                    .unwrap_or(0);
                break (end + 4, length);
            }
        };
        while read.len() < head + length {
            self.0.read_buf(&mut read).await.expect("a connection");
        }
        let status = String::from_utf8_lossy(&read[9..12]).parse().unwrap_or(0);
        (status, read.split_off(head))
    }

    pub async fn created(&mut self, path: &str, token: &str, body: &Value) -> Value {
        let (status, bytes) = self.call("POST", path, token, body).await;
        assert_eq!(status, 201, "{}", String::from_utf8_lossy(&bytes));
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}

/// The median of some times.
pub fn median(times: &mut [Duration]) -> Duration {
    times.sort();
    times[times.len() / 2]
}
