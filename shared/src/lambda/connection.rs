//! The connections of a function, to AWS and to the issuer. To read all certificate authorities of
//! a system is a large part of a cold start, so it is only done for a server that needs them.

use std::error::Error as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use std::{io, iter};

use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use http::Uri;
use http::uri::Scheme;

use crate::environment::variable;

/// The authorities of AWS: Amazon Root CA 1 to 4 and the one of Starfield that signed them. AWS
/// names them at <https://www.amazontrust.com/repository/>, and they end in 2037 and later.
const AMAZON: &str = include_str!("amazon.pem");
/// The ends of the names of hosts whose certificates those authorities sign. In China and in
/// isolated regions, hosts have other names.
const AMAZON_HOSTS: [&str; 2] = [".amazonaws.com", ".api.aws"];
/// Files with all authorities of a system: Amazon Linux, Debian. Otherwise, a whole folder of files
/// would be read besides, which has the same authorities one by one.
const BUNDLES: [&str; 2] = [
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/certs/ca-certificates.crt",
];
/// How long a connection may take. Callers limit the time of whole requests.
const CONNECT: Duration = Duration::from_secs(1);

/// Returns the connector of a function. `SSL_CERT_FILE` and `SSL_CERT_DIR` choose other
/// authorities.
pub(super) fn connector() -> SharedHttpConnector {
    let is_chosen = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
        .iter()
        .any(|name| variable(name).is_some());
    let amazon = TrustStore::empty().with_pem_certificate(AMAZON);
    SharedHttpConnector::new(if is_chosen {
        ByServer::new(&[], amazon, || trusting(TrustStore::default()))
    } else {
        ByServer::new(&AMAZON_HOSTS, amazon, || trusting(system()))
    })
}

/// The authorities of the system.
fn system() -> TrustStore {
    let bundle = BUNDLES
        .iter()
        .find_map(|path| std::fs::read(path).ok())
        .filter(|bundle| memchr::memmem::find(bundle, b"-----BEGIN CERTIFICATE-----").is_some());
    bundle.map_or_else(TrustStore::default, |bundle| {
        TrustStore::empty().with_pem_certificate(bundle)
    })
}

fn trusting(authorities: TrustStore) -> SharedHttpConnector {
    let settings = HttpConnectorSettings::builder()
        .connect_timeout(CONNECT)
        .build();
    let builder = Connector::builder()
        .connector_settings(settings)
        .tls_provider(Provider::Rustls(CryptoMode::AwsLc));
    let context = TlsContext::builder().with_trust_store(authorities).build();
    let builder = match context {
        Ok(context) => builder.tls_context(context),
        Err(_) => builder,
    };
    SharedHttpConnector::new(builder.build())
}

/// Chooses the authorities by the server: few for the hosts of AWS, and all of the system for
/// others. If the few do not accept the certificate of a host of AWS, the system's decide, for this
/// call and all later ones.
#[derive(Debug)]
struct ByServer {
    hosts: &'static [&'static str],
    few: SharedHttpConnector,
    all: Arc<LazyLock<SharedHttpConnector>>,
    few_failed: Arc<AtomicBool>,
}

impl ByServer {
    fn new(
        hosts: &'static [&'static str],
        few: TrustStore,
        all: fn() -> SharedHttpConnector,
    ) -> Self {
        Self {
            hosts,
            few: trusting(few),
            all: Arc::new(LazyLock::new(all)),
            few_failed: Arc::default(),
        }
    }

    /// Returns whether a call is checked with the few authorities. Without TLS, none is needed.
    fn needs_few(&self, uri: &str) -> bool {
        let Ok(uri) = uri.parse::<Uri>() else {
            return false;
        };
        let host = uri.host().unwrap_or_default();
        uri.scheme() != Some(&Scheme::HTTPS)
            || self.hosts.iter().any(|end| host.ends_with(end))
                && !self.few_failed.load(Ordering::Relaxed)
    }
}

impl HttpConnector for ByServer {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        if !self.needs_few(request.uri()) {
            return self.all.call(request);
        }
        let (all, few_failed) = (self.all.clone(), self.few_failed.clone());
        let again = request.try_clone();
        let response = self.few.call(request);
        HttpConnectorFuture::new(async move {
            let response = response.await;
            if !response.as_ref().is_err_and(is_about_the_certificate) {
                return response;
            }
            tracing::warn!("the authorities of amazon.pem do not accept a certificate");
            few_failed.store(true, Ordering::Relaxed);
            // Nothing of the request was sent, so this is no repeat.
            match again {
                Some(again) => all.call(again).await,
                None => response,
            }
        })
    }
}

fn is_about_the_certificate(error: &ConnectorError) -> bool {
    let mut causes = iter::successors(error.source(), |&error| {
        // An I/O error does not name the error inside it as its source.
        match error
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref)
        {
            Some(inner) => Some(inner),
            None => error.source(),
        }
    });
    causes.any(|error| {
        matches!(
            error.downcast_ref(),
            Some(rustls::Error::InvalidCertificate(_))
        )
    })
}

