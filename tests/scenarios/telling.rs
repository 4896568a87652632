//! What is said to a person: what cannot be done and what can, and what things are called.

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::World;

/// The first word of what was told.
fn first_word(told: &str) -> String {
    told.split(' ').next().expect("something was told").to_owned()
}

#[test]
fn a_file_of_a_submodule_is_commented_on_where_it_belongs() {
    let world = World::new();
    let library = world.repository("bob");
    library.write("lib.rs", "fn one() {}\n");
    library.commit("first");
    let alice = world.repository("alice");
    alice.write("src/a.rs", "fn main() {}\n");
    alice.git("-c protocol.file.allow=always submodule --quiet add ../bob vendor/lib");
    alice.commit("first");
    for line in ["comment vendor/lib/lib.rs:1 -m no", "comment vendor/lib/lib.rs:1@HEAD -m no"] {
        let refused = alice.postil(line);
        let told = refused.code(3).stderr();
        assert!(told.starts_with("error: vendor/lib/lib.rs is in the submodule vendor/lib\n"), "{told}");
        assert!(told.ends_with("hint: run postil in the submodule: `postil -C vendor/lib …`\n"), "{told}");
    }
    let from_below = alice.postil("-C src comment ../vendor/lib/lib.rs:1 -m no");
    assert!(from_below.code(3).stderr().contains("`postil -C ../vendor/lib …`"), "{}", from_below.stderr());
    assert!(alice.postil("comment vendor/lib -m no").code(3).stderr().contains("vendor/lib is a submodule"));
    alice.postil("-C vendor/lib comment lib.rs:1 -m yes").code(0);
    assert_eq!(alice.postil("list --all").code(0).stdout(), "");
}

#[test]
fn what_is_not_there_is_named_from_where_the_person_is_with_what_to_do() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("src/a.rs", "fn main() {}\n");
    alice.write("page.md", "The same words.\n\n".repeat(65));
    alice.write("a:12", "one\ntwo\nthree\n");
    alice.commit("first");
    let refused = alice.postil("-C src comment nosuch.rs:1 -m no");
    assert!(refused.code(3).stderr().starts_with("error: no such file: nosuch.rs\n"), "{}", refused.stderr());
    let refused = alice.postil("-C src comment ../nosuch.rs -m no");
    assert!(
        refused.code(3).stderr().starts_with("error: no such file: ../nosuch.rs\n"),
        "{}",
        refused.stderr()
    );
    assert!(refused.stderr().contains("`git ls-files` lists"), "{}", refused.stderr());
    let refused = alice.postil("-C src comment A.rs:1 -m no");
    assert!(refused.code(3).stderr().contains("\n  because: it could be src/a.rs\n"), "{}", refused.stderr());
    let empty = alice.postil("list src/b.rs src/a.rs");
    assert_eq!(empty.code(0).stderr(), "nothing to show\nnote: no such file: src/b.rs\n");
    let refused = alice.postil("resolve ''");
    assert!(refused.code(3).stderr().starts_with("error: the comment ID is empty"), "{}", refused.stderr());
    let refused = alice.postil("comment page.md --quote 'same words' -m which");
    let told = refused.code(3).stderr();
    assert!(
        told.contains("occurs 65 times") && told.contains("`--prefix TEXT` or `--suffix TEXT`"),
        "{told}"
    );
    assert!(told.contains("line 9\n") && told.contains("60 more lines\n"), "{told}");
    assert!(told.lines().count() < 10, "{told}");
    // A file that looks like a file with a line is meant where it exists.
    assert!(alice.postil("comment a:12 -m whole").code(0).stdout().ends_with(" a:12\n"));
    assert!(alice.postil("comment a:12:2 -m second").code(0).stdout().ends_with(" a:12:2\n"));
}

#[test]
fn a_list_says_which_review_a_comment_is_about_as_a_whole() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    for branch in ["left", "right"] {
        alice.git(&format!("switch --quiet --create {branch} main"));
        alice.write("a.txt", branch);
        alice.commit(branch);
        alice.postil(&format!("comment -m 'what about {branch}?'")).code(0);
    }
    let listed = alice.postil("list --all").code(0).stdout();
    for branch in ["left", "right"] {
        let told = format!(" (review {branch})  alice: what about {branch}?\n");
        assert!(listed.contains(&told), "{listed}");
    }
}

