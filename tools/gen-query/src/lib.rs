//! The options of gen-query that define a strategy. simulate-run has them too.

mod args;
mod strategy_args;
mod tool;

pub use strategy_args::{Contrast, QueryArgs, StrategyArgs};
pub use tool::main;
