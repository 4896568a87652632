//! The glossary and the code use the same words.
//!
//! Every word in `docs/glossary.md` is used somewhere. The files and folders of the service and the daemon are named
//! with words from the glossary, with the names of methods, or with the ordinary words below. So a new word for a thing
//! of our own is explained in the glossary, where a reader looks for it, before a file has its name.

use std::collections::BTreeSet;

use crate::source::{Complaint, Source};

/// Where the words are explained.
const GLOSSARY: &str = "docs/glossary.md";

/// The table that names the methods.
const METHODS: &str = "protocol/src/method.rs";

/// The folders whose names are checked.
const NAMED: [&str; 2] = ["service/src/", "daemon/src/"];

/// Words of programming, of git and of other tools, which mean here what they mean everywhere.
const ORDINARY: &str = "\
    appraise at background before cache check child client codex commit config conflict connection \
    convert current delete disk earlier encoding environment event failure field file filter \
    fixture folder format git handshake hash hex housekeeping last lib malloc memory method mod name notify of \
    openpgp order output path pathspec person process rdjson ref registry report repository \
    rfc3339 risky run sarif schedule sd service setting sign signal similar size ssh task \
    temporary test time to trim uncommitted visible warning watch word";

/// Complains about words of the glossary that nothing uses.
pub fn unused(sources: &[Source]) -> Vec<Complaint> {
    let Some(glossary) = sources.iter().find(|source| source.path == GLOSSARY) else { return Vec::new() };
    let others =
        sources.iter().filter(|source| source.path != GLOSSARY && (source.is_rust() || source.is_page()));
    let used: BTreeSet<String> = others.flat_map(|source| phrases(&source.text)).collect();
    terms(glossary)
        .into_iter()
        .filter(|(_, term)| !used.contains(&term.to_lowercase().replace('-', " ")))
        .map(|(at, term)| glossary.complain(at, format!("`{term}` is used nowhere; remove it")))
        .collect()
}

/// Complains about files and folders with a word in their names that is explained nowhere.
pub fn unexplained(sources: &[Source]) -> Vec<Complaint> {
    let known = explained(sources);
    let mut complaints = Vec::new();
    for source in sources {
        for word in words_of_name(&source.path) {
            if !stems(word).any(|stem| known.contains(&stem) || is_ordinary(&stem)) {
                let what = format!("`{word}` is not in {GLOSSARY}; explain it there, or choose another name");
                complaints.push(source.complain(0, what));
            }
        }
    }
    complaints
}

/// Complains about ordinary words that no name needs, or that the glossary explains.
pub fn needless(sources: &[Source]) -> Vec<Complaint> {
    let known = explained(sources);
    let named: BTreeSet<String> =
        sources.iter().flat_map(|source| words_of_name(&source.path)).flat_map(stems).collect();
    let here = Source::new("tests/tidy/glossary.rs", "");
    let is_needless = |word: &&str| !named.contains(*word) || known.contains(*word);
    let needless = ORDINARY.split(' ').filter(is_needless);
    needless
        .map(|word| here.complain(0, format!("`{word}` need not be in the list of ordinary words")))
        .collect()
}

fn is_ordinary(word: &str) -> bool {
    ORDINARY.split(' ').any(|ordinary| ordinary == word)
}

/// The words of a path below one of the folders; none for other paths.
fn words_of_name(path: &str) -> Vec<&str> {
    let below = NAMED.iter().find_map(|folder| path.strip_prefix(folder));
    let names = below.into_iter().flat_map(|below| below.trim_end_matches(".rs").split('/'));
    names.flat_map(|name| name.split('_')).collect()
}

/// The words of the glossary and of the names of methods.
fn explained(sources: &[Source]) -> BTreeSet<String> {
    let file = |path: &str| sources.iter().find(|source| source.path == path);
    let terms = file(GLOSSARY).map(terms).unwrap_or_default();
    let methods = file(METHODS).map(|source| methods(&source.text)).unwrap_or_default();
    let terms = terms.iter().flat_map(|(_, term)| term.split([' ', '-']));
    terms.chain(methods.into_iter().flat_map(|name| name.split('.'))).flat_map(stems).collect()
}

