//! A killed run is resumed and gives the same result as an undisturbed one.
#![cfg(target_os = "linux")]

use forage_tests::closed_web::{new_run_command, resume_command};
use forage_tests::kills;

#[test]
fn a_killed_run_gives_the_same_result() {
    assert_survives_kills(10, &["--docs", "14", "--quiet"]);
}

#[test]
fn a_killed_run_of_the_region_learner_gives_the_same_result() {
    assert_survives_kills(
        5,
        &[
            "--docs",
            "40",
            "--quiet",
            "--learn",
            "auto",
            "--batch",
            "4",
            "--page-size",
            "4",
        ],
    );
}

#[test]
fn a_killed_run_with_coverage_probes_gives_the_same_result() {
    assert_survives_kills(
        3,
        &[
            "--docs",
            "60",
            "--quiet",
            "--until-coverage",
            "0.9",
            "--batch",
            "4",
            "--page-size",
            "4",
        ],
    );
}

#[test]
fn a_killed_run_that_learns_methods_and_lengths_gives_the_same_result() {
    assert_survives_kills(
        5,
        &[
            "--docs",
            "14",
            "--quiet",
            "--learn",
            "ltm",
            "--lengths",
            "ii",
            "--no-result-penalty",
            "2",
        ],
    );
}

#[test]
fn a_killed_run_of_a_bandit_gives_the_same_result() {
    assert_survives_kills(
        4,
        &[
            "--docs",
            "24",
            "--quiet",
            "--learn",
            "ucb",
            "--lengths",
            "di",
            "--batch",
            "3",
        ],
    );
}

#[test]
fn killed_runs_of_the_baselines_give_the_same_result() {
    assert_survives_kills(
        3,
        &[
            "--docs",
            "30",
            "--quiet",
            "--learn",
            "like",
            "--batch",
            "3",
            "--page-size",
            "3",
        ],
    );
    assert_survives_kills(
        3,
        &[
            "--docs",
            "30",
            "--quiet",
            "--learn",
            "seedfinder",
            "--batch",
            "4",
            "--page-size",
            "4",
        ],
    );
}

/// Kills and resumes runs that collect Slovenian documents, with these arguments.
fn assert_survives_kills(trials: u64, args: &[&str]) {
    kills::assert_survives_kills(trials, &|out| new_run_command(out, args), &|out| {
        resume_command(out, &[])
    });
}
