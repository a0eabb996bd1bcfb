//! The options of gen-query that define a strategy. simulate-run has them too.

mod strategy_args;

pub use strategy_args::StrategyArgs;