#[test]
fn settings_that_git_is_given_for_one_command_count() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("naïve.txt", "one\n");
    alice.commit("first");
    let as_bob = |line: &str| {
        let given = "'user.name'='O'\\''Bob' 'core.quotePath'='false'";
        let mut command = alice.command(env!("CARGO_BIN_EXE_postil"));
        command.args(crate::support::world::words(line)).env("POSTIL_DAEMON", "off");
        // As `git -c user.name=… -c core.quotePath=false postil …` says it.
        command.env("GIT_CONFIG_PARAMETERS", given).env_remove("GIT_AUTHOR_NAME");
        String::from_utf8(command.output().expect("it runs").stdout).expect("it is text")
    };
    assert!(as_bob("comment naïve.txt:1 -m why").ends_with(" naïve.txt:1\n"));
    let listed = as_bob("list");
    assert!(listed.ends_with(" naïve.txt:1  O'Bob: why\n"), "{listed}");
    assert!(alice.postil("list").code(0).stdout().contains("\"na\\303\\257ve.txt\":1"));
}

#[test]
fn what_cannot_be_is_refused_before_anybody_writes_for_long() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    alice.git("config core.editor 'touch edited; false'");
    let refused = alice.postil("comment b.txt:1");
    assert!(refused.code(3).stderr().starts_with("error: no such file: b.txt\n"), "{}", refused.stderr());
    assert!(!alice.folder.join("edited").exists(), "no editor was opened");
    assert!(alice.postil("comment a.txt:1:9-1:5 -m no").code(2).stderr().contains("invalid lines"));
    assert!(alice.postil("comment a.txt:1 HEAD -m no").code(2).stderr().contains("`FILE:12 @HEAD~2`"));
    alice.postil("comment a.txt:1 -m yes").code(0);
    let none = alice.postil("list -n 0");
    assert_eq!((none.code(0).stdout(), none.stderr()), (String::new(), "nothing to show\n".to_owned()));
    alice.git("config postil.daemon off");
    alice.served("wait --timeout 0.01").code(1);
    assert!(world.daemon().is_none(), "none was started");
}

#[test]
fn what_was_edited_or_taken_back_is_called_by_its_own_name() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    let thread = first_word(&alice.postil("comment a.txt:2 -m why").code(0).stdout());
    let reply = first_word(&alice.postil("reply @ -m because").code(0).stdout());
    assert_ne!(thread, reply);
    assert_eq!(
        alice.postil("edit @ -m 'because of that'").code(0).stdout(),
        format!("edited {reply} a.txt:2\n")
    );
    let edited = alice.postil(&format!("edit {thread} -m 'why two?'"));
    assert_eq!(edited.code(0).stdout(), format!("edited {thread} a.txt:2\n"));
    assert_eq!(alice.postil("withdraw @").code(0).stdout(), format!("withdrew {reply} a.txt:2\n"));
}

#[test]
fn words_that_somebody_proposes_are_shown_and_found_by_who_proposes_them() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    let id = first_word(&alice.postil("comment a.txt:2 -m wy").code(0).stdout());
    let mut bob = alice.command(POSTIL);
    bob.env("POSTIL_DAEMON", "off").env("GIT_AUTHOR_NAME", "bob").env("GIT_AUTHOR_EMAIL", "bob@example.com");
    Finished::run(bob.args(["edit", &id, "-m", "why two?"])).code(0);
    let shown = alice.postil("show @").code(0).stdout();
    assert!(shown.contains("(edits proposed)\n    wy\n    bob proposes, "), "{shown}");
    assert!(shown.contains(":\n        why two?\n"), "{shown}");
    assert!(alice.postil("list --author bob").code(0).stdout().contains("alice: wy"));
    assert_eq!(alice.postil("list --author cid").code(0).stdout(), "");
}

