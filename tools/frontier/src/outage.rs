//! An outage of the network, which must not use up the URLs of a crawl.

use forage_frontier::Frontier;
use forage_page_url::host_of;
use forage_record::ErrorKind;
use forage_run::Event;
use std::collections::BTreeSet;

/// Number of URLs from which a step without a reached host is an outage: a single host is down now
/// and then. Set by judgement, not measured.
const MIN_UNREACHED: usize = 3;

/// The hosts of a step that could not be reached.
#[derive(Debug, Default)]
pub(crate) struct OutageCheck {
    unreached: BTreeSet<String>,
    /// Number of URLs of these hosts.
    urls: usize,
    /// The last of their errors.
    message: String,
    /// True if a host was reached.
    is_up: bool,
}

impl OutageCheck {
    /// Adds a record of the step.
    pub(crate) fn add(&mut self, event: &Event) {
        use ErrorKind::{BadUrl, Connect, Dns, ForbiddenAddress, Robots, Timeout, Tls};
        let Some(error) = &event.error else {
            self.is_up = true;
            return;
        };
        match error.kind {
            Dns | Connect | Tls | Timeout => {
                self.message.clone_from(&error.message);
                self.urls += 1;
                self.unreached
                    .extend(event.url().and_then(|url| host_of(&url)));
            }
            // Nobody was asked: robots.txt is known, or the URL is none.
            Robots | BadUrl | ForbiddenAddress => {}
            _ => self.is_up = true,
        }
    }

    /// Checks that the network was up when the step was fetched.
    ///
    /// # Errors
    /// Fails if none of three URLs or more could be reached, although one of the hosts was live
    /// before; or if no host was ever live. Other hosts may be dead.
    pub(crate) fn finish(&self, frontier: &mut Frontier) -> anyhow::Result<()> {
        if self.is_up || self.unreached.is_empty() {
            return Ok(());
        }
        let mut is_lost = false;
        for host in &self.unreached {
            is_lost = is_lost || frontier.was_live(host)?;
        }
        let is_outage = (is_lost && self.urls >= MIN_UNREACHED) || !frontier.has_live_host()?;
        anyhow::ensure!(
            !is_outage,
            "no host of the step could be reached ({}); is the network down? The step is not \
             counted; if these hosts are gone, continue with a larger batch",
            self.message
        );
        Ok(())
    }
}
