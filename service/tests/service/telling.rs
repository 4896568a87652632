//! What the service tells of a comment's past.

use postil_protocol::{Log, WritePositions};
use postil_testkit::Sandbox;

use crate::asker::{Asker, service};

#[test]
fn the_log_tells_of_kept_heads_that_were_rewritten_behind_what_they_share_with_the_head() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 6);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let own = repo.git(&["rev-parse", "HEAD"]);
    let id = ann.comment("a.txt", 4, "here");
    let text = std::fs::read_to_string(repo.dir.join("a.txt")).unwrap();
    let shared = repo.commit("a.txt", &format!("one\n{text}"));
    let amended = repo.commit("a.txt", &format!("three\ntwo\none\n{text}"));
    ann.ask(WritePositions {});
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]);
    let head = repo.commit("a.txt", &format!("two\none\n{text}"));

    let log = ann.ask(Log { of: id });
    let told: Vec<(String, Option<u32>, bool)> = log
        .steps
        .iter()
        .map(|step| (step.commit.as_ref().unwrap().to_string(), step.position.start, step.rewritten))
        .collect();
    let expected = [(head, 6, false), (amended, 7, true), (shared, 5, false), (own, 4, false)];
    assert_eq!(told, expected.map(|(commit, line, rewritten)| (commit, Some(line), rewritten)));
}
