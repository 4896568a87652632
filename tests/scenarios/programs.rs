//! Agents and tools at the command line: declared, allowed, shown, and answered by people.

use crate::support::postil::POSTIL;
use crate::support::world::World;

#[test]
fn an_agent_writes_where_its_person_allowed_it_and_a_person_decides() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    alice.git("switch --quiet -c topic");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("second");
    alice.postil("comment a.txt:2 -m 'why two?'").code(0);

    // The repository cannot allow what its users have to allow.
    alice.git("config postil.agents write");
    let refused = alice.postil("reply @ -m done --via agent:helper").code(2).stderr();
    assert!(refused.contains("an agent may not reply here"), "{refused}");
    assert!(refused.contains("git config --global postil.agents"), "{refused}");
    assert!(alice.postil("list --via agent:helper").code(0).stdout().contains("alice: why two?"));

    alice.git("config --global postil.agents draft");
    let public = alice.postil("reply @ -m done --via agent:helper").code(2).stderr();
    assert!(public.contains("only as a draft") && public.contains("--draft"), "{public}");
    alice.git("config --global postil.agents write");
    let replied = alice.postil("reply @ -m 'done now' --via agent:helper@2.1,model=large-3").code(0).stderr();
    assert!(replied.contains("as agent helper for alice\n"), "{replied}");
    let shown = alice.postil("show @").code(0).stdout();
    assert!(shown.contains("helper (agent for alice) 2.1 large-3, "), "{shown}");

    let id = alice.postil("list").code(0).stdout()[..7].to_owned();
    let resolve = alice.postil(&format!("resolve {id} --via agent:helper")).code(2).stderr();
    assert!(resolve.contains("may not resolve threads") && resolve.contains("postil propose"), "{resolve}");
    alice.git("remote add origin ../nowhere");
    for people_only in ["publish", "sync", "purge @", "review approve"] {
        let refused = alice.postil(&format!("{people_only} --via agent:helper")).code(2).stderr();
        assert!(refused.contains("an agent may not "), "{people_only}: {refused}");
    }
    alice.postil(&format!("propose {id} -m 'says two now' --via agent:helper")).code(0);
    assert!(alice.postil("list").code(0).stdout().contains("  proposal  "));
    let shown = alice.postil(&format!("show {id}")).code(0).stdout();
    assert!(shown.contains("proposed as done in "), "{shown}");
    alice.postil(&format!("accept {id} --via tool:lint")).code(2);
    assert!(alice.postil(&format!("accept {id}")).code(0).stdout().starts_with("accepted "));
    let shown = alice.postil(&format!("show {id}")).code(0).stdout();
    assert!(
        shown.contains("  (accepted)") && shown.contains("resolved in ") && shown.contains("by alice"),
        "{shown}"
    );
}

#[test]
fn a_mark_in_the_environment_declares_an_agent_and_nothing_is_silent() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    let run = |mark: (&str, &str), args: &[&str]| {
        let mut command = alice.command(POSTIL);
        command.args(args).env(mark.0, mark.1).env("POSTIL_DAEMON", "off");
        let output = command.output().expect("postil runs");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let comment = ["comment", "a.txt:1", "-m", "why?"];
    let (code, told) = run(("CLAUDECODE", "1"), &comment);
    assert!(code == Some(2) && told.contains("an agent may not comment here"), "{told}");
    let (code, told) = run(("POSTIL_VIA", "tool:lint@1"), &comment);
    assert!(code == Some(0) && told.contains("as tool lint for alice"), "{told}");
    let (code, told) = run(("POSTIL_VIA", "nonsense"), &comment);
    assert!(code == Some(2) && told.contains("POSTIL_VIA"), "{told}");
    assert!(alice.postil("list --all").code(0).stdout().contains("lint (tool for alice): why?"));
}

#[test]
fn an_agent_that_writes_drafts_changes_its_own_and_nothing_else() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.git("config --global postil.agents draft");
    let id = |line: &str| alice.postil(line).code(0).stdout()[..7].to_owned();
    let public = id("comment a.txt:1 -m 'why one?'");
    let own = id("comment a.txt:1 -m mine --draft");
    let draft = id("comment a.txt:2 -m 'why too?' --draft --via agent:helper");
    let reply = id(&format!("reply {public} -m done --draft --via agent:helper"));
    alice.postil(&format!("edit {draft} -m 'why two?' --via agent:helper")).code(0);
    alice.postil(&format!("edit {reply} -m 'done now' --via agent:helper")).code(0);
    let shown = alice.postil(&format!("show {draft}")).code(0).stdout();
    assert!(shown.contains("why two?") && shown.contains("(draft)"), "{shown}");
    assert!(alice.postil(&format!("show {public}")).code(0).stdout().contains("done now"));
    assert!(alice.postil("status").code(0).stdout().contains("draft"), "nothing of it is public");

    for other in [&public, &own] {
        for line in [format!("edit {other} -m mine"), format!("withdraw {other}")] {
            let refused = alice.postil(&format!("{line} --via agent:helper")).code(2).stderr();
            assert!(refused.contains("except its own drafts"), "{line}: {refused}");
        }
        let refused = alice.postil(&format!("withdraw {draft} --via agent:another")).code(2).stderr();
        assert!(refused.contains("except its own drafts"), "{refused}");
    }
    // What a person wrote below it would go too.
    let said = id(&format!("reply {draft} -m 'two is right' --draft"));
    alice.postil(&format!("withdraw {draft} --via agent:helper")).code(2);
    alice.postil(&format!("withdraw {said}")).code(0);
    alice.postil(&format!("withdraw {draft} --via agent:helper")).code(0);
    alice.postil(&format!("withdraw {reply} --via agent:helper")).code(0);
    let listed = alice.postil("list").code(0).stdout();
    assert!(!listed.contains("helper") && listed.contains("why one?"), "{listed}");
}

#[test]
fn a_later_change_of_the_lines_takes_a_proposal_back() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\nthree\n");
    alice.commit("first");
    let id = alice.postil("comment a.txt:2 -m 'why two?'").code(0).stdout()[..7].to_owned();
    alice.write("a.txt", "one\n2\nthree\n");
    alice.commit("second");
    alice.postil(&format!("propose {id} -m 'a number now' --via tool:lint")).code(0);
    alice.write("a.txt", "one\n2\nthree\nfour\n");
    alice.commit("elsewhere");
    assert!(alice.postil("list").code(0).stdout().contains("  proposal  "), "another line changed");
    alice.write("a.txt", "one\ntwo again\nthree\nfour\n");
    alice.commit("fourth");
    let listed = alice.postil("list").code(0).stdout();
    assert!(listed.contains(&id) && !listed.contains("  proposal  "), "{listed}");
    let shown = alice.postil(&format!("show {id}")).code(0).stdout();
    assert!(shown.contains("(the lines changed since)"), "{shown}");
    assert!(alice.postil(&format!("show {id} --json")).code(0).stdout().contains(r#""state":"overtaken""#));
    let refused = alice.postil(&format!("accept {id}")).code(4).stderr();
    assert!(refused.contains("changed after the commit"), "{refused}");
    alice.git("checkout --quiet HEAD~1");
    assert!(alice.postil("list").code(0).stdout().contains("  proposal  "), "there it stands");
    alice.git("checkout --quiet -");
    alice.postil(&format!("propose {id} --via tool:lint")).code(0);
    assert!(alice.postil(&format!("accept {id}")).code(0).stdout().starts_with("accepted "));
}
