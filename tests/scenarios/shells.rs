//! Completion in a real shell, and man pages that a real reader understands.

use std::process::Command;

use postil_testkit::skipped;

use crate::support::finished::Finished;
use crate::support::postil::{POSTIL, folder_of_git_postil};
use crate::support::world::{Checkout, World};

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

/// A repository with one thread, and the id of that.
fn commented(world: &World) -> (Checkout<'_>, String) {
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    let said = alice.postil("comment a.txt:1 -m 'here: this'").code(0).stdout();
    let id = said.split(' ').next().expect("the id comes first").to_owned();
    (alice, id)
}

/// Begins a review, and returns its id.
fn reviewed(alice: &Checkout<'_>) -> String {
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("second");
    let begun = alice.postil("review start --title Two").code(0).stdout();
    begun.split(' ').nth(1).expect("the id comes second")[..7].to_owned()
}

/// What a script of a shell prints that finds postil on its PATH.
fn told_by(alice: &Checkout<'_>, shell: &str, options: &[&str], script: &str) -> Vec<String> {
    let mut path = vec![folder_of_git_postil().to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").expect("there is a PATH")));
    let path = std::env::join_paths(path).expect("no folder of the PATH holds its separator");
    let mut command = alice.command(shell);
    command.env("PATH", path).env("POSTIL_DAEMON", "off").args(options).args(["-c", script]);
    Finished::run(&mut command).code(0).stdout().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_and_ids() {
    if !is_there("bash") {
        return skipped("bash");
    }
    let world = World::new();
    let (alice, id) = commented(&world);
    let complete = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let script = format!(
            "source <('{POSTIL}' completions bash)\n\
             COMP_WORDS=({}) COMP_CWORD={}\n\
             {} postil '{}' '{}'\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.iter().map(|word| format!("'{word}' ")).collect::<String>(),
            words.len() - 1,
            if words[0] == "git" { "_git_postil" } else { "_postil_or_ids" },
            words[words.len() - 1],
            words[words.len() - 2],
        );
        told_by(&alice, "bash", &[], &script)
    };
    assert_eq!(complete("postil res"), ["resolve"]);
    assert_eq!(complete(&format!("postil resolve {}", &id[..3])).concat(), id);
    assert!(complete("postil show ").contains(&"@".to_owned()));
    assert!(complete("postil list --st").contains(&"--state".to_owned()));
    let review = reviewed(&alice);
    for line in ["postil review show ", "git postil review close ", "postil list --review "] {
        assert_eq!(complete(line), [review.as_str()], "{line}");
    }
    assert!(complete("git -C . postil reopen ").contains(&id));
    assert_eq!(complete("git postil res"), ["resolve"]);
    // Those of the repository that is named, which has none.
    let bob = world.repository("bob");
    for line in ["postil -C ../bob show ", "git -C ../bob postil show "] {
        assert_eq!(complete(line), ["@"], "{line} in {}", bob.folder.display());
    }
    // What an option takes is no id, and what stands behind one that takes nothing is.
    assert_eq!(complete("postil show --at to"), ["topic"]);
    assert!(complete("postil diff --base ").contains(&"main".to_owned()));
    assert!(!complete("postil resolve -m ").contains(&id));
    assert!(complete("postil resolve --json ").contains(&id));
}

#[test]
fn fish_completes_commands_and_ids() {
    if !is_there("fish") {
        return skipped("fish");
    }
    let world = World::new();
    let (alice, id) = commented(&world);
    let complete = |line: &str| {
        let script = format!("'{POSTIL}' completions fish | source; complete -C '{line}'");
        told_by(&alice, "fish", &["--no-config"], &script)
    };
    assert!(complete("postil res")[0].starts_with("resolve\t"));
    assert_eq!(complete(&format!("postil resolve {}", &id[..3])), [format!("{id}\there: this")]);
    assert!(complete("postil show ").contains(&"@\tthe newest comment".to_owned()));
    let review = reviewed(&alice);
    assert_eq!(complete("postil review show "), [format!("{review}\tTwo")]);
}

#[test]
fn zsh_completes_commands_and_ids() {
    if !is_there("zsh") {
        return skipped("zsh");
    }
    let world = World::new();
    let (alice, id) = commented(&world);
    // A shell within the shell: completion is for those who type, and a tab is what they type.
    let complete = |line: &str, completed: &str| {
        let script = format!(
            "zmodload zsh/zpty zsh/zselect\n\
             until_told() {{\n\
                 local part told=\n\
                 while [[ $told != *$1* && $SECONDS -lt 10 ]]; do\n\
                     if zpty -r -t z part; then told+=$part; else zselect -t 2; fi\n\
                 done\n\
                 print -r -- $told\n\
             }}\n\
             zpty z env TERM=dumb zsh -f -i\n\
             zpty -w z 'autoload -U compinit; compinit -D -u; source <({POSTIL} completions zsh); PS1=\"rea\"\"dy> \"'\n\
             until_told 'ready> ' >/dev/null\n\
             zpty -w -n z $'{line}\\t'\n\
             until_told '{completed}'\n\
             zpty -d z"
        );
        told_by(&alice, "zsh", &["-f"], &script).join("\n")
    };
    let told = complete("postil resol", "resolve ");
    assert!(told.contains("postil resolve "), "{told:?}");
    let told = complete(&format!("postil resolve {}", &id[..3]), &id);
    assert!(told.contains(&format!("postil resolve {id}")), "{told:?}");
    let review = reviewed(&alice);
    let told = complete("postil review show ", &review);
    assert!(told.contains(&format!("postil review show {review}")), "{told:?}");
}

#[test]
fn every_shell_has_a_script_and_every_command_a_page() {
    let world = World::new();
    for (shell, mark) in [("bash", "complete -F"), ("zsh", "#compdef postil"), ("fish", "complete -c postil")]
    {
        assert!(world.postil(&format!("completions {shell}")).code(0).stdout().contains(mark), "{shell}");
    }
    let zsh = world.postil("completions zsh").code(0).stdout();
    assert_eq!(zsh.matches(":_postil_ids'").count(), 14, "each command that takes ids, and an alias");
    assert_eq!(zsh.matches(":_postil_reviews'").count(), 20, "nine commands of reviews, and `--review`");
    world.postil("man pages").code(0);
    let page = |name: &str| std::fs::read_to_string(world.people().join("pages").join(name));
    assert!(page("postil-comment.1").is_ok_and(|page| page.contains("src/lib.rs:12")));
    assert!(page("git-postil.1").is_ok_and(|page| page.contains("postil")));
    assert!(page("postil-review-approve.1").is_ok());
    let own = page("postil.1").expect("it was written");
    assert!(own.contains(r"\fBpostil\fR [\fB\-C\fR \fIDIR\fR] [\fB\-\-git\-dir\fR \fIDIR\fR]"), "{own}");
    assert!(
        page("git-postil.1")
            .is_ok_and(|page| page.contains(r"postil\-list(1)") && !page.contains(r"git\-postil\-list"))
    );
    assert!(world.postil("man").code(2).stderr().contains("--install"));
}

#[test]
fn git_helps_after_the_pages_were_installed() {
    let world = World::new();
    let local = world.home().join(".local");
    std::fs::create_dir_all(local.join("bin")).expect("a home can be filled");
    let path = |name: &str| {
        let usual = std::env::var_os("PATH").expect("there is a PATH");
        let mut all = vec![local.join("bin"), folder_of_git_postil().to_owned()];
        all.extend(std::env::split_paths(&usual));
        let mut command = world.command(name);
        command.env("PATH", std::env::join_paths(all).expect("paths have no colons"));
        command.env("MANPAGER", "cat").env("MANWIDTH", "80");
        command
    };
    let is_there = path("man").args(["-w", "man"]).output().is_ok_and(|found| found.status.success());
    let done = Finished::run(path(POSTIL).args(["man", "--install"]));
    let told = format!("wrote man pages to {}\n", local.join("share/man/man1").display());
    assert_eq!(done.code(0).stdout(), told);
    if !is_there {
        return skipped("man, with pages of its own");
    }
    assert_eq!(done.stderr(), "", "man finds them");
    let help = Finished::run(path("git").args(["help", "postil"]));
    assert!(help.code(0).stdout().contains("git postil [-C DIR]"), "{}", help.stdout());
}
