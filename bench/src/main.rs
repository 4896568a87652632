//! Benchmarks, and the runner that measures accuracy.

fn main() {}
