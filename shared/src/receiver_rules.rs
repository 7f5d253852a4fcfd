//! Where a webhook may call: public addresses, and never the deployment itself (Z11).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use crate::limits;
use crate::reason::Reason;
use crate::settings::Settings;

/// The ports that may be called.
const PORTS: [u16; 2] = [443, 8443];

/// IPv4 networks that are not public: address and length. The IANA registry of special addresses.
const SPECIAL_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::UNSPECIFIED, 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// IPv6 networks inside the public one (`2000::/3`) that are not: protocols such as Teredo,
/// documentation, and 6to4, which has an IPv4 address inside.
const SPECIAL_V6: [(Ipv6Addr, u32); 4] = [
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

/// Returns whether an address is public: no part of the network of anybody, nor of this machine.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => !SPECIAL_V4
            .iter()
            .any(|(network, length)| (v4.to_bits() ^ network.to_bits()) >> (32 - length) == 0),
        // All others are special: ::1, ::ffff:0:0/96, 64:ff9b::/96, fc00::/7, ff00::/8 and more.
        IpAddr::V6(v6) => {
            v6.segments()[0] >> 13 == 1
                && !SPECIAL_V6.iter().any(|(network, length)| {
                    (v6.to_bits() ^ network.to_bits()) >> (128 - length) == 0
                })
        }
    }
}

/// The rules of a deployment.
#[derive(Debug, Clone)]
pub struct ReceiverRules {
    own_hosts: Vec<String>,
    is_local: bool,
}

impl ReceiverRules {
    /// The rules of the settings.
    pub fn new(settings: &Settings) -> Self {
        let addresses = &settings.addresses;
        let urls = [
            addresses.public_url.as_deref().unwrap_or_default(),
            &addresses.site_url,
            &settings.media.url,
        ];
        let hosts = urls.iter().filter_map(|url| Url::parse(url).ok());
        let hosts = hosts.filter_map(|url| Some(endpoint(&url, settings.webhooks.is_local)?.0));
        Self {
            own_hosts: hosts.chain(settings.webhooks.own_hosts.clone()).collect(),
            is_local: settings.webhooks.is_local,
        }
    }

    /// Returns whether an address may be connected to.
    pub fn allows(&self, address: IpAddr) -> bool {
        is_public(address) || (self.is_local && address.is_loopback())
    }

    /// Reads the address of a receiver.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub fn parse(&self, text: &str) -> Result<Url, Reason> {
        let url = Url::parse(text).map_err(|_| Reason::InvalidUrl)?;
        if text.len() > limits::WEBHOOK_URL || url.as_str().len() > limits::WEBHOOK_URL {
            return Err(Reason::TooLong {
                limit: limits::WEBHOOK_URL,
            });
        }
        let is_plain = self.is_local && text.starts_with("http://");
        if !text.starts_with("https://") && !is_plain {
            return Err(Reason::UrlNotHttps);
        }
        // The parser leaves out slashes in front of the host, and line breaks anywhere.
        let host = text.split_once("://").map_or("", |(_, rest)| rest);
        if host.starts_with(['/', '\\']) {
            return Err(Reason::UrlHasNoHost);
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(Reason::InvalidUrl);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Reason::UrlHasPassword);
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if !PORTS.contains(&port) && !self.is_local {
            return Err(Reason::UrlPort);
        }
        let (host, address) = endpoint(&url, self.is_local).ok_or(Reason::UrlHasNoHost)?;
        if self.own_hosts.contains(&host) {
            return Err(Reason::UrlOfService);
        }
        let is_named_local = host == "localhost" || host.ends_with(".localhost");
        if address.is_some_and(|address| !self.allows(address)) || is_named_local && !self.is_local
        {
            return Err(Reason::UrlNotPublic);
        }
        Ok(url)
    }
}

/// The host of a URL, and its address if it is one. On a laptop, several services have the same
/// host, so the port belongs to it.
fn endpoint(url: &Url, is_local: bool) -> Option<(String, Option<IpAddr>)> {
    let host = url.host()?;
    let address = match host {
        Host::Ipv4(v4) => Some(IpAddr::V4(v4)),
        Host::Ipv6(v6) => Some(IpAddr::V6(v6)),
        Host::Domain(_) => None,
    };
    let mut name = host.to_string().trim_end_matches('.').to_lowercase();
    if is_local {
        name = format!("{name}:{}", url.port_or_known_default().unwrap_or_default());
    }
    Some((name, address))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(is_local: bool) -> ReceiverRules {
        ReceiverRules {
            own_hosts: vec!["clubs.uni.example".into(), "127.0.0.1:8000".into()],
            is_local,
        }
    }

    // proves Z11
    #[test]
    fn only_public_addresses_are_called() {
        for special in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.0.1",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "203.0.113.9",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::8.8.8.8",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:db8::1",
            "2002:808:808::1",
            "3fff::1",
            "fc00::1",
            "fd12::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "4000::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.255.255",
            "198.20.0.1",
            "223.255.255.255",
            "2001:200::1",
            "2606:4700::1111",
            "2a00:1450::1",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
    }

    // proves Z11
    #[test]
    fn addresses_are_read_as_a_client_reads_them() {
        let long = format!("https://a.example/{}", "x".repeat(1_990));
        for refused in [
            "",
            "a.example",
            "http://a.example/",
            "ftp://a.example/",
            "https://",
            "https:a.example/",
            "https:///a.example/",
            "https://a.exa\tmple/",
            "https://a.example/\nx",
            "HTTPS://a.example/",
            "https://u@a.example/",
            "https://u:p@a.example/",
            "https://a.example:80/",
            "https://a.example:22/",
            "https://127.0.0.1/",
            "https://127.1/",
            "https://0x7f000001/",
            "https://2130706433/",
            "https://[::1]/",
            "https://[::ffff:10.0.0.1]/",
            "https://localhost/",
            "https://x.localhost/",
            "https://LOCALHOST./",
            "https://clubs.uni.example/hook",
            "https://CLUBS.uni.example.:8443/",
            "https://169.254.169.254/latest",
            &long,
        ] {
            assert!(rules(false).parse(refused).is_err(), "{refused}");
        }
        for allowed in [
            "https://a.example",
            "https://a.example:8443/x?y=z#f",
            "https://8.8.8.8/",
            "https://bücher.example/ä",
            "https://x.clubs.uni.example/",
        ] {
            assert!(rules(false).parse(allowed).is_ok(), "{allowed}");
        }
        for (local, is_allowed) in [
            ("http://127.0.0.1:9000/", true),
            ("http://localhost:9000/", true),
            ("http://127.0.0.1:8000/", false),
            ("http://10.0.0.1:9000/", false),
            ("https://[::ffff:127.0.0.1]/", false),
        ] {
            assert_eq!(rules(true).parse(local).is_ok(), is_allowed, "{local}");
        }
    }
}
