//! The connections of a function: one connector, with one set of certificate authorities, for AWS
//! and for the issuer. To read the authorities is a large part of a cold start.

use std::time::Duration;

use aws_smithy_http_client::Connector;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::tls::{Provider, TlsContext, TrustStore};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnectorSettings, SharedHttpClient, SharedHttpConnector,
};
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;

use super::variable;

/// Files with all authorities of a system: Amazon Linux, Debian. Otherwise, a whole folder of files
/// would be read besides, which has the same authorities one by one.
const BUNDLES: [&str; 2] = [
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/certs/ca-certificates.crt",
];
/// How long a connection may take. Callers limit the time of whole requests.
const CONNECT: Duration = Duration::from_secs(1);

/// Returns a connector with the authorities of the system, or of `SSL_CERT_FILE`.
pub(super) fn connector() -> SharedHttpConnector {
    let settings = HttpConnectorSettings::builder()
        .connect_timeout(CONNECT)
        .build();
    let builder = Connector::builder()
        .connector_settings(settings)
        .tls_provider(Provider::Rustls(CryptoMode::AwsLc));
    let context = authorities().and_then(|bundle| {
        let store = TrustStore::empty().with_pem_certificate(bundle);
        TlsContext::builder().with_trust_store(store).build().ok()
    });
    SharedHttpConnector::new(match context {
        Some(context) => builder.tls_context(context).build(),
        None => builder.build(),
    })
}

/// The bundle of the system, if there is one and nobody chose another one.
fn authorities() -> Option<Vec<u8>> {
    let is_chosen = ["SSL_CERT_FILE", "SSL_CERT_DIR"]
        .iter()
        .any(|name| variable(name).is_some());
    if is_chosen {
        return None;
    }
    BUNDLES
        .iter()
        .find_map(|path| std::fs::read(path).ok())
        .filter(|bundle| memchr::memmem::find(bundle, b"-----BEGIN CERTIFICATE-----").is_some())
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
