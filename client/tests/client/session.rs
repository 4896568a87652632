//! Sessions and subscriptions, with daemons that stop at every bad moment.

use std::time::{Duration, Instant};

use postil_client::{Session, SessionError, SubscribeTo};
use postil_protocol::{Changed, Event, FaultCode, List, ListReply, Mark, Show};

use crate::fake_daemon::{Act, FakeDaemon};
use crate::small_world::{SmallWorld, comment};

/// Far longer than anything here takes.
const TEN_SECONDS: Duration = Duration::from_secs(10);

/// So many threads has the list of a fake daemon, which no repository here has.
const OF_DAEMON: u32 = 77;

fn list_of_daemon(_: &str) -> Act {
    let reply = ListReply { total: OF_DAEMON, ..ListReply::default() };
    Act::Answer(serde_json::to_string::<ListReply>(&reply).expect("an answer is JSON"))
}

fn total(session: &mut Session) -> u32 {
    session.ask(List::default()).expect("reads never fail").total
}

#[test]
fn without_a_daemon_everything_is_answered_in_process() {
    let world = SmallWorld::new();
    let mut session = world.session();
    session.write(comment("why?")).unwrap();
    assert_eq!(total(&mut session), 1);
    let mut lines = 0;
    let list = List { detail: postil_protocol::Detail::Line, ..List::default() };
    session.list(list, &mut |_| lines += 1).unwrap();
    assert_eq!(lines, 1);
}

#[test]
fn a_read_is_answered_in_process_if_the_daemon_stops_in_the_middle_of_it() {
    let world = SmallWorld::new();
    let daemon = FakeDaemon::start(&world.dirs(), |_| Act::Die);
    let mut session = world.session();
    assert_eq!(total(&mut session), 0);
    assert_eq!(daemon.asked(), ["list"]);
}

#[test]
fn a_write_that_the_daemon_read_and_did_not_answer_may_be_saved_and_is_not_repeated() {
    let world = SmallWorld::new();
    let daemon = FakeDaemon::start(&world.dirs(), |_| Act::Die);
    let mut session = world.session();
    assert!(matches!(session.write(comment("why?")), Err(SessionError::MaybeSaved(_))));
    assert_eq!(daemon.asked(), ["comment"]);
    assert_eq!(total(&mut session), 0);
}

#[test]
fn a_write_that_the_daemon_did_not_read_is_written() {
    let world = SmallWorld::new();
    let daemon = FakeDaemon::start(&world.dirs(), list_of_daemon);
    let mut session = world.session();
    daemon.stop();
    session.write(comment("why?")).unwrap();
    assert_eq!(total(&mut session), 1);
}

