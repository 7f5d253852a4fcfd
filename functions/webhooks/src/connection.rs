//! A connection to a receiver, for one call. All that comes is counted, and the connection has no
//! task of its own: it ends with the call (Z11).

use std::error::Error;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use aws_smithy_runtime_api::client::http::{HttpConnector, HttpConnectorFuture};
use aws_smithy_runtime_api::client::orchestrator::{HttpRequest, HttpResponse};
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_types::body::SdkBody;
use futures::future::{Either, select};
use http::header::HOST;
use http::uri::Scheme;
use http::{HeaderValue, Request, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use shared::receiver_rules::ReceiverRules;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_rustls::TlsConnector;

/// How long a call may take, with the resolution of the name and the response.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);
/// How much of what a receiver sends is read, with the handshake, heads and interim responses. One
/// that sends more is cut off.
const MOST_READ: usize = 256 * 1024;
/// How much of the body of a response is read.
const MOST_OF_BODY: usize = 64 * 1024;
/// The largest head of a response.
const MOST_OF_HEAD: usize = 64 * 1024;

/// How long one address may take to answer.
const CONNECT: Duration = Duration::from_secs(3);
/// The body is given up so long before the whole call, so that the head counts.
const EARLIER: Duration = Duration::from_millis(100);

type Failure = Box<dyn Error + Send + Sync>;

/// Calls receivers at addresses that the rules allow.
#[derive(Clone)]
pub(crate) struct Bounded {
    rules: ReceiverRules,
    /// Trusts the authorities of the system if it is none.
    tls: Option<TlsConnector>,
}

impl fmt::Debug for Bounded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Bounded")
    }
}

/// What is trusted: the authorities of the system. To read them takes long.
static TLS: LazyLock<TlsConnector> = LazyLock::new(|| {
    let found = rustls_native_certs::load_native_certs();
    if found.certs.is_empty() {
        tracing::error!(errors = ?found.errors, "no certificate authorities: no webhook works");
    }
    trusting(found.certs)
});

fn trusting(authorities: Vec<CertificateDer<'static>>) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(authorities);
    let config = ClientConfig::builder().with_root_certificates(roots);
    TlsConnector::from(Arc::new(config.with_no_client_auth()))
}

impl Bounded {
    pub(crate) fn new(rules: ReceiverRules) -> Self {
        Self { rules, tls: None }
    }

    /// The addresses of a host. If one of them may not be called, none is: so the addresses that
    /// are checked are those that are connected to.
    async fn addresses(&self, host: &str, port: u16) -> Result<Vec<SocketAddr>, io::Error> {
        let found: Vec<SocketAddr> = lookup_host((host, port)).await?.collect();
        if found.iter().all(|address| self.rules.allows(address.ip())) {
            Ok(found)
        } else {
            Err(io::Error::other("an address is not public"))
        }
    }

    async fn send(&self, request: HttpRequest) -> Result<HttpResponse, Failure> {
        let until = Instant::now() + RESPONSE_TIMEOUT - EARLIER;
        let (mut parts, body) = request.try_into_http1x()?.into_parts();
        let uri = std::mem::take(&mut parts.uri);
        let host = uri.host().unwrap_or_default();
        let host = host.trim_start_matches('[').trim_end_matches(']');
        let is_secure = uri.scheme() == Some(&Scheme::HTTPS);
        let port = uri.port_u16().unwrap_or(if is_secure { 443 } else { 80 });
        if let Some(authority) = uri.authority() {
            let name = HeaderValue::from_str(authority.as_str())?;
            parts.headers.insert(HOST, name);
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        parts.uri = path.parse::<Uri>()?;
        let body = Full::new(Bytes::copy_from_slice(body.bytes().unwrap_or_default()));
        let request = Request::from_parts(parts, body);
        let addresses = self.addresses(host, port).await?;
        let stream = Counted::new(connected(&addresses).await?);
        if is_secure {
            let name = ServerName::try_from(host.to_owned())?;
            let tls = self.tls.as_ref().unwrap_or_else(|| &TLS);
            exchange(tls.connect(name, stream).await?, request, until).await
        } else {
            exchange(stream, request, until).await
        }
    }
}

impl HttpConnector for Bounded {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let this = self.clone();
        HttpConnectorFuture::new(async move {
            let response = this.send(request).await;
            response.map_err(|error| match error.downcast::<io::Error>() {
                Ok(error) => ConnectorError::io(error),
                Err(error) => ConnectorError::other(error, None),
            })
        })
    }
}

/// Connects to the first of these addresses that answers.
async fn connected(addresses: &[SocketAddr]) -> io::Result<TcpStream> {
    let mut last = io::Error::other("it has no address");
    for address in addresses {
        match timeout(CONNECT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = error,
            Err(_) => last = io::ErrorKind::TimedOut.into(),
        }
    }
    Err(last)
}

