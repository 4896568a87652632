//! Finds files with names similar to one that does not exist: it was mistyped, or the person is in another
//! directory.

use postil_core::git::RepoPath;
use rapidfuzz::distance::indel;

/// What is less alike was not meant.
const MIN_ALIKE: f64 = 0.75;

/// A longer list of similar names does not help.
const MAX_TOLD: usize = 3;

/// The files that were meant, perhaps, the likeliest first.
pub(crate) fn alike<'a>(path: &RepoPath, files: impl IntoIterator<Item = &'a RepoPath>) -> Vec<String> {
    let (folder, name) = parts(path);
    let score = |file: &RepoPath| match parts(file) {
        // In the wrong directory, the name itself is usually right.
        (_, other) if other == name => 1.0 + similarity(path.as_bytes(), file.as_bytes()),
        // What is the same in any case says nothing.
        (other, its_name) if other == folder => similarity(name, its_name),
        _ => similarity(path.as_bytes(), file.as_bytes()),
    };
    let scored = files.into_iter().map(|file| (score(file), file));
    let mut found: Vec<(f64, &RepoPath)> = scored.filter(|(score, _)| *score >= MIN_ALIKE).collect();
    found.sort_by(|(one, left), (other, right)| other.total_cmp(one).then_with(|| left.cmp(right)));
    found.into_iter().take(MAX_TOLD).map(|(_, file)| file.to_string()).collect()
}

/// The folder of a file, and its name in there.
fn parts(path: &RepoPath) -> (&[u8], &[u8]) {
    let bytes = path.as_bytes();
    bytes.split_at(bytes.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1))
}

/// How alike they are from 0 to 1, capitals or not; 0 where that is too little.
fn similarity(one: &[u8], other: &[u8]) -> f64 {
    let letters = |bytes: &[u8]| bytes.to_ascii_lowercase();
    let args = indel::Args::default().score_cutoff(MIN_ALIKE);
    indel::normalized_similarity_with_args(letters(one), letters(other), &args).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_name_and_one_of_another_folder_are_found() {
        let path = |path: &str| RepoPath::new(path).unwrap();
        let files = ["src/main.rs", "src/lib.rs", "tests/main.rs", "README.md"].map(path);
        let meant = |wanted: &str| alike(&path(wanted), &files);
        assert_eq!(meant("src/mian.rs"), ["src/main.rs"]);
        assert_eq!(meant("main.rs"), ["src/main.rs", "tests/main.rs"]);
        assert_eq!(meant("Readme.md"), ["README.md"]);
        assert_eq!(meant("src/lib.r"), ["src/lib.rs"]);
        assert_eq!(meant("nothing/like/it"), Vec::<String>::new());
    }
}
