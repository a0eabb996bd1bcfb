//! Serves the web of the fault tests, for measuring: says where, and at the end of its input what
//! was asked.
//!
//! `fault-web` prints its address, reads standard input to the end, and prints a line: hosts,
//! requests, pages that were asked for more than once, sound hosts with requests at the same time,
//! and the least time from an answer of a host to the next request to it.

use forage_tests::faults::{Web, fault};
use std::io::{Read, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let web = Web::start();
    writeln!(stdout(), "{}", web.address)?;
    stdin().read_to_end(&mut Vec::new())?;
    let asked = web.asked();
    let requests: u32 = asked.values().flat_map(|host| host.paths.values()).sum();
    let twice = asked
        .values()
        .flat_map(|host| host.paths.values())
        .filter(|&&times| times > 1)
        .count();
    let is_sound = |name: &str| {
        name[1..]
            .trim_end_matches(".test")
            .parse()
            .is_ok_and(|number| fault(number).is_none())
    };
    let overlapped = asked
        .iter()
        .filter(|(name, host)| host.overlapped && is_sound(name))
        .count();
    let least = asked
        .values()
        .filter_map(|host| host.least_pause)
        .min()
        .unwrap_or_default();
    writeln!(
        stdout(),
        "hosts {} requests {requests} twice {twice} overlapped {overlapped} least-gap-ms {}",
        asked.len(),
        least.as_millis()
    )
}
