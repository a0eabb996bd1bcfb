//! Chooses the built-in model: the full one in a checkout of Forage, the compact one in the package
//! of this crate, which does not contain the full one.

use std::path::Path;

fn main() {
    const FULL: &str = "model/evidence.bin";
    println!("cargo::rustc-check-cfg=cfg(full_model)");
    println!("cargo::rerun-if-changed={FULL}");
    if Path::new(FULL).exists() {
        println!("cargo::rustc-cfg=full_model");
    }
}
