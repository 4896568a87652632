//! `postil agent`: the hooks of five agents are installed and removed, and tell each thing once.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::finished::Finished;
use crate::support::postil::POSTIL;
use crate::support::world::{Checkout, World};

const AGENTS: [(&str, &str); 5] = [
    ("claude", ".claude/settings.json"),
    ("codex", ".codex/hooks.json"),
    ("copilot", ".copilot/hooks/postil.json"),
    ("gemini", ".gemini/settings.json"),
    ("cursor", ".cursor/hooks.json"),
];

/// One stop of an agent; returns what the hook prints.
fn stop(alice: &Checkout<'_>, agent: &str, input: &str) -> Finished {
    let mut command = alice.command(POSTIL);
    command.args(["agent", "hook", "--for", agent]).env("POSTIL_DAEMON", "off");
    Finished::given(&mut command, input)
}

fn input(folder: &Path, is_going_on: bool) -> String {
    let loops = u32::from(is_going_on);
    serde_json::json!({ "session_id": "s", "cwd": folder, "stop_hook_active": is_going_on, "loop_count": loops }).to_string()
}

#[test]
fn every_agent_gets_a_hook_that_goes_again_and_nothing_else_changes() {
    let world = World::new();
    let alice = world.repository("alice");
    for (agent, path) in AGENTS {
        let file = world.home().join(path);
        let asked = alice.postil(&format!("agent install {agent}"));
        asked.code(6);
        assert!(asked.stderr().contains("--force") && !file.exists(), "{agent}: {}", asked.stderr());
        let shown = alice.postil(&format!("agent install {agent} --force")).code(0).stdout();
        assert!(shown.contains(&format!("agent hook --for {agent}")), "{shown}");
        let written = fs::read_to_string(&file).expect("it is there");
        let _: Value = serde_json::from_str(&written).expect("JSON");
        let again = alice.postil(&format!("agent install {agent} --force")).code(0).stdout();
        assert!(again.contains("already installed"), "{again}");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), written);
        alice.postil(&format!("agent remove {agent} --force")).code(0);
        assert!(!file.exists(), "{agent}: what was made goes again");

        let own = "{\n\t\"model\": \"x\",\n\t\"hooks\": { \"Other\": [1.50] }\n}\n";
        fs::write(&file, own).expect("a home can be written");
        alice.postil(&format!("agent install {agent} --force")).code(0);
        alice.postil(&format!("agent remove {agent} --force")).code(0);
        assert_eq!(fs::read_to_string(&file).expect("it is there"), own, "{agent}");
        fs::write(&file, "{\n  \"model\": ,\n}").expect("a home can be written");
        let refused = alice.postil(&format!("agent install {agent} --force")).code(2).stderr();
        assert!(refused.contains("line 2, column"), "{refused}");
        fs::remove_file(&file).expect("it is there");
    }
}

#[test]
fn an_agent_that_stops_is_told_once_and_never_what_it_wrote_itself() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\ntwo\n");
    alice.commit("first");
    alice.git("config --global postil.agents write");
    let stops = |agent: &str, is_going_on: bool| {
        stop(&alice, agent, &input(&alice.folder, is_going_on)).code(0).stdout()
    };
    for (agent, via) in [
        ("claude", "claude-code"),
        ("codex", "codex-mcp-client"),
        ("gemini", "gemini-cli"),
        ("cursor", "cursor"),
    ] {
        let quiet = if agent == "codex" { "{}\n" } else { "" };
        assert_eq!(stops(agent, false), quiet, "{agent}: the first look remembers where it is");
        let id =
            alice.postil(&format!("comment a.txt:2 -m 'why two? {agent}'")).code(0).stdout()[..7].to_owned();
        let told: Value = serde_json::from_str(&stops(agent, false)).expect("JSON");
        let reason = told["reason"].as_str().or(told["followup_message"].as_str()).expect("words").to_owned();
        assert!(reason.contains("| why two?") && reason.contains(&id), "{agent}: {reason}");
        let decision = match agent {
            "gemini" => Some("deny"),
            "cursor" => None,
            _ => Some("block"),
        };
        assert_eq!(told["decision"].as_str(), decision, "{agent}");
        assert_eq!(stops(agent, true), quiet, "{agent}: told once");
        alice.postil(&format!("reply {id} -m 'because' --via agent:{via}")).code(0);
        assert_eq!(stops(agent, true), quiet, "{agent}: not what it wrote itself");
        // Two agents that answer each other do not go on for ever; a person is heard.
        alice.postil(&format!("reply {id} -m 'really?' --via agent:another")).code(0);
        assert_eq!(stops(agent, true), quiet, "{agent}: another agent waits for the next stop");
        assert!(stops(agent, false).contains("really?"), "{agent}: nothing is lost");
        alice.postil(&format!("reply {id} -m 'yes, really'")).code(0);
        assert!(stops(agent, true).contains("yes, really"), "{agent}");
        alice.postil(&format!("resolve {id}")).code(0);
        assert_eq!(stops(agent, true), quiet, "{agent}: what is resolved needs nothing");
    }
}

#[test]
fn an_agent_that_answers_everything_comes_to_an_end() {
    let world = World::new();
    let alice = world.repository("alice");
    alice.write("a.txt", "one\n");
    alice.commit("first");
    alice.git("config --global postil.agents write");
    stop(&alice, "claude", &input(&alice.folder, false)).code(0);
    let mut blocks = 0;
    for turn in 0..20 {
        alice.postil(&format!("comment a.txt:1 -m 'turn {turn}'")).code(0);
        if !stop(&alice, "claude", &input(&alice.folder, true)).code(0).stdout().is_empty() {
            blocks += 1;
        }
    }
    assert_eq!(blocks, 8, "it is made to go on so often in a row at most");
    assert!(
        stop(&alice, "claude", &input(&alice.folder, false)).code(0).stdout().contains("turn 19"),
        "nothing is lost"
    );
}

#[test]
fn whatever_goes_wrong_the_agent_can_stop() {
    let world = World::new();
    let alice = world.repository("alice");
    let nowhere = input(&world.home(), false);
    for (text, says) in
        [("", "not JSON"), ("[]", "not a JSON object"), (nowhere.as_str(), "not inside a git repository")]
    {
        let ended = stop(&alice, "claude", text);
        ended.code(0);
        assert!(ended.stdout().is_empty() && ended.stderr().contains(says), "{text}: {}", ended.stderr());
    }
    fs::write(alice.folder.join(".git/HEAD"), "nonsense").expect("a file can be written");
    let ended = stop(&alice, "claude", &input(&alice.folder, false));
    ended.code(0);
    assert!(ended.stdout().is_empty() && !ended.stderr().is_empty());
}
