//! A scripted agent and a scripted person take turns over every door, in random histories.
//!
//! What a person does is told to the agent once, and what the agent does itself never; nobody but the person resolves.
//! `POSTIL_AGENT_RACES=10000` and `POSTIL_AGENT_TURNS=1000` play the long form of both, in many short histories.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use postil_client::{ClientProgram, DaemonProgram, DeclaredVia, RepositoryArgs, Session};
use postil_protocol::{Comment, Place, Reopen, ReplyTo, Resolve, Span};
use postil_testkit::{Dice, wait_until};
use rustix::process::{Signal, kill_process};
use serde_json::{Value, json};

use crate::support::finished::Finished;
use crate::support::mcp::{McpServer, mark_of};
use crate::support::postil::POSTIL;
use crate::support::served::Served;
use crate::support::world::{Checkout, World};

/// Nothing here takes as long.
const PATIENCE: Duration = Duration::from_mins(2);

/// The daemon dies after so many acts.
const BETWEEN_DEATHS: usize = 20;

/// Who answers the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answering {
    InProcess,
    ByDaemon,
    /// It is killed and started again now and then.
    ByDaemons,
}

/// A history has so many acts at most; more are played in more histories.
const MOST_ACTS: usize = 100;

/// A history has so many turns at most.
const MOST_TURNS: usize = 40;

/// How many are played: few unless a variable says otherwise.
fn count(variable: &str, few: usize) -> usize {
    std::env::var(variable).ok().and_then(|count| count.parse().ok()).unwrap_or(few)
}

fn alice(world: &World) -> Checkout<'_> {
    let alice = world.repository("alice");
    for setting in ["user.name alice", "user.email alice@example.com"] {
        alice.git(&format!("config {setting}"));
    }
    alice.write("a.txt", (1..=40).map(|line| format!("line {line}\n")).collect::<String>());
    alice.commit("first");
    alice.git("config --global postil.agents write");
    alice
}

/// A person by hand, in this process.
fn person(alice: &Checkout<'_>) -> Session {
    let program = ClientProgram::new("test", DaemonProgram::None).acting_via(DeclaredVia::Person);
    let at = RepositoryArgs::around(&alice.folder);
    Session::open_in_process(&at, program, Box::new(())).expect("the repository is there")
}

fn comment(line: u32, text: String) -> Comment {
    let place = Some(Place { span: Some(Span::lines(line, line)), ..Place::file("a.txt") });
    Comment {
        place,
        message: None,
        text,
        severity: None,
        tags: Vec::new(),
        review: None,
        suggestion: None,
        draft: false,
    }
}

/// What a person does in a thread, which is returned: each is told as one line.
fn act(session: &mut Session, threads: &mut Vec<(String, bool)>, dice: &mut Dice, nth: usize) -> String {
    if threads.len() < 4 {
        let line = 1 + dice.below(40) as u32;
        let written = session.write(comment(line, format!("thread of act {nth}"))).expect("it is written");
        threads.push((written.thread.id.to_string(), true));
        return written.thread.id.to_string();
    }
    let at = dice.index(threads.len());
    let (id, is_open) = &mut threads[at];
    match dice.below(4) {
        0 => {
            let threads = vec![id.clone()];
            if *is_open {
                session.write(Resolve { threads, reason: None, by: None }).expect("it is written");
            } else {
                session.write(Reopen { threads, reason: None }).expect("it is written");
            }
            *is_open = !*is_open;
        }
        _ => {
            let text = format!("act {nth}");
            let reply = ReplyTo { to: id.clone(), text, suggestion: None, draft: false, resolve: false };
            session.write(reply).expect("it is written");
        }
    }
    id.clone()
}

/// The acts that an answer tells of; none of them is the agent's own.
#[track_caller]
fn told(answer: &str) -> usize {
    let acts: Vec<&str> = answer.lines().filter(|line| line.starts_with("* ")).collect();
    assert!(acts.iter().all(|act| act.ends_with(" by alice") && !act.contains(" agent ")), "{answer}");
    acts.len()
}

/// Nobody but a person resolved anything.
fn only_people_resolve(alice: &Checkout<'_>) {
    let listed = alice.postil("list --all --json").code(0).stdout();
    let listed: Value = serde_json::from_str(&listed).expect("one JSON object");
    for thread in listed["threads"].as_array().expect("a list") {
        let by = &thread["status_by"]["author"];
        assert!(by.is_null() || by["via"].is_null() && by["name"] == "alice", "{thread}");
    }
}

