//! The service speaks to every client, so that its messages hold no command line of postil.
//!
//! What to do next is an `Advice`, which each client says in its own words. What git is called with, and what a message
//! says about git itself in backticks, is not meant.

use crate::code;
use crate::source::{Complaint, Source};

/// Complains about a string of the service that only makes sense on a command line.
pub fn in_service(source: &Source) -> Vec<Complaint> {
    if !source.path.starts_with("service/src/") {
        return Vec::new();
    }
    let tests = code::test_modules(&source.text);
    let strings = code::strings(&source.text).into_iter();
    strings
        .filter(|string| {
            !tests.iter().any(|module| module.contains(&string.at)) && is_for_a_shell(string.text)
        })
        .map(|string| source.complain(string.at, "the service names a command or an option; use `Advice`"))
        .collect()
}

fn is_for_a_shell(literal: &str) -> bool {
    let text = literal.trim_matches(['"', '#', 'r', 'b']);
    if text.contains("`postil ") || text.contains(" -m ") {
        return true;
    }
    // A string without blanks is a word for a program that is started.
    if !text.contains(' ') {
        return false;
    }
    let without_git: String = text
        .split('`')
        .enumerate()
        .filter(|(number, part)| number % 2 == 0 || !part.starts_with("git "))
        .map(|(_, part)| format!(" {part}"))
        .collect();
    without_git.split_whitespace().any(|word| {
        word.strip_prefix("--").is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, text: &str, complaints: usize) {
        assert_eq!(in_service(&Source::new(path, text)).len(), complaints, "{path}: {text}");
    }

    #[test]
    fn a_command_or_an_option_in_a_message_is_found() {
        check("service/src/x.rs", r#"fn f() { g("look with `postil list` first"); }"#, 1);
        check("service/src/x.rs", r#"fn f() { g("say it with -m TEXT"); h("use `--base REF`"); }"#, 2);
        check("service/src/x.rs", r##"fn f() { g(r#"give --base a name"#); }"##, 1);
    }

    #[test]
    fn what_git_is_started_with_and_what_it_does_is_none() {
        check("service/src/x.rs", r#"fn f() { git(["fetch", "--quiet", "--", "a b"]); }"#, 0);
        check("service/src/x.rs", r#"fn f() { g("`git fetch --prune` from x deletes it"); }"#, 0);
        check("cli/src/x.rs", r#"fn f() { g("`postil list` tells"); }"#, 0);
        check(
            "service/src/x.rs",
            "// `postil list --all`\n#[cfg(test)]\nmod tests { const A: &str = \"`postil x`\"; }",
            0,
        );
    }
}
