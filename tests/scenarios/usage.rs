//! The command line as a person meets it: names, suggestions, errors, exit codes.

use crate::support::finished::Finished;
use crate::support::forms::{Forms, REFUSED_WORDS};
use crate::support::postil::{POSTIL, folder_of_git_postil};
use crate::support::world::World;

#[test]
fn git_postil_works_when_the_binary_is_on_the_path() {
    let world = World::new();
    let alice = world.repository("alice");
    let mut path = vec![folder_of_git_postil().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").expect("there is a PATH")));
    let path = std::env::join_paths(path).expect("no folder of the PATH holds its separator");
    let version = Finished::run(alice.command("git").env("PATH", path).args(["postil", "--version"]));
    assert_eq!(version.code(0).stdout(), format!("git postil {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn an_unknown_command_gets_a_suggestion_and_exit_code_2() {
    let world = World::new();
    let refused = world.postil("dmeo");
    assert!(refused.code(2).stderr().contains("'demo'"), "{}", refused.stderr());
    assert_eq!(refused.stdout(), "");
}

#[test]
fn a_command_line_that_makes_no_sense_is_told_to_programs_as_well() {
    let world = World::new();
    let forms = Forms::published();
    for (line, message) in [
        ("list --json --nonsense", "unexpected argument '--nonsense' found"),
        ("--json dmeo", "unrecognized subcommand 'dmeo'"),
        ("demo --json", "`demo` does not support --json"),
    ] {
        let refused = world.postil(line);
        let told = forms.check(REFUSED_WORDS, &refused.code(2).stdout());
        assert_eq!(told[0]["error"]["code"], "usage", "{line}");
        assert_eq!(told[0]["error"]["message"], message, "{line}");
        assert!(told[0]["error"]["hint"].is_string(), "{line}");
        assert!(refused.stderr().starts_with(&format!("error: {message}")), "{}", refused.stderr());
    }
}

#[test]
fn a_number_that_is_none_is_told_what_is() {
    let world = World::new();
    let alice = world.repository("alice");
    for (line, told) in [
        ("list --limit x", "'x' for '--limit <COUNT>': expected a whole number, such as 20\n"),
        ("list -n -1", "'-1' for '--limit <COUNT>': expected a whole number, such as 20\n"),
        ("move @ --pick two", "'two' for '--pick <NUMBER>': expected a whole number, such as 20\n"),
        ("wait --timeout soon", "'soon' for '--timeout <SECONDS>': expected seconds, such as 60 or 0.5\n"),
        ("wait --timeout -1", "'-1' for '--timeout <SECONDS>': expected seconds, such as 60 or 0.5\n"),
    ] {
        let refused = alice.postil(line);
        assert!(refused.code(2).stderr().contains(told), "{line}: {}", refused.stderr());
    }
}

#[test]
fn no_command_at_all_gets_the_help_and_exit_code_2() {
    let world = World::new();
    assert!(world.postil("").code(2).stderr().contains("Usage: postil"));
}

#[test]
fn help_and_version_go_to_standard_output() {
    let world = World::new();
    assert!(world.postil("--help").code(0).stdout().contains("Usage: postil"));
    assert!(world.postil("demo --help").code(0).stdout().contains("temporary"));
    assert_eq!(world.postil("--version").code(0).stdout(), format!("postil {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn an_error_says_what_failed_and_why_and_what_to_do() {
    let world = World::new();
    let alice = world.repository("alice");
    let refused = alice.postil("-C nowhere daemon run");
    let told = refused.code(5).stderr();
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines.first(), Some(&"error: the daemon cannot watch this repository"), "{told}");
    assert!(lines[1].starts_with("  because: could not resolve nowhere"), "{told}");
    assert!(lines.last().is_some_and(|line| line.starts_with("hint: ")), "{told}");
}

#[test]
fn a_check_finds_the_same_where_nobody_reads_it() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    let unread = |line: &str| {
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let mut command = alice.command(POSTIL);
        command.args(crate::support::world::words(line)).env("POSTIL_DAEMON", "off").stdout(writer);
        command.status().expect("postil starts").code()
    };
    let checks = ["list --exit-code", "list --exit-code --json", "status --exit-code", "doctor"];
    for check in checks {
        assert_eq!(unread(check), Some(0), "{check}");
    }
    alice.postil("comment a.txt:1 -m 'why?'").code(0);
    alice.git("update-ref -d refs/notes/reviews");
    for check in checks.iter().rev() {
        assert_eq!(unread(check), Some(1), "{check}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_comment_that_cannot_be_told_is_stored_and_that_is_said() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has one");
    let mut command = alice.command(POSTIL);
    command.args(["comment", "a.txt:1", "-m", "why?"]).env("POSTIL_DAEMON", "off").stdout(full);
    let told = Finished::run_as_is(&mut command);
    let listed = alice.postil("list").code(0).stdout();
    let id = listed.split(' ').next().expect("the id comes first");
    let note = format!(
        "error: could not write the output\n  because: No space left on device (os error 28)\nnote: {id} was saved anyway\n"
    );
    assert_eq!(told.code(5).stderr(), note);
}

#[test]
fn a_check_that_cannot_read_everything_fails() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    alice.postil("comment a.txt:1 -m 'why?'").code(0);
    let note = alice.git("notes --ref=reviews list HEAD");
    let note = note.trim();
    alice.forget_kept();
    std::fs::remove_file(alice.folder.join(format!(".git/objects/{}/{}", &note[..2], &note[2..]))).unwrap();
    for check in ["list --exit-code", "status --exit-code", "inbox --here --exit-code", "wait --timeout 0"] {
        let told = alice.postil(check).code(5).stderr();
        assert!(told.contains("error: the check failed"), "{check}: {told}");
    }
    for line in ["review list", "diff", "comment a.txt -m more"] {
        let told = alice.postil(line).code(0).stderr();
        assert_eq!(told.matches("warning: some comments could not be read").count(), 1, "{line}: {told}");
    }
}