/// Plays so many acts of a person against an agent that waits, lists and answers.
fn race(answering: Answering, acts: usize, seed: u64) {
    let world = World::new();
    let _served = Served(&world);
    let alice = alice(&world);
    let mut command = alice.command(POSTIL);
    command.args(["mcp", "--write"]);
    if answering == Answering::InProcess {
        command.env("POSTIL_DAEMON", "off");
    } else {
        alice.served("daemon start").code(0);
    }
    let (heard, has_begun) = (AtomicUsize::new(0), AtomicBool::new(false));
    let began = Instant::now();
    let deaths = AtomicUsize::new(0);
    let longest = std::thread::scope(|scope| {
        let agent = scope.spawn(|| {
            let mut server = McpServer::run(&mut command);
            server.introduce("helper");
            let mut dice = Dice::new(seed);
            let mut mark = mark_of(&server.done("threads", &json!({})));
            has_begun.store(true, Ordering::SeqCst);
            let mut ids: Vec<String> = Vec::new();
            let mut longest = Duration::ZERO;
            loop {
                if heard.load(Ordering::SeqCst) >= acts {
                    break;
                }
                match dice.below(5) {
                    0 if !ids.is_empty() => {
                        let id = dice.pick(&ids).clone();
                        let items = json!([{ "reply_to": id, "text": "mine" }]);
                        server.call("comment", &json!({ "items": items }));
                    }
                    1 if !ids.is_empty() => {
                        // It may be resolved by now.
                        server.call("propose", &json!({ "ids": [dice.pick(&ids)] }));
                    }
                    _ => {
                        let asked = Instant::now();
                        let answer = server.done("wait", &json!({ "since": mark, "seconds": 10 }));
                        longest = longest.max(asked.elapsed());
                        assert!(!answer.contains("too much changed"), "{answer}");
                        mark = mark_of(&answer);
                        let told = told(&answer);
                        let named = answer.lines().filter_map(|line| line.strip_prefix("* "));
                        ids = named.filter_map(|act| act.split(' ').nth(1)).map(str::to_owned).collect();
                        heard.fetch_add(told, Ordering::SeqCst);
                    }
                }
                assert!(began.elapsed() < PATIENCE + Duration::from_millis(200) * acts as u32, "too slow");
            }
            // Nothing is told twice.
            let answer = server.done("wait", &json!({ "since": mark, "seconds": 1 }));
            assert_eq!(told(&answer), 0, "{answer}");
            server.end();
            longest
        });
        let mut session = person(&alice);
        let (mut threads, mut dice) = (Vec::new(), Dice::new(!seed));
        // What is done before the agent has a mark is not told: it is in the list.
        wait_until("the agent has a mark", || has_begun.load(Ordering::SeqCst));
        for nth in 0..acts {
            act(&mut session, &mut threads, &mut dice, nth);
            let written = nth + 1;
            if answering == Answering::ByDaemons && written % BETWEEN_DEATHS == 0 {
                if let Some(pid) = world.daemon() {
                    kill_process(pid, Signal::KILL).expect("it is ours");
                }
                deaths.fetch_add(1, Ordering::SeqCst);
                alice.served("daemon start");
            }
            // Sometimes the agent has heard of all, sometimes it is behind.
            let behind = dice.below(4) as usize;
            wait_until(&format!("{answering:?}, seed {seed}: act {written} is told"), || {
                heard.load(Ordering::SeqCst) + behind >= written || agent.is_finished()
            });
        }
        agent.join().expect("the agent plays to the end")
    });
    assert_eq!(heard.load(Ordering::SeqCst), acts, "{answering:?}: each is told once");
    only_people_resolve(&alice);
    println!(
        "{answering:?}, seed {seed}: {acts} acts were told once each in {:.1} s, {} deaths of the daemon, longest wait {:.0} ms",
        began.elapsed().as_secs_f64(),
        deaths.load(Ordering::SeqCst),
        longest.as_secs_f64() * 1e3
    );
}

#[test]
fn an_agent_that_waits_hears_of_every_act_once_and_never_of_its_own() {
    let (mut left, mut seed) = (count("POSTIL_AGENT_RACES", 90), 0);
    let each = (left / 3).clamp(1, MOST_ACTS);
    while left > 0 {
        let answering = [Answering::InProcess, Answering::ByDaemon, Answering::ByDaemons][seed as usize % 3];
        race(answering, each.min(left), seed);
        left = left.saturating_sub(each);
        seed += 1;
    }
}

/// How an agent hears of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hearing {
    Wait,
    Changes,
    Hook,
}