/// The first column of the table, word by word, with where each begins.
fn terms(glossary: &Source) -> Vec<(usize, &str)> {
    let mut terms = Vec::new();
    let mut at = 0;
    for line in glossary.text.split_inclusive('\n') {
        let cell = line.strip_prefix("| ").and_then(|rest| rest.split_once(" |"));
        if let Some((cell, _)) = cell.filter(|(cell, _)| *cell != "word") {
            terms.extend(cell.split(", ").map(|term| (at, term)));
        }
        at += line.len();
    }
    terms
}

/// The names of methods: each row of the table begins with one.
fn methods(text: &str) -> Vec<&str> {
    let rows = text.lines().filter_map(|line| line.trim_start().strip_prefix('"'));
    let names = rows.filter_map(|row| row.split_once("\" ").map(|(name, _)| name));
    names.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '.')).collect()
}

/// A word, and what it may be a form of: `sharing` of `share`, `planned` of `plan`, `replies` of `reply`.
fn stems(word: &str) -> impl Iterator<Item = String> {
    let mut stems = vec![word.to_owned()];
    for ending in ["s", "es", "ed", "d", "er", "ing", "ion"] {
        if let Some(stem) = word.strip_suffix(ending).filter(|stem| stem.len() > 2) {
            stems.extend([stem.to_owned(), format!("{stem}e")]);
            let mut letters = stem.chars().rev();
            if letters.next() == letters.next() {
                stems.push(stem[..stem.len() - 1].to_owned());
            }
        }
    }
    for ending in ["ies", "ied"] {
        stems.extend(word.strip_suffix(ending).map(|stem| format!("{stem}y")));
    }
    stems.into_iter()
}

/// All words of a text, and all pairs of words that follow each other, in lower case; a name in code is several words.
fn phrases(text: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut before = ' ';
    for c in text.chars() {
        let is_new = !c.is_alphanumeric() || (c.is_uppercase() && before.is_lowercase());
        if is_new && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
        before = c;
    }
    let pairs: Vec<String> = words.windows(2).map(|pair| pair.join(" ")).collect();
    words.into_iter().chain(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "| word | meaning |\n|---|---|\n| line map, name | … |\n| anchored, shifted | … |\n";

    fn sources(files: &[(&str, &str)]) -> Vec<Source> {
        let table = Source::new(GLOSSARY, TABLE);
        let methods = Source::new(METHODS, "    \"review.since\"  ReviewSince(…) -> …;\n");
        let files = files.iter().map(|(path, text)| Source::new(path, text));
        [table, methods].into_iter().chain(files).collect()
    }

    #[test]
    fn a_word_that_nothing_uses_is_found() {
        let complaints = |text: &str| unused(&sources(&[("core/src/a.rs", text)])).len();
        assert_eq!(complaints("struct LineMap; // Its name is anchored, or shifted."), 0);
        assert_eq!(complaints("fn line_map() {} // an anchored name"), 1);
        assert_eq!(complaints("// A map of lines."), 4);
    }

    #[test]
    fn a_name_that_is_explained_nowhere_is_found() {
        let complaints = |path: &str| unexplained(&sources(&[(path, "")])).len();
        for good in ["line_maps.rs", "reviews/since.rs", "shifting.rs", "cache/mod.rs"] {
            assert_eq!(complaints(&format!("service/src/{good}")), 0, "{good}");
        }
        for bad in ["shelf.rs", "desk/mod.rs", "line_shelf.rs"] {
            assert_eq!(complaints(&format!("daemon/src/{bad}")), 1, "{bad}");
        }
        assert_eq!(complaints("core/src/shelf.rs"), 0, "only the service and the daemon are checked");
    }

    #[test]
    fn an_ordinary_word_that_no_name_needs_is_found() {
        let every: Vec<String> = ORDINARY.split(' ').map(|word| format!("service/src/{word}.rs")).collect();
        let files: Vec<(&str, &str)> = every.iter().skip(1).map(|path| (path.as_str(), "")).collect();
        assert_eq!(needless(&sources(&files)).len(), 2, "the first one, and one that the glossary explains");
    }
}
