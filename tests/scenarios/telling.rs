//! What is said to a person: what cannot be done and what can, and what things are called.

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
        assert!(told.starts_with("error: vendor/lib/lib.rs lies in the submodule vendor/lib\n"), "{told}");
        assert!(told.ends_with("hint: run postil there: `postil -C vendor/lib …`\n"), "{told}");
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
    assert!(
        refused.code(3).stderr().starts_with("error: there is no file nosuch.rs\n"),
        "{}",
        refused.stderr()
    );
    let refused = alice.postil("-C src comment ../nosuch.rs -m no");
    assert!(
        refused.code(3).stderr().starts_with("error: there is no file ../nosuch.rs\n"),
        "{}",
        refused.stderr()
    );
    assert!(refused.stderr().contains("\nhint: `git ls-files` lists"), "{}", refused.stderr());
    let refused = alice.postil("comment page.md --quote 'same words' -m which");
    let told = refused.code(3).stderr();
    assert!(
        told.contains("says that 65 times") && told.contains("`--prefix TEXT` or `--suffix TEXT`"),
        "{told}"
    );
    assert!(told.contains("line 9\n") && told.contains("one of 60 further lines\n"), "{told}");
    assert!(told.lines().count() < 10, "{told}");
    // A file that looks like a file with a line is meant where it exists.
    assert!(alice.postil("comment a:12 -m whole").code(0).stdout().ends_with(" a:12\n"));
    assert!(alice.postil("comment a:12:2 -m second").code(0).stdout().ends_with(" a:12:2\n"));
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