#[test]
fn what_has_no_place_is_shown_in_a_diff_and_wants_a_choice() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.write("b.txt", "unlike anything else here\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\nTWO\nthree\n");
    alice.commit("louder");
    alice.postil("comment b.txt:1 -m 'what is this?'").code(0);
    alice.git("rm --quiet b.txt");
    alice.commit("drop it");
    let listed = alice.postil("list --needs-choice").code(0).stdout();
    assert!(
        listed.contains("alice: what is this?") && listed.contains("orphaned: its file was deleted\n"),
        "{listed}"
    );
    let diff = alice.postil("diff").code(0).stdout();
    assert!(diff.contains("#   was | unlike anything else here\n"), "{diff}");
}

#[test]
fn a_diff_takes_commits_as_git_does() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.write("b.txt", "uno\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\ntwo\n");
    alice.git("rm --quiet b.txt");
    alice.commit("second");
    alice.write("c.txt", "drei\n");
    alice.commit("third");
    alice.git("switch --quiet main");
    alice.write("main.txt", "beside\n");
    alice.commit("beside");
    alice.git("switch --quiet topic");
    alice.write("c.txt", "drei\nvier\n");
    let check = |line: &str, files: &[&str], last: &str| {
        let told = alice.postil(&format!("diff {line}")).code(0).stdout();
        let named: Vec<&str> = told.lines().filter_map(|line| line.strip_prefix("--- ")).collect();
        assert_eq!(named, files, "{line}: {told}");
        assert!(told.ends_with(last), "{line}: {told}");
    };
    check("HEAD", &["a/c.txt"], "+vier\n");
    check("HEAD~1", &["/dev/null"], "+vier\n");
    check("HEAD~1 HEAD", &["/dev/null"], "+drei\n");
    check("HEAD~1..", &["/dev/null"], "+drei\n");
    check("main...topic a.txt", &["a/a.txt"], "+two\n");
    check("main..topic -- main.txt", &["a/main.txt"], "-beside\n");
    check("--at HEAD -- b.txt", &["a/b.txt"], "-uno\n");
    check("a.txt", &["a/a.txt"], "+two\n");
    check("main...topic 'a*'", &["a/a.txt"], "+two\n");
    check("HEAD -- '*.txt'", &["a/c.txt"], "+vier\n");
    check("HEAD .", &["a/c.txt"], "+vier\n");
    check("HEAD '*.rs'", &[], "");
    check("main...topic ':(glob)a*' ':!b.txt'", &["a/a.txt"], "+two\n");
    check("HEAD ':/'", &["a/c.txt"], "+vier\n");
    check("HEAD ':!c.txt'", &[], "");
    assert!(alice.postil("diff HEAD ':(nonsense)a'").code(2).stderr().contains("invalid pathspec"));
    let told = alice.postil("diff HAED~1").code(3).stderr();
    assert!(told.contains("HAED~1 is neither a commit nor a file\nhint: "), "{told}");
    assert!(alice.postil("diff HEAD a.txt HEAD~1 -- b.txt").code(3).stderr().contains("a.txt is neither"));
    assert!(alice.postil("diff main..topic HEAD").code(2).stderr().contains("more than two commits"));
}

#[test]
fn filters_take_several_words_and_tags_as_they_are_shown() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    alice.postil("comment a.txt:1 -m taste --severity nit --tag later").code(0);
    alice.postil("comment a.txt:2 -m wrong --severity issue --tag '#later'").code(0);
    let done = first_word(&alice.postil("comment a.txt:3 -m done").code(0).stdout());
    alice.postil(&format!("resolve {done}")).code(0);
    let check = |filter: &str, said: &[&str]| {
        let told = alice.postil(&format!("list {filter}")).code(0).stdout();
        let found: Vec<&str> = told.lines().filter_map(|line| line.rsplit("alice: ").next()).collect();
        assert_eq!(found, said, "{filter}: {told}");
    };
    check("--severity nit,issue", &["taste", "wrong"]);
    check("--tag later", &["taste", "wrong"]);
    check("--tag '#later' --severity nit", &["taste"]);
    check("--status open,resolved", &["taste", "wrong", "done"]);
    check("--state anchored,orphaned", &["taste", "wrong"]);
    check("--state shifted,orphaned", &[]);
    assert!(alice.postil("list --status open,resolvd").code(2).stderr().contains("'resolved'"));
}

