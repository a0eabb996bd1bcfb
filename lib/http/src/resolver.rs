//! Resolution of host names to permitted addresses.
//!
//! The client connects to the addresses that are returned here and does not look up names itself.
//! So a name that resolves to another address the next time (DNS rebinding) cannot bypass the
//! policy. Failures are cached for a while, as hit lists repeat dead hosts.

use crate::address::AddressPolicy;
use parking_lot::Mutex;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// Maximum age of a cached failure. Set by judgement, not measured.
const FAILURE_MAX_AGE: Duration = Duration::from_mins(10);
/// Maximum number of cached failures; beyond it all are dropped.
const MAX_CACHED_FAILURES: usize = 50_000;

/// All addresses of a name are excluded by the policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{address} is not allowed: {cause}")]
pub(crate) struct ForbiddenAddress {
    pub address: String,
    pub cause: &'static str,
}

/// A name has no address, by the message of the system.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct UnresolvedName(String);

/// Resolves names with the system's resolver.
#[derive(Debug, Clone)]
pub(crate) struct Resolver {
    policy: AddressPolicy,
    /// Failures by name, with the time at which they were cached.
    failures: Arc<Mutex<HashMap<String, (UnresolvedName, Instant)>>>,
}

impl Resolver {
    pub fn new(policy: AddressPolicy) -> Self {
        Resolver {
            policy,
            failures: Arc::default(),
        }
    }

    fn cached_failure(&self, name: &str) -> Option<UnresolvedName> {
        let failures = self.failures.lock();
        failures
            .get(name)
            .filter(|(_, cached_at)| cached_at.elapsed() < FAILURE_MAX_AGE)
            .map(|(failure, _)| failure.clone())
    }

    fn cache_failure(&self, name: &str, failure: &UnresolvedName) {
        let mut failures = self.failures.lock();
        if failures.len() >= MAX_CACHED_FAILURES {
            failures.clear();
        }
        failures.insert(name.to_owned(), (failure.clone(), Instant::now()));
    }

    /// Forgets all failures.
    pub fn forget_failures(&self) {
        self.failures.lock().clear();
    }

    /// Returns the addresses of a name, whatever the policy.
    async fn look_up(&self, name: &str) -> Result<Vec<SocketAddr>, UnresolvedName> {
        if let Some(failure) = self.cached_failure(name) {
            return Err(failure);
        }
        tokio::net::lookup_host((name, 0))
            .await
            .map(Iterator::collect)
            .map_err(|e| UnresolvedName(e.to_string()))
            .inspect_err(|failure| self.cache_failure(name, failure))
    }
}

/// Returns the addresses that the policy allows.
///
/// # Errors
/// Fails if there are addresses, and the policy allows none.
fn permitted_addresses(
    policy: AddressPolicy,
    addresses: &[SocketAddr],
) -> Result<Vec<SocketAddr>, ForbiddenAddress> {
    let mut permitted = Vec::new();
    let mut forbidden = None;
    for address in addresses {
        match policy.check_address(address.ip()) {
            Ok(()) => permitted.push(*address),
            Err(cause) => {
                forbidden = Some(ForbiddenAddress {
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
            let addresses = resolver.look_up(name.as_str()).await?;
            let permitted = permitted_addresses(resolver.policy, &addresses)?;
            let permitted: Addrs = Box::new(permitted.into_iter());
            Ok(permitted)
        })
    }
}

/// Resolves every name to the same addresses, given by the user and exempt from the policy.
pub(crate) struct FixedResolver(pub Vec<SocketAddr>);

impl Resolve for FixedResolver {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

#[cfg(test)]
mod tests {
    use super::{Resolver, UnresolvedName, permitted_addresses};
    use crate::address::AddressPolicy;
    use reqwest::dns::Resolve;

    const PUBLIC_ONLY: AddressPolicy = AddressPolicy {
        allows_private: false,
        allows_public: true,
    };

    #[test]
    fn uses_only_the_public_addresses_of_a_name() {
        let addresses = |list: &[&str]| -> Vec<_> {
            list.iter()
                .map(|a| format!("{a}:0").parse().unwrap())
                .collect()
        };
        let mixed = addresses(&["127.0.0.1", "8.8.8.8", "[::1]"]);
        assert_eq!(
            permitted_addresses(PUBLIC_ONLY, &mixed).unwrap(),
            addresses(&["8.8.8.8"])
        );
        let private = addresses(&["10.0.0.1", "[fe80::1]"]);
        assert!(
            permitted_addresses(PUBLIC_ONLY, &private)
                .unwrap_err()
                .to_string()
                .contains("fe80::1")
        );
        assert!(
            permitted_addresses(
                AddressPolicy {
                    allows_private: true,
                    allows_public: false
                },
                &private
            )
            .is_ok()
        );
    }

    #[tokio::test(start_paused = true)]
    async fn caches_a_failure_for_a_while() {
        let resolver = Resolver::new(PUBLIC_ONLY);
        let failure = UnresolvedName("none".into());
        resolver.cache_failure("a.test", &failure);
        // A look-up meanwhile does not extend the time.
        tokio::time::advance(super::FAILURE_MAX_AGE / 2).await;
        assert_eq!(resolver.look_up("a.test").await, Err(failure));
        assert!(resolver.resolve("a.test".parse().unwrap()).await.is_err());
        tokio::time::advance(super::FAILURE_MAX_AGE / 2).await;
        assert_eq!(resolver.cached_failure("a.test"), None);
    }
}
