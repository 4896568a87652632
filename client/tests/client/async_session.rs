//! The asynchronous session and its subscriptions, with daemons that stop at every bad moment.

use std::time::Duration;

use postil_client::{AsyncSession, SessionError, SubscribeTo};
use postil_protocol::{Event, List, ListReply};
use tokio::time::timeout;

use crate::fake_daemon::{Act, FakeDaemon};
use crate::small_world::{SmallWorld, comment};

/// Far longer than anything here takes.
const TEN_SECONDS: Duration = Duration::from_secs(10);

/// So many threads has the list of a fake daemon, which no repository here has.
const OF_DAEMON: u32 = 77;

fn list_of(total: u32) -> String {
    serde_json::to_string(&ListReply::<postil_protocol::ThreadView> { total, ..ListReply::default() })
        .expect("an answer is JSON")
}

async fn open(world: &SmallWorld) -> AsyncSession {
    AsyncSession::open(world.args(), world.program()).await.expect("the repository is there").0
}

async fn total(session: &AsyncSession) -> u32 {
    let asked = timeout(TEN_SECONDS, session.ask(List::default())).await;
    asked.expect("it is answered in time").expect("reads never fail").total
}

/// Waits until a condition holds, and lets the session go on meanwhile.
async fn until(condition: impl Fn() -> bool) {
    let mut looks = tokio::time::interval(Duration::from_millis(1));
    let looking = async {
        while !condition() {
            looks.tick().await;
        }
    };
    timeout(TEN_SECONDS, looking).await.expect("it happens in time");
}

#[tokio::test]
async fn without_a_daemon_everything_is_answered_in_process() {
    let world = SmallWorld::new();
    let session = open(&world).await;
    session.write(comment("why?")).await.unwrap();
    assert_eq!(total(&session).await, 1);
    let refused = session.subscribe(SubscribeTo::default()).await;
    assert!(matches!(refused, Err(SessionError::Connect(_))), "{refused:?}");
}

#[tokio::test]
async fn what_is_written_has_the_name_of_now() {
    let world = SmallWorld::new();
    let session = open(&world).await;
    world.git(&["config", "user.name", "Zoe"]);
    session.write(comment("why?")).await.unwrap();
    let listed = session.ask(List::default()).await.unwrap();
    assert_eq!(listed.threads[0].comments[0].author.name, "Zoe");
    assert_eq!(session.person().map(|person| person.name), Some("Zoe".to_owned()));
}

#[tokio::test]
async fn who_uses_no_daemon_hears_of_everything_since_a_mark_and_of_what_happens_then() {
    let world = SmallWorld::new();
    world.git(&["config", "postil.daemon", "off"]);
    let session = open(&world).await;
    let listed = session.ask(List::default()).await.unwrap().mark;
    session.write(comment("before")).await.unwrap();
    let to = SubscribeTo { since: Some(listed), ..SubscribeTo::default() };
    let mut subscription = session.subscribe(to).await.expect("no daemon is needed");
    let text = |event: &Event| match event {
        Event::Changed(changed) => changed.threads[0].comments[0].text.clone(),
        other => panic!("{other:?}"),
    };
    let first = timeout(TEN_SECONDS, subscription.next()).await.expect("it was said already").unwrap();
    assert_eq!(text(&first), "before");
    // Somebody who waits a little, again and again, misses nothing.
    session.write(comment("after")).await.unwrap();
    let next = async {
        loop {
            if let Ok(event) = timeout(Duration::from_millis(1), subscription.next()).await {
                return event.unwrap();
            }
        }
    };
    assert_eq!(text(&timeout(TEN_SECONDS, next).await.expect("it is found")), "after");
    // At once: of a repository that is deleted file by file, other things are noticed first.
    std::fs::rename(world.folder(), world.folder().with_file_name("gone")).unwrap();
    let ended = timeout(TEN_SECONDS, subscription.next()).await.expect("it is noticed").unwrap();
    assert!(matches!(ended, Event::Ended(_)), "{ended:?}");
    let over = subscription.next().await;
    assert!(matches!(over, Err(SessionError::SubscriptionEnded)), "{over:?}");
}