/// Sends a request, and returns the response with what comes of its body until then. The
/// connection is driven only here: whoever drops this ends it.
async fn exchange(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send,
    request: Request<Full<Bytes>>,
    until: Instant,
) -> Result<HttpResponse, Failure> {
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MOST_OF_HEAD);
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await?;
    let reply = async {
        let response = sender.send_request(request).await?;
        let (parts, body) = response.into_parts();
        // The head says what came of it. The receiver may be hindered if nobody takes the rest.
        let body = timeout_at(until, Limited::new(body, MOST_OF_BODY).collect()).await;
        let body = body.ok().and_then(Result::ok);
        let body = body.map_or_else(Bytes::new, http_body_util::Collected::to_bytes);
        let response = http::Response::from_parts(parts, SdkBody::from(body));
        Ok(HttpResponse::try_from(response)?)
    };
    match select(Box::pin(reply), Box::pin(connection)).await {
        Either::Left((reply, _)) => reply,
        // The receiver has closed it. What it has sent before that is there.
        Either::Right((_, reply)) => reply.await,
    }
}

/// A stream that ends with an error when more was read than is allowed.
struct Counted<S> {
    stream: S,
    left: usize,
}

impl<S> Counted<S> {
    fn new(stream: S) -> Self {
        let left = MOST_READ;
        Self { stream, left }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Counted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let read = buffer.filled().len() - before;
        let left = self.left.checked_sub(read);
        self.left = left.ok_or_else(|| io::Error::other("a receiver sends too much"))?;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Counted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
    use rustls::ServerConfig;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    use super::*;
    use crate::call::{CallResponse, Receivers, Request};

    fn rules(is_local: bool) -> ReceiverRules {
        let mut settings = local::settings();
        settings.webhooks.is_local = is_local;
        ReceiverRules::new(&settings)
    }

    /// Calls a receiver that sends this, and then the other text again and again, until it is cut
    /// off. Returns what came of the call.
    async fn called(first: &'static str, again: &'static str) -> CallResponse {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let receiver = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 1_000]).await;
            let mut sent = stream.write_all(first.as_bytes()).await;
            while sent.is_ok() {
                sent = stream.write_all(again.as_bytes()).await;
            }
        };
        let receivers = Receivers::new(rules(true));
        let request = Request {
            url: &url,
            headers: ["a", "b", "c"].map(|name| (name, String::new())),
            body: "{}".to_owned(),
        };
        futures::join!(receivers.call(request), receiver).0
    }

    // proves Z11
    #[tokio::test]
    async fn a_receiver_that_sends_without_end_is_cut_off() {
        let interim = called("", "HTTP/1.1 100 Continue\r\n\r\n").await;
        assert_eq!(interim.status, None);
        let headers = called("HTTP/1.1 200 OK\r\n", "a: b\r\n").await;
        assert_eq!(headers.status, None);
        let chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        let chunks = called(chunks, "1\r\nx\r\n").await;
        assert_eq!(chunks.status, Some(200));
        let body = called("HTTP/1.1 500 No\r\n\r\n", "xxxxxxxxxxxxxxxxx").await;
        assert_eq!(body.status, Some(500));
    }

    // proves Z11
    #[tokio::test(start_paused = true)]
    async fn a_receiver_that_never_reads_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let receivers = Receivers::new(rules(true));
        let request = Request {
            url: &url,
            headers: ["a", "b", "c"].map(|name| (name, String::new())),
            body: "x".repeat(10_000_000),
        };
        assert_eq!(receivers.call(request).await.status, None);
    }

    // proves Z11
    #[tokio::test]
    async fn only_a_receiver_with_a_certificate_is_called() {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &authority).unwrap();
        let config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key.into())
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!(
            "https://localhost:{}/x",
            listener.local_addr().unwrap().port()
        );
        let trusted = trusting(vec![authority.der().clone()]);
        for (tls, expected) in [(Some(trusted), Some(204)), (None, None)] {
            let receiver = async {
                let (stream, _) = listener.accept().await.unwrap();
                let mut head = [0; 1_000];
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    let _ = stream.read(&mut head).await;
                    let _ = stream.write_all(b"HTTP/1.1 204 \r\n\r\n").await;
                }
                String::from_utf8_lossy(&head).into_owned()
            };
            let rules = rules(true);
            let bounded = Bounded { rules, tls };
            let request = http::Request::post(&url).body(SdkBody::from("{}")).unwrap();
            let call = bounded.call(HttpRequest::try_from(request).unwrap());
            let (response, head) = futures::join!(call, receiver);
            let status = response.ok().map(|response| response.status().as_u16());
            assert_eq!(status, expected);
            let is_sent = head.starts_with("POST /x HTTP/1.1\r\n") && head.contains("localhost:");
            assert_eq!(is_sent, expected.is_some(), "{head}");
        }
    }

    // proves Z11
    #[tokio::test]
    async fn the_addresses_of_a_name_are_checked() {
        let addresses =
            async |is_local, name| Bounded::new(rules(is_local)).addresses(name, 80).await;
        assert!(addresses(true, "localhost").await.is_ok());
        assert!(addresses(false, "localhost").await.is_err());
        for private in [
            "10.0.0.1",
            "169.254.169.254",
            "::ffff:127.0.0.1",
            "64:ff9b::a00:1",
        ] {
            assert!(addresses(true, private).await.is_err(), "{private}");
        }
        assert!(addresses(false, "9.9.9.9").await.is_ok());
    }
}
