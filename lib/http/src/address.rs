//! Classification of IP addresses as public or private, and the policy on which of them may be
//! connected to.
//!
//! The policy applies to the address that is connected to, to prevent server-side request forgery:
//! access to this machine, its network, or the metadata service of its cloud. A host that is an IP
//! address is checked before the request; the URL parser has normalised its spelling by then
//! (`0x7f.1` and `①②⑦.1` are `127.0.0.1`). A host name is checked when it is resolved. The target
//! of each redirect is checked in the same way.
//!
//! The ranges are those of IANA's special-purpose address registries that are not globally
//! reachable, plus multicast, reserved addresses, and an address of Azure's metadata service.

use crate::FetchError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Classes of addresses that may be connected to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct AddressPolicy {
    /// True if private addresses are allowed.
    pub allows_private: bool,
    /// True if public addresses are allowed; they require a contact.
    pub allows_public: bool,
}

impl AddressPolicy {
    /// Checks that an address may be connected to.
    ///
    /// # Errors
    /// Fails if the policy excludes the address; the error is the reason, a clause for a message.
    pub fn check_address(self, address: IpAddr) -> Result<(), &'static str> {
        match is_public(address) {
            true if self.allows_public => Ok(()),
            true => Err("public addresses require a contact"),
            false if self.allows_private => Ok(()),
            false => Err("it is a private or reserved address"),
        }
    }

    /// Checks that the host of a URL may be connected to, as far as this is possible without
    /// resolving its name.
    ///
    /// # Errors
    /// Fails with [`FetchError::Forbidden`] if the policy excludes the host.
    pub fn check_host(self, url: &Url) -> Result<(), FetchError> {
        let checked = match url.host() {
            Some(Host::Ipv4(address)) => self.check_address(address.into()),
            Some(Host::Ipv6(address)) => self.check_address(address.into()),
            Some(Host::Domain(name)) if is_localhost_name(name) && !self.allows_private => {
                Err("it is a name of this machine")
            }
            _ => Ok(()),
        };
        let host = url.host_str().unwrap_or_default();
        checked.map_err(|cause| FetchError::Forbidden(format!("{host} is not allowed: {cause}")))
    }
}

/// Returns `true` if a host name always refers to this machine (RFC 6761, section 6.3).
pub(crate) fn is_localhost_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    name.rsplit('.')
        .next()
        .is_some_and(|last| last.eq_ignore_ascii_case("localhost"))
}

/// Returns `true` if an address is globally reachable.
pub(crate) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Returns `true` if an IPv4 address is globally reachable: all but the ranges that the IANA IPv4
/// Special-Purpose Address Registry excludes, 6to4 relay anycast, multicast, class E, and a
/// metadata service.
fn is_public_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        // This network; private use; loopback.
        [0 | 10 | 127, ..] => false,
        // Carrier-grade NAT; link-local, with the metadata services of clouds.
        [100, 64..=127, ..] | [169, 254, ..] => false,
        [172, 16..=31, ..] | [192, 168, ..] => false,
        // Protocol assignments; documentation; 6to4 relay anycast; benchmarking.
        [192, 0, 0 | 2, _]
        | [198, 51, 100, _]
        | [203, 0, 113, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..] => false,
        // Azure's host agent and metadata service, in a range that is otherwise public.
        [168, 63, 129, 16] => false,
        [224..=255, ..] => false,
        _ => true,
    }
}

/// Returns `true` if an IPv6 address is globally reachable: 2000::/3 except its special-purpose
/// ranges. An address that embeds an IPv4 address is classified by that address.
fn is_public_v6(address: Ipv6Addr) -> bool {
    match address.segments() {
        // IPv4-mapped addresses, and NAT64 (RFC 6052) on networks without IPv4.
        [0, 0, 0, 0, 0, 0xffff, a, b] | [0x64, 0xff9b, 0, 0, 0, 0, a, b] => {
            is_public_v4(embedded_v4(a, b))
        }
        // 6to4 embeds an IPv4 address (RFC 3056).
        [0x2002, a, b, ..] => is_public_v4(embedded_v4(a, b)),
        // Protocol assignments, with Teredo; documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// Returns the IPv4 address in two segments of an IPv6 address.
fn embedded_v4(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::{AddressPolicy, is_public};
    use url::Url;

    const PUBLIC_ONLY: AddressPolicy = AddressPolicy {
        allows_private: false,
        allows_public: true,
    };

    #[test]
    fn classifies_addresses_as_public_or_private() {
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
    fn rejects_private_hosts_in_any_spelling() {
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
            assert!(
                PUBLIC_ONLY.check_host(&url).is_err(),
                "{host} is {:?}",
                url.host()
            );
            assert!(
                AddressPolicy {
                    allows_private: true,
                    ..PUBLIC_ONLY
                }
                .check_host(&url)
                .is_ok(),
                "{host}"
            );
        }
        for host in ["a.test", "localhost.a.test", "127.0.0.1.a.test", "8.8.8.8"] {
            assert!(
                PUBLIC_ONLY
                    .check_host(&Url::parse(&format!("http://{host}/")).unwrap())
                    .is_ok(),
                "{host}"
            );
        }
    }

    #[test]
    fn public_addresses_require_a_contact() {
        let policy = AddressPolicy {
            allows_private: true,
            allows_public: false,
        };
        assert!(policy.check_address("127.0.0.1".parse().unwrap()).is_ok());
        assert!(
            policy
                .check_address("8.8.8.8".parse().unwrap())
                .unwrap_err()
                .contains("contact")
        );
    }
}
