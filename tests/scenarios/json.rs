//! What `--json` prints has the published form: every command, in many states, with a daemon and without.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;
use std::time::Instant;

use serde_json::Value;

use crate::support::finished::Finished;
use crate::support::forms::{Forms, REFUSED_WORDS};
use crate::support::postil::POSTIL;
use crate::support::served::{Served, TEN_SECONDS};
use crate::support::world::{Checkout, World, words};

/// Commands that have commands of their own.
const FAMILIES: [&str; 4] = ["review", "patch", "hook", "daemon"];

/// Several weeks' work. A number before a command of postil is its exit code, where that is not 0; SUGGESTED is the
/// last comment that suggests something.
const STORY: &[&str] = &[
    "list",
    "status",
    "review list",
    "3 show @",
    "3 log",
    "publish",
    "export -f json",
    "doctor",
    "write src/lib.rs 'fn one() {}|fn two() {}|fn three() {}|fn four() {}|fn five() {}|fn six() {}'",
    "write gone.txt 'one line|another line|the last of these lines'",
    "write doc.md '# Title||Some *marked* words that are quoted here.|'",
    "git add --all",
    "git commit --quiet -m first",
    "init",
    "init",
    "init --undo",
    "git switch --quiet -c topic",
    "write src/lib.rs 'fn one() {}|fn two() {}|fn third() {}|fn four() {}|fn six() {}'",
    "git commit --quiet -a -m louder",
    "list",
    "comment src/lib.rs:2 --severity question --tag later --tag now -m 'why two?'",
    "comment src/lib.rs:3:4-3:8 -m 'this part'",
    "add gone.txt:2-3 -m 'two lines'",
    "comment gone.txt -m 'the whole file'",
    "comment doc.md --quote 'marked words' -m 'which words?'",
    "comment src/lib.rs:5 --side old -m 'why gone?'",
    "comment -m 'the whole branch'",
    "comment src/lib.rs:1 --draft -m 'not yet'",
    "write src/new.rs 'not committed'",
    "comment src/new.rs:1 -m 'not committed'",
    "write better 'fn TWO() {}'",
    "suggest src/lib.rs:2 --with better -m 'louder'",
    "apply SUGGESTED --check",
    "apply SUGGESTED --diff",
    "apply SUGGESTED",
    "apply SUGGESTED",
    "apply --all",
    "git checkout --quiet -- src/lib.rs",
    "3 comment src/nowhere.rs:1 -m lost",
    "3 comment src/lib.rs:99 -m far",
    "2 comment src/lib.rs:2 --severity huge -m what",
    "apply --all --check",
    "reply @ -m 'because'",
    "reply src/lib.rs:1 -m 'is it?' --resolve",
    "show src/lib.rs:1",
    "3 show src/lib.rs:5",
    "edit @ -m 'because of that'",
    "show @",
    "list",
    "ls --all",
    "list -n 2",
    "1 list --exit-code",
    "diff",
    "diff main",
    "status",
    "status --short",
    "inbox",
    "stats",
    "stats --all src",
    "list --mine --sort age --unread --grep why",
    "review show",
    "review list",
    "review request-changes -m 'not yet'",
    "review comment -m 'a thought'",
    "write src/lib.rs 'fn zero() {}|fn one() {}|fn 2() {}|fn third() {}|fn four() {}|fn six() {}'",
    "list",
    "4 apply SUGGESTED",
    "4 apply --all",
    "1 apply --all --check",
    "3 apply ffffffffffff",
    "show @",
    "git rm --quiet gone.txt",
    "git mv doc.md page.md",
    "git commit --quiet -a -m second",
    "list",
    "list --needs-choice",
    "list --state orphaned",
    "log @",
    "diff",
    "review since",
    "3 review since nowhere",
    "review approve",
    "review show",
    "move SUGGESTED src/lib.rs:4",
    "propose @ -m 'it is done' --via tool:lint@2",
    "show @",
    "decline @ -m 'it is not'",
    "propose SUGGESTED --place src/lib.rs:2 --via tool:lint",
    "list",
    "accept SUGGESTED",
    "2 resolve @ --via agent:helper",
    "review request 'Bob <bob@example.com>'",
    "review request bob --release",
    "resolve @ -m done --by HEAD",
    "resolve @",
    "list --all",
    "reopen @",
    "withdraw @ -m sorry",
    "list --all",
    "log @",
    "3 log ffffffffffff",
    "show @ @",
    "publish",
    "export -f json --all",
    "export -f sarif",
    "export -f rdjsonl",
    "write patch '--- a/src/lib.rs|+++ b/src/lib.rs|@@ -1,2 +1,2 @@|-fn zero() {}|+fn null() {}| fn one() {}'",
    "patch apply --check patch",
    "patch apply patch",
    "patch apply patch",
    "apply --undo",
    "4 apply --undo",
    "patch apply patch",
    "apply --undo --skip",
    "git checkout --quiet -- src/lib.rs",
    "patch apply patch",
    "write patch '--- a/src/lib.rs|+++ b/src/lib.rs|@@ -1,2 +1,2 @@|-fn nothing of this() {}|+fn other() {}| fn one() {}'",
    "4 patch apply patch",
    "write outside '--- a/../x|+++ b/../x|@@ -1 +1 @@|-a|+b'",
    "6 patch apply outside",
    "write words 'no patch at all'",
    "2 patch apply words",
    "review edit --title 'Another title' -m 'what it is about'",
    "3 review edit --base nowhere",
    "review close -m 'no time'",
    "review reopen",
    "review list --all",
    "review close --merged",
    "review show topic",
    "write report.sarif {\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"lint\"}},\"results\":[{\"ruleId\":\"R1\",\"message\":{\"text\":\"unused\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"src/lib.rs\"},\"region\":{\"startLine\":2}}}]},{\"ruleId\":\"R2\",\"message\":{\"text\":\"far\"},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"../lib.rs\"},\"region\":{\"startLine\":2}}}]}]}]}",
    "1 import -f sarif report.sarif",
    "1 import -f sarif --retire report.sarif",
    "2 import -f sarif better",
    "2 sync",
    "git remote add origin ../remote",
    "init",
    "sync --dry-run",
    "sync",
    "sync",
    "git remote add broken ../broken",
    "5 sync broken",
    "5 sync --all",
    "purge --force @",
    "3 purge ffffffffffff",
    "doctor",
    "git config remote.origin.mirror true",
    "1 doctor",
    "1 doctor --fix",
    "review ready topic",
    "hook install",
    "hook install",
    "hook uninstall",
    "hook uninstall",
    "git commit --quiet -a -m third",
    "git switch --quiet main",
    "list",
    "status",
    "git switch --quiet -c other topic",
    "review start --title Other -m 'what it is about'",
    "review start",
];

