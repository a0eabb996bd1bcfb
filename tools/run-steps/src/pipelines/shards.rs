//! The options of cluster and dedup-at-scale.

use super::shared::Shards;
use crate::pipeline::{COMMAND, PLAIN, Pipeline};
use clap::Args;

/// cluster: a command over shards.
pub const CLUSTER: Pipeline = Pipeline {
    name: "cluster",
    about: "Run a command over the shards of a corpus, on a cluster",
    usage: "NAME --on ENGINE --in GLOB --out DIR [--partitions N] -- COMMAND",
    sections: include_str!("../sections/cluster.txt"),
    options: |command| ClusterArgs::augment_args(command),
    common: &["on", "in", "out", "partitions", "quiet", COMMAND],
    ..PLAIN
};

/// dedup-at-scale: the duplicates of a corpus in shards.
pub const DEDUP_AT_SCALE: Pipeline = Pipeline {
    name: "dedup-at-scale",
    about: "Mark the duplicates in the shards of a corpus, on a cluster",
    usage: "\
NAME --on ENGINE --in GLOB --out DIR [--threshold N] [--titles]
         [--drop]",
    sections: include_str!("../sections/dedup-at-scale.txt"),
    options: |command| DedupAtScaleArgs::augment_args(command),
    common: &["on", "in", "out", "threshold", "titles", "drop", "quiet"],
    ..PLAIN
};

#[derive(Args)]
struct ClusterArgs {
    #[command(flatten)]
    shards: Shards,

    /// What bash runs for each shard
    #[arg(id = COMMAND, required = true, last = true, num_args = 1..)]
    command: Vec<String>,
}

#[derive(Args)]
struct DedupAtScaleArgs {
    #[command(flatten)]
    shards: Shards,

    #[command(flatten)]
    comparison: dedup::Comparison,

    #[command(flatten)]
    selection: dedup::Selection,
}
