//! Serves the web of the fault tests, for benchmarks.
//!
//! `fault-web` prints its address, reads standard input to the end, and prints one line with the
//! numbers of hosts, of requests, of pages requested more than once, and of sound hosts with
//! simultaneous requests, and the shortest pause from a response of a host to the next request.

use forage_tests::faults::{FaultWeb, fault_of_host};
use std::io::{Read, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let web = FaultWeb::start();
    writeln!(stdout(), "{}", web.address)?;
    stdin().read_to_end(&mut Vec::new())?;
    let hosts = web.requests_by_host();
    let requests: u32 = hosts.values().flat_map(|host| host.paths.values()).sum();
    let repeated = hosts
        .values()
        .flat_map(|host| host.paths.values())
        .filter(|&&count| count > 1)
        .count();
    let is_sound = |name: &str| {
        name[1..]
            .trim_end_matches(".test")
            .parse()
            .is_ok_and(|number| fault_of_host(number).is_none())
    };
    let overlapped = hosts
        .iter()
        .filter(|(name, host)| host.overlapped && is_sound(name))
        .count();
    let shortest_pause = hosts
        .values()
        .filter_map(|host| host.shortest_pause)
        .min()
        .unwrap_or_default();
    writeln!(
        stdout(),
        "hosts {} requests {requests} twice {repeated} overlapped {overlapped} least-gap-ms {}",
        hosts.len(),
        shortest_pause.as_millis()
    )
}