/// Who runs the story and holds what is printed against its form.
struct Teller<'a> {
    forms: &'a Forms,
    told: BTreeSet<String>,
}

impl Teller<'_> {
    /// Holds what a command printed against its form; without a result it printed nothing at all.
    #[track_caller]
    fn hear(&mut self, line: &str, finished: &Finished) -> Vec<Value> {
        let command = command_of(line);
        let printed = finished.stdout();
        if finished.exit() == Some(0) && !line.contains("export -f") && !line.contains("logs") {
            assert!(!printed.is_empty(), "{line} printed nothing: {}", finished.stderr());
        }
        // What is exported in another form has the form of somebody else.
        if line.contains("export -f") && !line.contains("-f json") {
            return Vec::new();
        }
        let mut values = Vec::new();
        for line in printed.lines() {
            let form = if is_failure(line) { REFUSED_WORDS } else { &command };
            values.extend(self.forms.check(form, line));
        }
        // A check that found something has a result; any other failure is told.
        if !matches!(finished.exit(), Some(0 | 1)) {
            let last = values.last().unwrap_or_else(|| panic!("{line} failed and printed nothing"));
            assert!(last["error"]["message"].is_string(), "{line} failed and printed {last}");
        }
        // What the service answers says how far it goes; a daemon and a hook are no repository's.
        let is_answer =
            !["daemon.", "hook.install", "hook.uninstall"].iter().any(|own| command.starts_with(own));
        for value in values.iter().filter(|value| is_answer && value.get("error").is_none()) {
            let mark = value["mark"].as_str().unwrap_or_default();
            assert!(!mark.is_empty(), "{line} printed no mark: {value}");
        }
        if values.iter().any(|value| value.get("error").is_none() || value.get("mark").is_some()) {
            self.told.insert(command);
        }
        values
    }

    /// Plays the story; `run` runs a line of postil.
    fn play(&mut self, alice: &Checkout<'_>, run: impl Fn(&str) -> Finished) {
        let (mut others, mut suggested) = (Vec::new(), String::new());
        for line in STORY {
            if let Some(line) = line.strip_prefix("git ") {
                alice.git(line);
            } else if let Some(rest) = line.strip_prefix("write ") {
                let (file, lines) = rest.split_once(' ').expect("a file and its lines");
                alice.write(file, lines.trim_matches('\'').replace('|', "\n") + "\n");
            } else {
                let numbered = line.split_once(' ').and_then(|(code, rest)| Some((code.parse().ok()?, rest)));
                let (code, line) = numbered.unwrap_or((0, *line));
                let finished = run(&format!("--json {}", line.replace("SUGGESTED", &suggested)));
                if finished.exit() != Some(code) {
                    others.push(format!("{line} ended with {:?}: {}", finished.exit(), finished.stderr()));
                }
                let told = self.hear(line, &finished);
                if line.starts_with("suggest ") {
                    told[0]["id"].as_str().expect("a record has an id").clone_into(&mut suggested);
                }
            }
        }
        assert!(others.is_empty(), "{}", others.join("\n"));
    }
}

