//! Makes the programs start fast where it is known how: at a fixed address, and with one library less.
//!
//! A command of daily use lives for a millisecond or two. The loader spent one part in seven of that on relocating
//! twenty thousand places of a program of 14 MB, and a tenth on a library of which only the end of a panic needs
//! anything (docs/decisions/0015).

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let said = |name: &str| env::var(name).unwrap_or_default();
    if said("CARGO_CFG_TARGET_OS") != "linux" || said("CARGO_CFG_TARGET_ENV") != "gnu" {
        return;
    }
    println!("cargo::rustc-link-arg-bins=-no-pie");
    let folder = said("OUT_DIR");
    if said("HOST") == said("TARGET") && has_unwinder() && put_unwinder_in(Path::new(&folder)).is_ok() {
        println!("cargo::rustc-link-search=native={folder}");
    }
}

/// Whether the compiler has what unwinds the stack as an archive; every gcc does, but it may be packed apart.
fn has_unwinder() -> bool {
    let linker = env::var("RUSTC_LINKER").unwrap_or_else(|_| "cc".into());
    let asked = Command::new(linker).arg("-print-file-name=libgcc_eh.a").output();
    // One that is not found is told by its bare name.
    asked.is_ok_and(|told| Path::new(String::from_utf8_lossy(&told.stdout).trim()).is_absolute())
}

/// Whoever links asks for the shared library by its name, and finds the archives under it.
fn put_unwinder_in(folder: &Path) -> std::io::Result<()> {
    fs::write(folder.join("libgcc_s.so"), "INPUT(-lgcc_eh -lgcc)\n")
}
