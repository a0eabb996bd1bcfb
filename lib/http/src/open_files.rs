//! The limit of open files, and the number of connections that it allows.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Threads for name look-ups, per connection. The system's resolver blocks a thread for up to half
/// a minute if the name servers of a domain do not respond, long after the request has timed out.
/// Threads are started as needed; with too few, live hosts would wait for dead ones.
const LOOKUP_THREADS_PER_CONNECTION: usize = 3;
/// Maximum number of threads for name look-ups.
const MAX_LOOKUP_THREADS: usize = 4096;
/// Open files besides connections: databases, archives, temporary files, and the pipes of the
/// processes that read PDFs.
const OTHER_OPEN_FILES: usize = 64;
/// Open files per connection: its socket, and one of a name look-up or an idle connection.
const FILES_PER_CONNECTION: usize = 2;

/// What the limit of open files allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileBudget {
    /// Maximum number of connections for requests.
    pub connections: usize,
    /// Maximum number of threads for name look-ups, each with an open file.
    pub lookup_threads: usize,
    /// True if connections may stay open after a request.
    pub keeps_idle_connections: bool,
}

impl FileBudget {
    /// Raises the process's soft limit of open files to what the connections need, as far as the
    /// hard limit allows, and returns what the limit then allows. The usual soft limit, 1,024,
    /// exists only for old programs.
    pub fn for_connections(connections: usize) -> FileBudget {
        let needed = connections
            .saturating_mul(FILES_PER_CONNECTION)
            .saturating_add(OTHER_OPEN_FILES);
        let needed = u64::try_from(needed).unwrap_or(u64::MAX);
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        if current.is_some_and(|current| current < needed) {
            let current = Some(maximum.map_or(needed, |maximum| maximum.min(needed)));
            // If it fails, the present limit holds.
            let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum });
        }
        FileBudget::with_limit(connections, getrlimit(Resource::Nofile).current)
    }

    fn with_limit(connections: usize, limit: Option<u64>) -> FileBudget {
        let limit = limit.map_or(usize::MAX, |limit| {
            usize::try_from(limit).unwrap_or(usize::MAX)
        });
        let allowed = limit.saturating_sub(OTHER_OPEN_FILES) / FILES_PER_CONNECTION;
        let is_enough = allowed >= connections;
        let connections = connections.min(allowed).max(1);
        FileBudget {
            connections,
            lookup_threads: match is_enough {
                true => connections.saturating_mul(LOOKUP_THREADS_PER_CONNECTION),
                false => connections,
            }
            .clamp(1, MAX_LOOKUP_THREADS),
            keeps_idle_connections: is_enough,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FileBudget;

    #[test]
    fn a_low_limit_allows_fewer_connections_but_one() {
        let budget = |limit| FileBudget::with_limit(1024, limit);
        let unlimited = FileBudget {
            connections: 1024,
            lookup_threads: 3072,
            keeps_idle_connections: true,
        };
        assert_eq!(budget(None), unlimited);
        assert_eq!(budget(Some(4096)), unlimited);
        assert_eq!(
            budget(Some(256)),
            FileBudget {
                connections: 96,
                lookup_threads: 96,
                keeps_idle_connections: false,
            }
        );
        assert_eq!(budget(Some(20)).connections, 1);
    }
}
