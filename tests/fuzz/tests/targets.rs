//! Runs the corpus of each target, and a fixed number of random inputs. The result does not depend
//! on time.

use forage_fuzz::campaign::Campaign;
use forage_fuzz::targets::{TARGETS, Target};
use std::sync::Mutex;
use std::thread;

/// Seed of the random choices.
const SEED: u64 = 1;

/// Runs the inputs of a target on a thread with its stack. Returns its failures.
fn run(target: &'static Target) -> Vec<String> {
    let work = || {
        let mut campaign = Campaign::new(target, SEED).expect("the corpus can be read");
        let mut failures = Vec::new();
        let mut random_inputs = 0;
        while random_inputs < target.test_inputs {
            random_inputs += u64::from(campaign.has_run_corpus());
            if let Some((failure, input)) = campaign.run_next() {
                let input = String::from_utf8_lossy(&input).into_owned();
                let input: String = input.chars().take(1000).collect();
                failures.push(format!("{}: {failure}; input: {input:?}", target.name));
            }
        }
        failures
    };
    thread::scope(|scope| {
        let builder = thread::Builder::new().stack_size(target.stack_bytes);
        let running = builder.spawn_scoped(scope, work).expect("a thread starts");
        running.join().expect("the campaign does not panic")
    })
}

/// Saves nothing: `cargo run --release --package forage-fuzz -- TARGET --seed 1` does.
#[test]
fn no_target_panics_on_its_corpus_nor_on_random_inputs() {
    let next = Mutex::new(TARGETS.iter());
    let failures = Mutex::new(Vec::new());
    let workers = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let target = next.lock().expect("no worker panics").next();
                    let Some(target) = target else { break };
                    let found = run(target);
                    failures.lock().expect("no worker panics").extend(found);
                }
            });
        }
    });
    let failures = failures.into_inner().expect("no worker panics");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