/// One stop of an agent; the reason to go on, if there is one.
fn stop(alice: &Checkout<'_>, is_going_on: bool) -> Option<String> {
    let input = json!({ "session_id": "s", "cwd": alice.folder, "stop_hook_active": is_going_on });
    let mut command = alice.command(POSTIL);
    command.args(["agent", "hook", "--for", "claude"]).env("POSTIL_DAEMON", "off");
    let answer = Finished::given(&mut command, &input.to_string());
    let answer = answer.code(0).stdout();
    let answer: Value = serde_json::from_str(answer.lines().next()?).expect("JSON");
    assert_eq!(answer["decision"], "block");
    Some(answer["reason"].as_str().expect("words").to_owned())
}

#[test]
fn turns_over_all_doors_tell_each_thread_once_and_come_to_an_end() {
    let (mut left, mut seed) = (count("POSTIL_AGENT_TURNS", 24), 7);
    while left > 0 {
        take_turns(left.min(MOST_TURNS), seed);
        left = left.saturating_sub(MOST_TURNS);
        seed += 1;
    }
}

/// One history of so many turns.
fn take_turns(turns: usize, seed: u64) {
    let world = World::new();
    let alice = alice(&world);
    let (mut session, mut dice) = (person(&alice), Dice::new(seed));
    let mut server = McpServer::start(&alice, "mcp --write --via agent:claude-code");
    server.introduce("claude-code");
    let mark = mark_of(&server.done("threads", &json!({})));
    let mut marks = [mark.clone(), mark];
    stop(&alice, false);
    let mut threads: Vec<(String, bool)> = Vec::new();
    // What each way of hearing was not told of yet, by thread.
    let mut untold: [Vec<String>; 3] = Default::default();
    let (mut blocks, mut quiet) = (0, 0);
    for turn in 0..turns {
        // The person does something, or nothing.
        for _ in 0..dice.below(3) {
            let id = act(&mut session, &mut threads, &mut dice, turn);
            for untold in &mut untold {
                untold.push(id.clone());
            }
        }
        // The agent answers through one door or another, and tries what it may not.
        if let Some((id, _)) = threads.get(dice.index(threads.len().max(1))) {
            match dice.below(4) {
                0 => drop(server.call("comment", &json!({ "items": [{ "reply_to": id, "text": "mine" }] }))),
                1 => drop(alice.postil(&format!("reply {id} -m mine --via agent:claude-code"))),
                2 => drop(server.call("propose", &json!({ "ids": [id], "what": "obsolete" }))),
                _ => drop(alice.postil(&format!("resolve {id} --via agent:claude-code")).code(2)),
            }
        }
        let hearing = *dice.pick(&[Hearing::Wait, Hearing::Changes, Hearing::Hook]);
        let heard = match hearing {
            Hearing::Wait => {
                // It is there already, so that no time is needed.
                let answer = server.done("wait", &json!({ "since": marks[0], "seconds": 1 }));
                marks[0] = mark_of(&answer);
                answer
            }
            Hearing::Changes => {
                let line = format!("wait --since {} --timeout 0 --compact --via agent:claude-code", marks[1]);
                let answer = alice.postil(&line);
                let answer = if answer.exit() == Some(1) { String::new() } else { answer.code(0).stdout() };
                if !answer.is_empty() {
                    marks[1] = mark_of(&answer);
                }
                answer
            }
            Hearing::Hook => stop(&alice, false).unwrap_or_default(),
        };
        let acts = heard.lines().filter(|line| line.starts_with("* ")).collect::<Vec<_>>();
        assert!(acts.iter().all(|act| act.ends_with(" by alice")), "{hearing:?}: its own act: {heard}");
        let mut expected = std::mem::take(&mut untold[hearing as usize]);
        expected.sort();
        expected.dedup();
        if hearing == Hearing::Hook {
            expected.retain(|id| threads.iter().any(|(known, is_open)| known == id && *is_open));
            // It goes on once, and the next stop is quiet.
            if heard.is_empty() {
                quiet += 1;
            } else {
                blocks += 1;
            }
            assert_eq!(stop(&alice, true), None, "turn {turn}: told once");
        }
        for id in &expected {
            assert!(heard.contains(&id[..7]), "turn {turn}, {hearing:?}: {id} is missing in\n{heard}");
        }
        assert_eq!(expected.is_empty(), is_quiet(&heard), "turn {turn}, {hearing:?}: {expected:?}\n{heard}");
    }
    only_people_resolve(&alice);
    println!("seed {seed}: {turns} turns, {blocks} stops that went on once, {quiet} that did not");
    server.end();
}

fn is_quiet(heard: &str) -> bool {
    heard.is_empty() || heard.starts_with("pending")
}