#[tokio::test]
async fn answers_reach_their_requests_in_whatever_order_they_come() {
    let world = SmallWorld::new();
    let mut count = 0;
    let daemon = FakeDaemon::start(&world.dirs(), move |_| {
        count += 1;
        if count < 3 { Act::AnswerLater(list_of(count)) } else { Act::Answer(list_of(count)) }
    });
    let session = open(&world).await;
    let totals = tokio::join!(total(&session), total(&session), total(&session));
    let mut totals = [totals.0, totals.1, totals.2];
    totals.sort_unstable();
    assert_eq!(totals, [1, 2, 3]);
    assert_eq!(daemon.asked(), ["list", "list", "list"]);
}

#[tokio::test]
async fn a_request_that_is_dropped_is_taken_back() {
    let world = SmallWorld::new();
    let daemon = FakeDaemon::start(&world.dirs(), |method| match method {
        "list" => Act::AnswerLater(list_of(1)),
        _ => Act::Answer("null".into()),
    });
    let session = open(&world).await;
    let asked = timeout(Duration::from_millis(200), session.ask(List::default())).await;
    assert!(asked.is_err(), "nobody answers");
    until(|| daemon.asked() == ["list", "cancel"]).await;
}

#[tokio::test]
async fn a_daemon_that_stops_fails_no_read_and_the_next_one_is_asked() {
    let world = SmallWorld::new();
    let before = FakeDaemon::start(&world.dirs(), |_| Act::Die);
    let session = open(&world).await;
    assert_eq!(total(&session).await, 0);
    drop(before);
    let _after = FakeDaemon::start(&world.dirs(), |_| Act::Answer(list_of(OF_DAEMON)));
    timeout(TEN_SECONDS, async { while total(&session).await != OF_DAEMON {} }).await.unwrap();
}

#[tokio::test]
async fn a_write_fails_only_if_the_daemon_may_have_read_it() {
    let world = SmallWorld::new();
    let daemon = FakeDaemon::start(&world.dirs(), |_| Act::Die);
    let session = open(&world).await;
    let unknown = session.write(comment("why?")).await;
    assert!(matches!(unknown, Err(SessionError::MaybeSaved(_))), "{unknown:?}");
    drop(daemon);
    let daemon = FakeDaemon::start(&world.dirs(), |_| Act::Answer(list_of(OF_DAEMON)));
    let session = open(&world).await;
    daemon.stop();
    session.write(comment("why?")).await.unwrap();
    assert_eq!(total(&session).await, 1);
}

/// A daemon that answers a subscription with one event, and lists.
fn tells(number: u64) -> impl FnMut(&str) -> Act + Send {
    move |method| match method {
        "subscribe" => Act::AnswerAndTell(
            format!("{{\"subscription\":{number},\"mark\":\"then\"}}"),
            format!(
                r#"{{"jsonrpc":"2.0","method":"resolving","params":{{"subscription":{number},"git_dir":"/r","to":null}}}}"#
            ),
        ),
        "unsubscribe" => Act::Answer("null".into()),
        _ => Act::Answer(list_of(OF_DAEMON)),
    }
}

#[tokio::test]
async fn a_subscription_shares_the_connection_and_goes_on_with_the_next_daemon() {
    let world = SmallWorld::new();
    let before = FakeDaemon::start(&world.dirs(), tells(1));
    let session = open(&world).await;
    let mut subscription = session.subscribe(SubscribeTo::default()).await.unwrap();
    let number = |event: Event| match event {
        Event::Resolving(event) => event.subscription,
        other => panic!("{other:?}"),
    };
    assert_eq!(number(subscription.next().await.unwrap()), 1);
    assert_eq!(total(&session).await, OF_DAEMON);
    before.stop();
    let after = FakeDaemon::start(&world.dirs(), tells(2));
    let next = timeout(TEN_SECONDS, subscription.next()).await.unwrap();
    assert_eq!(number(next.unwrap()), 2);
    drop(subscription);
    until(|| after.asked().contains(&"unsubscribe".to_owned())).await;
}
