//! Completion in a real shell, and man pages that a real reader understands.

use std::process::Command;

use crate::support::finished::Finished;
use crate::support::postil::{POSTIL, folder_of_git_postil};
use crate::support::skip::skipped;
use crate::support::world::World;

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

#[test]
fn bash_completes_commands_and_ids() {
    if !is_there("bash") {
        return skipped("bash");
    }
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    let said = alice.postil("comment a.txt:1 -m here").code(0).stdout();
    let id = said.split(' ').next().expect("the id comes first").to_owned();
    let complete = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let script = format!(
            "source <('{POSTIL}' completions bash)\n\
             COMP_WORDS=({}) COMP_CWORD={}\n\
             _postil_or_ids postil '{}' '{}'\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.iter().map(|word| format!("'{word}' ")).collect::<String>(),
            words.len() - 1,
            words[words.len() - 1],
            words[words.len() - 2],
        );
        let mut path = vec![folder_of_git_postil().to_owned()];
        path.extend(std::env::split_paths(&std::env::var_os("PATH").expect("there is a PATH")));
        let path = std::env::join_paths(path).expect("no folder of the PATH holds its separator");
        let completed = Finished::run(
            alice.command("bash").env("PATH", path).env("POSTIL_DAEMON", "off").args(["-c", &script]),
        );
        completed.code(0).stdout().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(complete("postil res"), ["resolve"]);
    assert_eq!(complete(&format!("postil resolve {}", &id[..3])).concat(), id);
    assert!(complete("postil show ").contains(&"@".to_owned()));
    assert!(complete("postil list --st").contains(&"--state".to_owned()));
}

#[test]
fn every_shell_has_a_script_and_every_command_a_page() {
    let world = World::new();
    for (shell, mark) in [("bash", "complete -F"), ("zsh", "#compdef postil"), ("fish", "complete -c postil")]
    {
        assert!(world.postil(&format!("completions {shell}")).code(0).stdout().contains(mark), "{shell}");
    }
    world.postil("man pages").code(0);
    let page = |name: &str| std::fs::read_to_string(world.people().join("pages").join(name));
    assert!(page("postil-comment.1").is_ok_and(|page| page.contains("src/lib.rs:12")));
    assert!(page("git-postil.1").is_ok_and(|page| page.contains("postil")));
    assert!(page("postil-review-approve.1").is_ok());
}