#[test]
fn one_of_something_is_not_called_many() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    alice.postil("comment a.txt:1 -m why").code(0);
    assert_eq!(alice.postil("export -f comments -o out").code(0).stderr(), "wrote 1 file\n");
    assert!(alice.postil("export -f sarif -o out.sarif").code(0).stderr().starts_with("wrote 1 thread to "));
}

#[test]
fn every_refusal_says_what_to_do_next() {
    let world = World::new();
    let alice = world.repository("alice");
    for line in ["show @", "diff", "comment -m 'all of it'"] {
        let told = alice.postil(line).stderr();
        assert!(told.contains("\nhint: "), "before the first commit, {line}: {told}");
    }
    alice.write("src/a.txt", "one\ntwo\n");
    alice.write("image", b"\0\x01\x02");
    alice.write("latin1", b"caf\xe9");
    alice.commit("first");
    let id = first_word(&alice.postil("comment src/a.txt:1 -m why").code(0).stdout());
    let reply = first_word(&alice.postil("reply @ -m because").code(0).stdout());
    let refused = [
        "-C nowhere list",
        "comment nosuch:1 -m no",
        "comment src -m no",
        "comment src/a.txt:99 -m no",
        "comment src/a.txt:1:50-1:60 -m no",
        "comment src/a.txt:1@nowhere -m no",
        "comment src/a.txt:2-1 -m no",
        "comment src/a.txt:1 src/a.txt:2 -m no",
        "comment image:1 -m no",
        "comment src/a.txt --quote nothing -m no",
        "comment --quote words -m no",
        "comment ../elsewhere:1 -m no",
        "comment src/a.txt:1 -m ''",
        "comment src/a.txt:1 -F latin1",
        "comment src/a.txt:1 -F nosuch",
        "show ffffffff",
        "list --review nosuch",
        "list --since whenever",
        "review show",
        "review start",
        "review start nosuch",
        "review start --base nosuch",
        "review since",
        "diff --base nosuch",
        "import -f sarif nosuch",
        "import -f sarif src/a.txt",
        "doctor --restore ffffffff",
        "apply @",
        "apply --undo",
        "apply ffffffff",
        "purge ffffffff",
        "publish --review nosuch",
        "review edit --title x",
        "review approve",
        "review close nosuch",
        "withdraw ffffffff",
        "edit @ -m ''",
        "resolve ''",
        "suggest src/a.txt:1 --with nosuch",
        "suggest src/a.txt:1 --patch nosuch",
        "patch apply nosuch",
        "export -f sarif -o no/such/folder/file",
        "watch --review nosuch",
        "sync nosuch",
        "log ffffffff",
        "diff nosuch",
        "list --at nosuch",
        "show @ --at nosuch",
        "man",
    ];
    for line in refused {
        let finished = alice.postil(line);
        assert!(!matches!(finished.exit(), Some(0 | 1)), "{line}: {}", finished.stdout());
        assert!(finished.stderr().contains("\nhint: "), "{line}: {}", finished.stderr());
    }
    for line in [format!("move {reply} src/a.txt:2"), format!("move {id} --pick 7"), format!("move {id}")] {
        let finished = alice.postil(&line);
        assert!(finished.stderr().contains("\nhint: "), "{line}: {}", finished.stderr());
    }
}

#[test]
fn what_is_lost_is_shown_where_it_stood() {
    let world = World::new();
    let alice = world.repository("alice");
    let lines: String = (1..=60).map(|line| format!("line number {line}\n")).collect();
    let turtles = "a peculiar sentence about turtles\n";
    alice.write("a.txt", lines.replace("line number 30\n", turtles));
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.postil("comment a.txt:30 -m 'which turtles?'").code(0);
    alice.write("a.txt", lines.replace("line number 30\n", ""));
    alice.commit("no turtles");

    let shown = alice.postil("show @").code(0).stdout();
    assert!(shown.contains("orphaned: its lines were deleted; 1 possible place\n"), "{shown}");
    assert!(shown.contains("was | a peculiar sentence about turtles\n"), "{shown}");
    let (_, stood) = shown.split_once("was here: a.txt:29\n").unwrap_or_else(|| panic!("{shown}"));
    let around = "      28 | line number 28\n?     29 | line number 29\n      30 | line number 31\n";
    assert!(stood.contains(around), "{shown}");

    let diff = alice.postil("diff --base main --threads lines").code(0).stdout();
    let (_, behind) = diff.split_once("line number 29\n").unwrap_or_else(|| panic!("{diff}"));
    let (at, rest) = behind.split_once('\n').expect("something stands behind it");
    assert!(at.ends_with("  was here"), "{diff}");
    let lost = "#   orphaned: its lines were deleted; 1 possible place\n#   was | a peculiar sentence about turtles\n";
    assert!(rest.starts_with(lost), "{diff}");
    assert!(rest.contains("-a peculiar sentence about turtles\n"), "{diff}");
}

