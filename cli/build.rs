//! Links the programs at a fixed address where that is known to work.
//!
//! A command of daily use lives for two milliseconds, and the loader spent one part in seven of that on relocating
//! twenty thousand places of a program of 14 MB (docs/decisions/0015).

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
