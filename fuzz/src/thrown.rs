//! Inputs of a fuzz target for ordinary tests: its corpus, and mutations of it that are the same in every run.
//!
//! How an input is mutated is for others: `mutated` does it to any bytes.

use std::path::Path;

use super::dice::Dice;

/// Gives a target its corpus, and then so many mutations of it.
pub fn run(
    target: &str,
    inputs: usize,
    mutate: impl Fn(&mut Vec<u8>, &[Vec<u8>], &mut Dice),
    body: impl Fn(&[u8]),
) {
    let corpus = corpus(target);
    assert!(corpus.len() >= 10, "the corpus of {target} is there");
    for input in &corpus {
        body(input);
    }
    let mut dice = Dice::new(0x9e37_79b9_7f4a_7c15);
    for _ in 0..inputs {
        let mut input = dice.pick(&corpus).clone();
        for _ in 0..=dice.below(4) {
            mutate(&mut input, &corpus, &mut dice);
        }
        body(&input);
    }
}

/// The inputs in the order of their names.
pub fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("it can be listed").path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("it can be read")).collect()
}
