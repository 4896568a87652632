//! What must not stay behind in a finished change.

use crate::code;
use crate::source::{Complaint, Source};

/// Complains about code that is not written yet and tests that do not run.
pub fn open_ends(source: &Source) -> Vec<Complaint> {
    let patterns: [&[&str]; 3] = [&["todo", "!"], &["unimplemented", "!"], &["#", "[", "ignore"]];
    let tokens = code::tokens(&source.text);
    let mut complaints = Vec::new();
    for index in 0..tokens.len() {
        for pattern in patterns {
            if code::says(&tokens[index..], pattern) {
                complaints
                    .push(source.complain(tokens[index].at, format!("`{}` is left open", pattern.concat())));
            }
        }
    }
    complaints
}

/// Where tests sleep between two looks at what they wait for.
const WAITING: &str = "testkit/src/waiting.rs";

/// Complains about a test that waits for a time instead of a condition.
pub fn sleeps(source: &Source) -> Vec<Complaint> {
    let modules = code::test_modules(&source.text);
    let in_test = |at: usize| source.is_test() || modules.iter().any(|module| module.contains(&at));
    let tokens = code::tokens(&source.text);
    let calls = tokens.windows(2).filter(|_| source.path != WAITING);
    let calls = calls.filter(|pair| code::says(pair, &["sleep", "("]) && in_test(pair[0].at));
    calls
        .map(|pair| source.complain(pair[0].at, "a test sleeps; wait for a condition with a deadline"))
        .collect()
}

/// Complains about a test that burns a core while it waits.
pub fn spins(source: &Source) -> Vec<Complaint> {
    // In two parts, or this list would be its own first finding.
    let spinning = [concat!("yield", "_now"), concat!("spin", "_loop")];
    let modules = code::test_modules(&source.text);
    let in_test = |at: usize| source.is_test() || modules.iter().any(|module| module.contains(&at));
    let tokens = code::tokens(&source.text);
    let calls = tokens.iter().filter(|token| spinning.contains(&token.text) && in_test(token.at));
    calls
        .map(|token| source.complain(token.at, "a test spins; wait with `postil_testkit::wait_until`"))
        .collect()
}

/// Complains about a file that is taken in by its path: what tests share is in `postil-testkit`.
///
/// The bodies of fuzz targets may be, since `fuzz/` is no part of the workspace, and so may what the targets in `tests/`
/// are made of. The programs of `bench/` share a few files.
pub fn taken_in(source: &Source) -> Vec<Complaint> {
    if ["tests/", "bench/src/"].iter().any(|folder| source.path.starts_with(folder)) {
        return Vec::new();
    }
    let tokens = code::tokens(&source.text);
    let attributes = tokens.windows(4).filter(|four| code::says(four, &["#", "[", "path", "="]));
    attributes
        .filter(|four| {
            let line = source.text[four[0].at..].lines().next().unwrap_or_default();
            !line.contains("/fuzz/src/")
        })
        .map(|four| {
            source.complain(four[0].at, "taken in by its path; what tests share is in `postil-testkit`")
        })
        .collect()
}

/// Complains about a path that exists only on the machine where the file was written.
pub fn machine_paths(source: &Source) -> Vec<Complaint> {
    // In two parts, or this list would be its own first finding.
    let places = [concat!("/wo", "rk/"), concat!("/ro", "ot/")];
    let mut complaints = Vec::new();
    for place in places {
        for (at, _) in source.text.match_indices(place) {
            let goes_on = source.text[..at].chars().next_back().is_some_and(is_path);
            if !goes_on {
                complaints.push(source.complain(at, format!("`{place}` is a path of one machine")));
            }
        }
    }
    complaints
}

fn is_path(c: char) -> bool {
    c.is_alphanumeric() || "._-/}>)*".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_ends_are_found() {
        let bad = "fn f() { todo!() }\nfn g() { unimplemented!(\"x\") }\n#[test]\n#[ignore = \"slow\"]\nfn h() {}\n";
        assert_eq!(open_ends(&Source::new("core/src/x.rs", bad)).len(), 3);
        assert!(open_ends(&Source::new("core/src/x.rs", "fn f() { \"todo!()\" }")).is_empty());
    }

    #[test]
    fn a_sleeping_test_is_found() {
        let call = "fn f() { std::thread::sleep(TICK); }";
        assert_eq!(sleeps(&Source::new("core/tests/x.rs", call)).len(), 1);
        assert_eq!(sleeps(&Source::new("tests/scenarios/x.rs", call)).len(), 1);
        let inline = format!("{call}\n#[cfg(test)]\nmod tests {{ {call} }}\n");
        assert_eq!(sleeps(&Source::new("daemon/src/x.rs", &inline)).len(), 1);
    }

    #[test]
    fn a_spinning_test_is_found() {
        let call = format!("fn f() {{ std::thread::{}(); }}", concat!("yield", "_now"));
        assert_eq!(spins(&Source::new("core/tests/x.rs", &call)).len(), 1);
        assert_eq!(spins(&Source::new("testkit/src/waiting.rs", &call)).len(), 1);
        assert!(spins(&Source::new("daemon/src/x.rs", &call)).is_empty());
        let inline = format!("#[cfg(test)]\nmod tests {{ {call} }}\n");
        assert_eq!(spins(&Source::new("daemon/src/x.rs", &inline)).len(), 1);
    }

    #[test]
    fn tests_sleep_in_one_place_alone() {
        let call = "fn f() { std::thread::sleep(d); }";
        assert!(sleeps(&Source::new(WAITING, call)).is_empty());
        assert_eq!(sleeps(&Source::new("testkit/src/sandbox.rs", call)).len(), 1);
    }

    #[test]
    fn a_file_that_is_taken_in_by_its_path_is_found() {
        let with = |path: &str| format!("#[path = \"{path}\"]\nmod it;\n");
        let found = |at: &str, path: &str| taken_in(&Source::new(at, &with(path))).len();
        assert_eq!(found("service/tests/service/main.rs", "../../../core/tests/support/mod.rs"), 1);
        assert_eq!(found("core/tests/rooms/fuzzed/mod.rs", "../../../../fuzz/src/patch.rs"), 0);
        assert_eq!(found("tests/scenarios/main.rs", "../support/mod.rs"), 0);
    }

    #[test]
    fn a_path_of_one_machine_is_found() {
        let bad = format!("see {}notes.txt", concat!("/wo", "rk/"));
        assert_eq!(machine_paths(&Source::new("docs/x.md", &bad)).len(), 1);
        let fine = format!("refs{}x and $HOME{}y", concat!("/wo", "rk/"), concat!("/ro", "ot/"));
        assert!(machine_paths(&Source::new("docs/x.md", &fine)).is_empty());
    }
}
