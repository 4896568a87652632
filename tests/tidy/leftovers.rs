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
    fn a_path_of_one_machine_is_found() {
        let bad = format!("see {}notes.txt", concat!("/wo", "rk/"));
        assert_eq!(machine_paths(&Source::new("docs/x.md", &bad)).len(), 1);
        let fine = format!("refs{}x and $HOME{}y", concat!("/wo", "rk/"), concat!("/ro", "ot/"));
        assert!(machine_paths(&Source::new("docs/x.md", &fine)).is_empty());
    }
}