/// Whether a line says why a command failed, and nothing else.
fn is_failure(line: &str) -> bool {
    let value: Value = serde_json::from_str(line).expect("every line is JSON");
    value.as_object().is_some_and(|fields| fields.len() == 2 && fields.contains_key("error"))
}

/// The name of the command in a line, as its form is called.
fn command_of(line: &str) -> String {
    let words = words(line);
    let mut words = words.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let first = words.next().expect("a line has a command");
    match first {
        "add" => "comment".to_owned(),
        "ls" => "list".to_owned(),
        "rm" => "withdraw".to_owned(),
        family if FAMILIES.contains(&family) => {
            format!("{family}.{}", words.next().expect("a family has commands"))
        }
        command => command.to_owned(),
    }
}

fn remote(world: &World) {
    let mut git = world.command("git");
    Finished::run(git.args(["init", "--quiet", "--bare", "remote"])).code(0);
}

#[test]
fn everything_that_json_prints_has_the_published_form() {
    let forms = Forms::published();
    let mut teller = Teller { forms: &forms, told: BTreeSet::new() };

    let world = World::new();
    remote(&world);
    let alice = world.repository("alice");
    teller.play(&alice, |line| alice.postil(line));
    bytes_that_are_no_text(&mut teller, &alice);
    a_push(&mut teller, &alice);

    let world = World::new();
    let _served = Served(&world);
    remote(&world);
    let alice = world.repository("alice");
    teller.hear("daemon status", alice.served("daemon status --json").code(1));
    teller.hear("daemon start", alice.served("daemon start --json").code(0));
    teller.play(&alice, |line| alice.served(line));
    events(&mut teller, &world, &alice);
    for line in ["daemon status", "daemon logs", "daemon restart", "daemon stop", "daemon stop"] {
        teller.hear(line, alice.served(&format!("{line} --json")).code(0));
    }
    a_service(&mut teller, &world);

    let silent: Vec<&str> = forms.names().filter(|name| !teller.told.contains(*name)).collect();
    assert!(silent.is_empty(), "never printed: {silent:?}");
}

/// A path and a line that are no UTF-8.
fn bytes_that_are_no_text(teller: &mut Teller<'_>, alice: &Checkout<'_>) {
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9");
    fs::write(alice.folder.join(name), b"caf\xe9 au lait\nand more\n").expect("a file can be written");
    alice.commit("coffee");
    let mut command = alice.command(POSTIL);
    command.env("POSTIL_DAEMON", "off").args(["--json", "comment", "-m", "coffee"]);
    let mut place = name.to_owned();
    place.push(":1");
    let said = teller.hear("comment", Finished::run(command.arg(place)).code(0));
    assert_eq!(said[0]["thread"]["anchor"]["path"]["hex"], "636166e9");
    teller.hear("list", alice.postil("list --json").code(0));
    teller.hear("show", alice.postil("show @ --json").code(0));
}

/// The gate before a push, with an open blocker.
fn a_push(teller: &mut Teller<'_>, alice: &Checkout<'_>) {
    alice.postil("comment src/lib.rs:1 --severity blocker -m stop").code(0);
    let input = alice.folder.join(".git/input");
    let head = alice.git("rev-parse HEAD");
    fs::write(&input, format!("refs/heads/main {head} refs/heads/main {head}\n")).expect("it can be written");
    let mut command = alice.command(POSTIL);
    command.env("POSTIL_DAEMON", "off").args(["--json", "hook", "pre-push", "--", "origin"]);
    command.stdin(fs::File::open(input).expect("it was written"));
    let found = teller.hear("hook pre-push", Finished::run(&mut command).code(1));
    assert_eq!(found[0]["total"], 1);
}