#[test]
fn a_fault_of_the_service_is_the_answer() {
    let world = SmallWorld::new();
    let mut session = world.session();
    let show = Show { of: "abcdef".into(), head: postil_protocol::HeadName::WorkTree, ..Show::default() };
    match session.ask(show) {
        Err(SessionError::Fault(fault)) => assert_eq!(fault.code, FaultCode::NotFound),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_daemon_that_was_restarted_is_asked_at_once() {
    let world = SmallWorld::new();
    let before = FakeDaemon::start(&world.dirs(), list_of_daemon);
    let mut session = world.session();
    assert_eq!(total(&mut session), OF_DAEMON);
    before.stop();
    let after = FakeDaemon::start(&world.dirs(), list_of_daemon);
    assert_eq!(total(&mut session), OF_DAEMON);
    assert_eq!(after.asked(), ["list"]);
}

#[test]
fn a_daemon_that_comes_later_is_found_and_reads_never_fail_until_then() {
    let world = SmallWorld::new();
    let mut session = world.session();
    assert_eq!(total(&mut session), 0);
    let _daemon = FakeDaemon::start(&world.dirs(), list_of_daemon);
    let deadline = Instant::now() + TEN_SECONDS;
    while total(&mut session) != OF_DAEMON {
        assert!(Instant::now() < deadline, "the daemon was not found");
    }
}

#[test]
fn settings_that_changed_count_once_they_are_read_again() {
    let world = SmallWorld::new();
    let _daemon = FakeDaemon::start(&world.dirs(), list_of_daemon);
    let mut session = world.session();
    let config = world.folder().join(".git/config");
    let text = std::fs::read_to_string(&config).unwrap();
    std::fs::write(config, text.replace("ann@", "zoe@") + "[postil]\n\tdaemon = off\n").unwrap();
    assert_eq!((total(&mut session), session.email()), (OF_DAEMON, Some("ann@example.com")));
    session.reload().unwrap();
    assert_eq!((total(&mut session), session.email()), (0, Some("zoe@example.com")));
}

fn changed(subscription: u64) -> Event {
    Event::Changed(Changed {
        subscription,
        git_dir: "/r".into(),
        mark: Mark::from(format!("after-{subscription}").as_str()),
        changes: Vec::new(),
        threads: Vec::new(),
        reviews: Vec::new(),
        gone: Vec::new(),
    })
}

/// A daemon that answers a subscription with one event.
fn tells(number: u64) -> impl FnMut(&str) -> Act + Send {
    move |method| {
        if method == "changes" {
            let nothing = r#"{"mark":"then","reset":false,"head":{"commit":null,"branch":null,"uncommitted":false},"changes":[],"threads":[],"reviews":[],"gone":[],"placed":[]}"#;
            return Act::Answer(nothing.into());
        }
        let event = serde_json::to_string(&changed(number)).expect("an event is JSON");
        Act::AnswerAndTell(format!("{{\"subscription\":{number},\"mark\":\"then\"}}"), event)
    }
}

#[test]
fn a_subscription_goes_on_with_the_next_daemon() {
    let world = SmallWorld::new();
    let before = FakeDaemon::start(&world.dirs(), tells(1));
    let session = world.session();
    let mut subscription = session.subscribe(SubscribeTo::default()).unwrap();
    assert_eq!(subscription.next().unwrap().unwrap(), changed(1));
    before.stop();
    let soon = Instant::now() + Duration::from_millis(50);
    assert_eq!(subscription.next_before(Some(soon)).unwrap(), None);
    let _after = FakeDaemon::start(&world.dirs(), tells(2));
    assert_eq!(subscription.next().unwrap().unwrap(), changed(2));
}

#[test]
fn a_subscription_begins_with_the_next_daemon_if_one_stops_while_it_is_asked() {
    let world = SmallWorld::new();
    let before = FakeDaemon::start(&world.dirs(), |_: &str| Act::Die);
    let session = world.session();
    std::thread::scope(|scope| {
        let subscribing = scope.spawn(move || session.subscribe(SubscribeTo::default()));
        postil_testkit::wait_until("it was asked", || before.asked().contains(&"subscribe".to_owned()));
        before.stop();
        let _after = FakeDaemon::start(&world.dirs(), tells(2));
        let mut subscription = subscribing.join().expect("nothing panics").expect("the next daemon answers");
        assert_eq!(subscription.next().unwrap().unwrap(), changed(2));
    });
}

#[test]
fn a_subscription_ends_with_its_repository() {
    let world = SmallWorld::new();
    let ended = r#"{"jsonrpc":"2.0","method":"ended","params":{"subscription":1,"git_dir":"/r"}}"#;
    let act = move |_: &str| Act::AnswerAndTell(r#"{"subscription":1,"mark":"then"}"#.into(), ended.into());
    let _daemon = FakeDaemon::start(&world.dirs(), act);
    let mut subscription = world.session().subscribe(SubscribeTo::default()).unwrap();
    assert!(matches!(subscription.next(), Some(Ok(Event::Ended(_)))));
    assert!(subscription.next().is_none());
}

#[test]
fn a_word_names_a_commit_or_none_and_two_have_a_base() {
    let world = SmallWorld::new();
    let checkout = world.args().find().unwrap();
    let head = checkout.commit("HEAD").unwrap();
    assert_eq!(checkout.commit("main"), Some(head.clone()));
    assert_eq!(checkout.merge_base("main", "HEAD"), Some(head));
    assert_eq!((checkout.commit("nosuch"), checkout.merge_base("main", "nosuch")), (None, None));
}