#[test]
fn what_is_lost_in_a_renamed_file_stands_at_the_head_of_that_file() {
    let world = World::new();
    let alice = world.repository("alice");
    let lines: String = (1..=60).map(|line| format!("line number {line}\n")).collect();
    alice.write("old.txt", lines.replace("line number 30\n", "a peculiar sentence about turtles\n"));
    alice.commit("first");
    alice.postil("comment old.txt:30 -m 'which turtles?'").code(0);
    alice.git("mv old.txt new.txt");
    let (before, behind) = (lines.find("line number 28").unwrap(), lines.find("line number 33").unwrap());
    alice.write("new.txt", format!("{}{}", &lines[..before], &lines[behind..]));
    alice.commit("rename");
    let listed = alice.postil("list").code(0).stdout();
    assert!(listed.contains("  new.txt  alice: which turtles?\n"), "{listed}");
    assert!(
        listed.contains("orphaned: its lines were deleted; was old.txt:30; 1 possible place\n"),
        "{listed}"
    );
    assert!(alice.postil("show @").code(0).stdout().contains("  new.txt\norphaned: "), "{listed}");
    assert_eq!(alice.postil("list new.txt").code(0).stdout(), listed);
    assert_eq!(alice.postil("list old.txt").code(0).stdout(), listed, "it is found by its old name too");
}

#[test]
fn a_diff_tells_what_a_thread_weighs_and_which_lines_it_is_about() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\n2\n3\n");
    alice.commit("digits");
    alice.postil("comment a.txt:2-3 --severity blocker --tag later -m 'why?' -m 'really'").code(0);
    alice.postil("comment a.txt:1 --draft -m 'not yet'").code(0);
    let diff = alice.postil("diff").code(0).stdout();
    let told = |from: &str| {
        let heads = from.lines().filter(|line| line.starts_with("# ") && !line.starts_with("#  "));
        heads
            .map(|line| line[2..].split_once("  ").map_or("", |(_, told)| told).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(told(&diff), ["a.txt:1  draft", "a.txt:2-3  blocker  #later"], "{diff}");
    let inside = alice.postil("diff --threads lines").code(0).stdout();
    assert_eq!(told(&inside), ["draft", "lines 2-3  blocker  #later"], "{inside}");
    assert!(diff.lines().all(|line| line.trim_end() == line), "no blanks at the ends of lines: {diff:?}");
}

#[test]
fn a_diff_has_threads_of_one_line_and_lost_ones_in_the_order_of_the_list() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.write("b.txt", "nothing like this\nstands elsewhere\nin any file of it\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    for text in ["p", "q", "r", "s", "t"] {
        alice.postil(&format!("comment a.txt:2 -m {text}")).code(0);
    }
    for line in 1..=3 {
        alice.postil(&format!("comment b.txt:{line} -m 'line {line}'")).code(0);
    }
    alice.git("rm --quiet b.txt");
    alice.commit("second");
    let said = |told: &str| -> Vec<String> {
        let lines = told.lines().filter_map(|line| line.split_once("alice: "));
        lines.map(|(_, said)| said.to_owned()).collect()
    };
    let (list, diff) = (alice.postil("list").code(0).stdout(), alice.postil("diff").code(0).stdout());
    // A file that is gone is the head of a list, and the only file of the diff.
    let (listed, told) = (said(&list), said(&diff));
    assert_eq!(told, listed, "{list}\n{diff}");
}