/// Events of every kind, and a wait for one of them.
fn events(teller: &mut Teller<'_>, world: &World, alice: &Checkout<'_>) {
    let told = world.people().join("told");
    let file = fs::File::create(&told).expect("a file can be made");
    let mut command = alice.served_command("watch --json");
    let mut child = command.stdout(file).stderr(Stdio::null()).spawn().expect("postil starts");
    let heard = || fs::read_to_string(&told).expect("the file is there");
    let deadline = Instant::now() + TEN_SECONDS;
    let mut said = 0;
    while !["\"changed\"", "\"resolving\"", "\"placed\""].iter().all(|word| heard().contains(word)) {
        assert!(Instant::now() < deadline, "only {}", heard());
        said += 1;
        alice.served(&format!("comment src/lib.rs:2 -m 'comment {said}'")).code(0);
        alice.write("src/lib.rs", format!("fn new{said}() {{}}\nfn one() {{}}\nfn two() {{}}\n"));
        alice.commit("moved");
    }
    child.kill().expect("it runs");
    child.wait().expect("it ends");
    // The last line may not be whole.
    let whole = heard();
    let whole = &whole[..=whole.rfind('\n').expect("a line ends")];
    teller.forms.check("watch", whole);
    teller.told.insert("watch".to_owned());

    let file = fs::File::create(&told).expect("a file can be made");
    let mut command = alice.served_command("wait --json");
    let mut child = command.stdout(file).stderr(Stdio::null()).spawn().expect("postil starts");
    while child.try_wait().expect("it can be asked").is_none() {
        assert!(Instant::now() < deadline + TEN_SECONDS, "it waits for ever");
        said += 1;
        alice.served(&format!("comment src/lib.rs:2 -m 'comment {said}'")).code(0);
    }
    let waited = teller.forms.check("wait", &heard());
    assert!(matches!(&waited[..], [event] if event["params"]["mark"].is_string()), "{waited:?}");
    teller.told.insert("wait".to_owned());
}

/// A service manager that agrees with everything.
fn a_service(teller: &mut Teller<'_>, world: &World) {
    let systemctl = world.tmp().join("systemctl");
    fs::write(&systemctl, "#!/bin/sh\n").expect("a script can be written");
    fs::set_permissions(&systemctl, fs::Permissions::from_mode(0o755)).expect("a script can be made to run");
    let path = std::env::var("PATH").expect("there is a PATH");
    for line in ["daemon install", "daemon uninstall", "daemon uninstall"] {
        let mut command = world.command(POSTIL);
        command.env("PATH", format!("{}:{path}", world.tmp().display())).args(words(line)).arg("--json");
        teller.hear(line, Finished::run(&mut command).code(0));
    }
}

#[test]
fn a_diff_tells_where_every_line_is_in_the_diff_and_before_and_after() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\nfour\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\nthree\n3.5\nfour\n");
    alice.commit("second");
    let printed = alice.postil("diff --json").code(0).stdout();
    let diff = &Forms::published().check("diff", &printed)[0];
    let lines = diff["files"][0]["lines"].as_array().expect("a file has lines");
    let told: Vec<String> = lines
        .iter()
        .map(|line| format!("{} {} {} {}", line["offset"], line["before"], line["after"], line["mark"]))
        .collect();
    assert_eq!(
        told,
        [
            "0 1 1 \"kept\"",
            "1 2 null \"deleted\"",
            "2 null 2 \"added\"",
            "3 3 3 \"kept\"",
            "4 null 4 \"added\"",
            "5 4 5 \"kept\""
        ]
    );
}