/// Returns a client of the SDK that uses this connector for everything.
pub(super) fn client(connector: SharedHttpConnector) -> SharedHttpClient {
    SharedHttpClient::new(One(connector))
}

#[derive(Debug)]
struct One(SharedHttpConnector);

impl HttpClient for One {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use aws_smithy_types::body::SdkBody;
    use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
    use rustls::ServerConfig;
    use rustls::crypto::aws_lc_rs::default_provider;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    use super::*;

    static AUTHORITY: LazyLock<CertifiedIssuer<'static, KeyPair>> =
        LazyLock::new(|| authority("known"));

    fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
    }

    fn store(of: &CertifiedIssuer<'static, KeyPair>) -> TrustStore {
        TrustStore::empty().with_pem_certificate(of.pem().as_bytes())
    }

    /// Answers one request of each connection. Returns the address.
    #[expect(clippy::disallowed_methods, reason = "this is a test, not a function")]
    async fn server() -> String {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &AUTHORITY).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key.into())
            .unwrap();
        let tls = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                if let Ok(mut stream) = tls.accept(stream).await {
                    let _ = stream.read(&mut [0; 1_000]).await;
                    let _ = stream.write_all(b"HTTP/1.1 204 \r\n\r\n").await;
                }
            }
        });
        format!("https://localhost:{port}/")
    }

    async fn answers(connector: &ByServer, uri: &str) -> bool {
        let request = http::Request::get(uri).body(SdkBody::empty()).unwrap();
        connector
            .call(HttpRequest::try_from(request).unwrap())
            .await
            .is_ok()
    }

    fn knowing() -> SharedHttpConnector {
        trusting(store(&AUTHORITY))
    }

    fn unneeded() -> SharedHttpConnector {
        panic!("all authorities were read")
    }

    #[tokio::test]
    async fn few_authorities_do_for_their_hosts_and_without_tls() {
        let connector = ByServer::new(&["localhost"], store(&AUTHORITY), unneeded);
        assert!(answers(&connector, &server().await).await);
        let plain = ByServer::new(&[], store(&AUTHORITY), unneeded);
        assert!(!answers(&plain, "http://127.0.0.1:9/").await);
    }

    #[tokio::test]
    async fn other_hosts_are_checked_with_all_authorities() {
        let connector = ByServer::new(&[".amazonaws.com"], store(&authority("other")), knowing);
        assert!(answers(&connector, &server().await).await);
    }

    #[tokio::test]
    async fn a_new_authority_of_aws_is_checked_with_all() {
        // The second one has the same name with another key.
        for few in ["other", "known"] {
            let connector = ByServer::new(&["localhost"], store(&authority(few)), knowing);
            let server = server().await;
            assert!(connector.needs_few(&server));
            assert!(answers(&connector, &server).await);
            assert!(!connector.needs_few(&server), "it is tried once");
            assert!(answers(&connector, &server).await);
        }
    }

    #[test]
    fn only_hosts_of_aws_are_checked_with_few() {
        let connector = ByServer::new(&AMAZON_HOSTS, TrustStore::empty(), unneeded);
        for few in [
            "https://dynamodb.eu-central-1.amazonaws.com/",
            "https://dynamodb.eu-central-1.api.aws:443/",
            "http://127.0.0.1:8000/",
        ] {
            assert!(connector.needs_few(few), "{few}");
        }
        for all in [
            "https://issuer.uni.example/keys",
            "https://amazonaws.com.evil.example/",
            "https://evilamazonaws.com/",
            "https://x.amazonaws.com@evil.example/",
            "https://evil.example/.amazonaws.com",
            "https://dynamodb.cn-north-1.amazonaws.com.cn/",
            "https://[::1]/",
        ] {
            assert!(!connector.needs_few(all), "{all}");
        }
    }

    #[tokio::test]
    async fn nobody_else_is_trusted() {
        let connector = ByServer::new(&["localhost"], store(&authority("other")), || {
            trusting(store(&authority("other")))
        });
        let server = server().await;
        assert!(!answers(&connector, &server).await);
        assert!(!answers(&connector, &server).await);
    }

    #[test]
    fn the_authorities_of_aws_are_complete() {
        assert_eq!(AMAZON.matches("-----BEGIN CERTIFICATE-----").count(), 5);
        // Compare the fingerprints with those that AWS publishes before you change this.
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, AMAZON.as_bytes());
        assert_eq!(
            format!("{digest:?}"),
            "SHA256:dfaa39c0350288ded35812f7b80f76c4a422b97ecc04c4ac84e325bec528b1b8"
        );
        trusting(TrustStore::empty().with_pem_certificate(AMAZON));
    }
}
