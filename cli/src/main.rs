//! The command line of postil.

fn main() {}
