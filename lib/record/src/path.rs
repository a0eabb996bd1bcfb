//! Paths of nested fields that tools accept as arguments.

/// The metrics that voted for the document.
pub const TOPIC_METRICS: &str = "topic.metrics";
