//! From a host's name to addresses: those alone that may be connected to.
//!
//! The client connects to what is answered here and looks nothing up itself, so that a name that
//! has another address the next time is no way in. Names without an address are remembered for a
//! while, as hit lists repeat dead hosts.

use crate::address::Policy;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// For how long a name that has no address is not asked for again.
const FAILURE_FRESH: Duration = Duration::from_mins(10);
/// Names remembered as having no address; when there are more, all are forgotten.
const REMEMBERED: usize = 50_000;

/// A name leads where we don't go.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{address} is not connected to: {cause}")]
pub(crate) struct Forbidden {
    pub address: String,
    pub cause: &'static str,
}

/// A name has no address.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unknown(String);

/// Resolves names by the system.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    policy: Policy,
    unknown: Arc<Mutex<HashMap<String, (Unknown, Instant)>>>,
}

impl Resolver {
    pub fn new(policy: Policy) -> Self {
        Resolver {
            policy,
            unknown: Arc::default(),
        }
    }

    /// What was found of this name not long ago, if that was nothing.
    fn remembered(&self, name: &str) -> Option<Unknown> {
        let unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        unknown
            .get(name)
            .filter(|(_, at)| at.elapsed() < FAILURE_FRESH)
            .map(|(e, _)| e.clone())
    }

    fn remember(&self, name: &str, e: &Unknown) {
        let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        if unknown.len() >= REMEMBERED {
            unknown.clear();
        }
        unknown.insert(name.to_owned(), (e.clone(), Instant::now()));
    }

    async fn look_up(&self, name: &str) -> Result<Vec<SocketAddr>, Unknown> {
        if let Some(e) = self.remembered(name) {
            return Err(e);
        }
        let found = tokio::net::lookup_host((name, 0))
            .await
            .map_err(|e| Unknown(e.to_string()));
        found
            .map(Iterator::collect)
            .inspect_err(|e| self.remember(name, e))
    }
}

/// The addresses that may be connected to.
///
/// # Errors
/// Where there are some, and none may be.
fn permitted(policy: Policy, found: &[SocketAddr]) -> Result<Vec<SocketAddr>, Forbidden> {
    let (mut permitted, mut forbidden) = (Vec::new(), None);
    for address in found {
        match policy.check(address.ip()) {
            Ok(()) => permitted.push(*address),
            Err(cause) => {
                forbidden = Some(Forbidden {
                    address: address.ip().to_string(),
                    cause,
                })
            }
        }
    }
    forbidden
        .filter(|_| permitted.is_empty())
        .map_or(Ok(permitted), Err)
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let found = resolver.look_up(name.as_str()).await?;
            let addresses: Addrs = Box::new(permitted(resolver.policy, &found)?.into_iter());
            Ok(addresses)
        })
    }
}

/// Resolves every name to the same addresses, whatever they are: somebody said so.
pub(crate) struct Fixed(pub Vec<SocketAddr>);

impl Resolve for Fixed {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Resolver, Unknown, permitted};
    use crate::address::Policy;
    use reqwest::dns::Resolve;

    const WEB: Policy = Policy {
        private: false,
        public: true,
    };

    #[test]
    fn of_a_names_addresses_only_those_of_the_open_web_are_used() {
        let addresses = |list: &[&str]| -> Vec<_> {
            list.iter()
                .map(|a| format!("{a}:0").parse().unwrap())
                .collect()
        };
        let mixed = addresses(&["127.0.0.1", "8.8.8.8", "[::1]"]);
        assert_eq!(permitted(WEB, &mixed).unwrap(), addresses(&["8.8.8.8"]));
        let inner = addresses(&["10.0.0.1", "[fe80::1]"]);
        assert!(
            permitted(WEB, &inner)
                .unwrap_err()
                .to_string()
                .contains("fe80::1")
        );
        assert!(
            permitted(
                Policy {
                    private: true,
                    public: false
                },
                &inner
            )
            .is_ok()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a_name_without_an_address_is_remembered_for_a_while() {
        let resolver = Resolver::new(WEB);
        let e = Unknown("none".into());
        resolver.remember("a.test", &e);
        // Asking for it meanwhile keeps it no longer.
        tokio::time::advance(super::FAILURE_FRESH / 2).await;
        assert_eq!(resolver.look_up("a.test").await, Err(e));
        assert!(resolver.resolve("a.test".parse().unwrap()).await.is_err());
        tokio::time::advance(super::FAILURE_FRESH / 2).await;
        assert_eq!(resolver.remembered("a.test"), None);
    }
}