/// Every command, in a line that fails in a repository with one comment.
const FAILING: &[&str] = &[
    "2 init --remote nosuch",
    "3 review ready nosuch",
    "2 stats --since nonsense",
    "3 comment nosuch:1 -m x",
    "2 comment ../outside:1 -m x",
    "6 comment ignored:1 -m x",
    "2 comment src/lib.rs:1 -m ''",
    "2 suggest src/lib.rs:1 -m 'no change'",
    "2 suggest src/lib.rs:1 -F nosuch -m 'text'",
    "3 apply ffffffff",
    "2 apply @",
    "2 apply",
    "2 patch apply words",
    "3 patch apply nosuch",
    "3 reply ffffffff -m x",
    "3 reply src/lib.rs:3 -m x",
    "3 edit ffffffff -m x",
    "3 resolve ffffffff",
    "3 resolve @ --by nosuch",
    "3 reopen ffffffff",
    "3 propose ffffffff",
    "3 accept ffffffff",
    "3 decline ffffffff",
    "3 withdraw ffffffff",
    "3 move ffffffff src/lib.rs:1",
    "2 list --since whenever",
    "2 list --grep (",
    "3 list --at nosuch",
    "2 inbox --nosuch",
    "3 show ffffffff",
    "3 log ffffffff",
    "3 diff nosuch",
    "3 review start nosuch",
    "2 review list --nosuch",
    "3 review show nosuch",
    "3 review approve nosuch",
    "3 review request-changes nosuch -m x",
    "3 review comment nosuch -m x",
    "3 review request 'a <a@b>' --review nosuch",
    "3 review edit nosuch --title x",
    "3 review since nosuch",
    "3 review close nosuch",
    "3 review reopen nosuch",
    "3 publish --review nosuch",
    "2 status --nosuch",
    "2 sync",
    "3 import -f sarif nosuch",
    "2 import -f sarif src/lib.rs",
    "5 export -f sarif -o no/such/folder/file",
    "3 doctor --restore ffffffff",
    "3 purge ffffffff",
    "6 purge @",
    "2 hook nosuch",
    "2 watch --nosuch",
    "2 wait --timeout never",
    "2 daemon nosuch",
    "1 daemon logs",
    "2 nosuch",
    "2 demo",
    "2 completions bash",
];

#[test]
fn every_failure_is_one_object() {
    let forms = Forms::published();
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("src/lib.rs", "one\ntwo\nthree\n");
    alice.write(".gitignore", "ignored\n");
    alice.write("ignored", "secret\n");
    alice.write("words", "no patch at all\n");
    alice.commit("first");
    alice.postil("comment src/lib.rs:2 -m 'why two?'").code(0);
    let mut wrong = Vec::new();
    let mut check = |line: &str, code: i32, finished: &Finished| {
        let printed = finished.stdout();
        let told = printed.lines().count() == 1 && is_failure(&printed);
        if finished.exit() != Some(code) || !told {
            wrong.push(format!("{line} ended with {:?}: {printed}{}", finished.exit(), finished.stderr()));
            return;
        }
        let error = &forms.check(REFUSED_WORDS, &printed)[0]["error"];
        // People read the same on standard error.
        let words = error["message"].as_str().and_then(|words| words.split_whitespace().next());
        assert!(words.is_some_and(|word| finished.stderr().contains(word)), "{line}: {error}");
        assert!(error["code"].as_str().is_some_and(|code| !code.is_empty()), "{line}: {error}");
        if let Some(advice) = error.get("advice") {
            assert!(advice["do"].is_string() && error["hint"].is_string(), "{line}: {error}");
        }
    };
    for line in FAILING {
        let (code, line) = line.split_once(' ').expect("a code comes first");
        let finished = alice.postil(&format!("{line} --json"));
        check(line, code.parse().expect("a code is a number"), &finished);
    }
    let nowhere = world.people().join("nowhere");
    fs::create_dir(&nowhere).expect("a folder can be made");
    let outside =
        ["list", "status", "comment a:1 -m x", "show @", "apply @", "review list", "sync", "doctor"];
    for line in outside {
        let mut command = alice.command(POSTIL);
        command.env("POSTIL_DAEMON", "off").env("GIT_CEILING_DIRECTORIES", world.people());
        let finished = Finished::run(command.current_dir(&nowhere).arg("--json").args(words(line)));
        check(line, 5, &finished);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let told = |name: &str| {
        let words = name.replace('.', " ");
        FAILING.iter().any(|line| line[2..] == words || line[2..].starts_with(&format!("{words} ")))
    };
    let own = ["hook.", "daemon."];
    let silent: Vec<&str> = forms
        .names()
        .filter(|name| !told(name) && !own.iter().any(|family| name.starts_with(family)))
        .collect();
    assert!(silent.is_empty(), "no failure of {silent:?}");
}
