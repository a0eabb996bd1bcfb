//! Which addresses are the open web, and which are ways in: to this machine, its neighbours, its
//! cloud's metadata.
//!
//! What counts is the address that is connected to. A host that is an address, in any spelling, is
//! judged here before the request (the URL standard has made `0x7f.1` and `①②⑦.1` to `127.0.0.1` by
//! then), a name when it is resolved; and so is the target of each redirect. The ranges are those
//! of IANA's registries of special-purpose addresses that are not globally reachable, with what is
//! multicast or reserved.

use crate::FetchError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Where may be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Policy {
    /// Addresses that are not of the open web.
    pub private: bool,
    /// Those that are: not without a contact.
    pub public: bool,
}

impl Policy {
    /// Checks that an address may be connected to; the error is the reason as a clause.
    pub fn check(self, address: IpAddr) -> Result<(), &'static str> {
        match is_public(address) {
            true if self.public => Ok(()),
            true => Err("without a contact only private addresses are fetched"),
            false if self.private => Ok(()),
            false => Err("it is not an address of the open web"),
        }
    }

    /// Whether a URL's host may be asked, as far as that can be judged without resolving it.
    pub fn check_host(self, url: &Url) -> Result<(), FetchError> {
        let checked = match url.host() {
            Some(Host::Ipv4(address)) => self.check(address.into()),
            Some(Host::Ipv6(address)) => self.check(address.into()),
            Some(Host::Domain(name)) if is_local_name(name) && !self.private => {
                Err("it is a name of this machine")
            }
            _ => Ok(()),
        };
        let host = url.host_str().unwrap_or_default();
        checked
            .map_err(|cause| FetchError::Forbidden(format!("{host} is not connected to: {cause}")))
    }
}

/// Whether a name is never that of another machine (RFC 6761 §6.3).
pub(crate) fn is_local_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.rsplit('.')
        .next()
        .is_some_and(|last| last.eq_ignore_ascii_case("localhost"))
}

/// Whether an address belongs to the open web.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// IANA IPv4 Special-Purpose Address Registry, multicast and class E.
fn is_public_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        // This network; private use; loopback.
        [0 | 10 | 127, ..] => false,
        // Carrier-grade NAT; link-local, with the metadata of clouds.
        [100, 64..=127, ..] | [169, 254, ..] => false,
        [172, 16..=31, ..] | [192, 168, ..] => false,
        // Protocol assignments; documentation; relays from IPv6; benchmarks.
        [192, 0, 0 | 2, _]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..] => false,
        // Azure's host agent and metadata, at an address that seems public.
        [168, 63, 129, 16] => false,
        [224..=255, ..] => false,
        _ => true,
    }
}

/// Of IPv6 only 2000::/3 is in use on the open web, without some parts; an address that stands for
/// one of IPv4 is judged as that.
fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // IPv4-mapped, and as NAT64 translates (RFC 6052), on networks that have no IPv4.
        [0, 0, 0, 0, 0, 0xffff, a, b] | [0x64, 0xff9b, 0, 0, 0, 0, a, b] => {
            is_public_v4(embedded(a, b))
        }
        // 6to4 carries IPv4 within (RFC 3056).
        [0x2002, a, b, ..] => is_public_v4(embedded(a, b)),
        // Protocol assignments, with Teredo; documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::{Policy, is_public};
    use url::Url;

    const WEB: Policy = Policy {
        private: false,
        public: true,
    };

    #[test]
    fn addresses_of_the_open_web_are_told_from_others() {
        for address in [
            "8.8.8.8",
            "1.1.1.1",
            "172.32.0.1",
            "100.128.0.1",
            "2606:4700::1111",
            "64:ff9b::808:808",
        ] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        let private = "
            0.0.0.0 10.1.2.3 100.64.0.1 100.100.100.200 127.0.0.1 127.255.255.254
            169.254.169.254 172.16.0.1 172.31.255.255 192.0.0.192 192.0.2.1 192.168.1.1
            198.18.0.1 224.0.0.1 240.0.0.1 255.255.255.255 168.63.129.16 :: ::1 ::ffff:127.0.0.1
            ::ffff:169.254.169.254 ::127.0.0.1 64:ff9b::7f00:1 64:ff9b:1::1 2002:7f00:1::1
            2001:0:7f00:1:: 2001:db8::1 fc00::1 fd00:ec2::254 fe80::1 fec0::1 ff02::1 3fff::1
            5f00::1 100::1";
        for address in private.split_ascii_whitespace() {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_host_is_judged_in_any_spelling() {
        let private = "
            127.0.0.1 127.1 127.0.1 2130706433 0x7f000001 0x7f.0.0.1 0177.0.0.1 017700000001 0
            0x0 0.0.0.0 127.0.0.1. ①②⑦.0.0.1 127。0。0。1 127．0．0．1 １２７.0.0.1 127%2e0%2e0%2e1 [::1]
            [::] [0:0:0:0:0:0:0:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1]
            [64:ff9b::127.0.0.1] [2002:7f00:1::] localhost LOCALHOST localhost. a.localhost
            ⓛocalhost local%68ost a@127.0.0.1 a.test:80@127.0.0.1 a.test%40@127.0.0.1
            169.254.169.254 2852039166 0xa9fea9fe 0xA9.0xFE.0xA9.0xFE 0251.0376.0251.0376
            169.254.43518 169.16689662 [::ffff:169.254.169.254] [::ffff:a9fe:a9fe]
            [fd00:ec2::254] 192.168.0.1 [fe80::1]";
        for host in private.split_ascii_whitespace() {
            let url = Url::parse(&format!("http://{host}/")).unwrap();
            assert!(WEB.check_host(&url).is_err(), "{host} is {:?}", url.host());
            assert!(
                Policy {
                    private: true,
                    ..WEB
                }
                .check_host(&url)
                .is_ok(),
                "{host}"
            );
        }
        for host in ["a.test", "localhost.a.test", "127.0.0.1.a.test", "8.8.8.8"] {
            assert!(
                WEB.check_host(&Url::parse(&format!("http://{host}/")).unwrap())
                    .is_ok(),
                "{host}"
            );
        }
    }

    #[test]
    fn without_a_contact_the_open_web_is_closed() {
        let policy = Policy {
            private: true,
            public: false,
        };
        assert!(policy.check("127.0.0.1".parse().unwrap()).is_ok());
        assert!(
            policy
                .check("8.8.8.8".parse().unwrap())
                .unwrap_err()
                .contains("contact")
        );
    }
}
