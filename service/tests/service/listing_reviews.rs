//! Which reviews are listed.

use postil_protocol::{
    ReplyTo, ReviewChange, ReviewList, ReviewStart, ReviewStatus, ReviewVerdict, Status, Verdict,
};
use postil_testkit::Sandbox;

use crate::asker::{Asker, service};

const DAY: u64 = 24 * 3_600_000;
const MONDAY: u64 = 1_699_833_600_000;

/// The branches of the reviews that are listed since a time.
fn since(ann: &Asker<'_>, at: u64) -> Vec<String> {
    let reply = ann.ask(ReviewList { since: Some(at), ..ReviewList::default() });
    let mut branches: Vec<String> = reply
        .reviews
        .iter()
        .map(|review| String::from_utf8_lossy(review.branch.as_bytes()).replace("refs/heads/", ""))
        .collect();
    branches.sort();
    branches
}

#[test]
fn a_review_is_listed_if_something_was_written_about_it_or_in_its_threads_since() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 6);
    let service = service();
    let mut ann = Asker::new(&service, "ann", &repo.dir);
    for branch in ["commented", "judged", "closed", "quiet"] {
        repo.git(&["branch", branch]);
    }
    ann.at = Some(MONDAY);
    for branch in ["topic", "commented", "judged", "closed", "quiet"] {
        ann.ask(ReviewStart { branch: Some(branch.into()), ..ReviewStart::default() });
    }
    repo.git(&["switch", "-q", "commented"]);
    let thread = ann.comment("a.txt", 2, "why?");
    assert_eq!(since(&ann, MONDAY), ["closed", "commented", "judged", "quiet", "topic"]);
    assert_eq!(since(&ann, MONDAY + 1), [""; 0], "the time itself is included, and no later one");

    ann.at = Some(MONDAY + DAY);
    ann.ask(ReplyTo { to: thread, text: "because".into(), suggestion: None, draft: false, resolve: false });
    ann.at = Some(MONDAY + 2 * DAY);
    let judged = Some("judged".to_owned());
    ann.ask(ReviewVerdict { review: judged, verdict: Verdict::Approve, text: String::new(), draft: false });
    ann.at = Some(MONDAY + 3 * DAY);
    let (review, status) = (Some("closed".to_owned()), ReviewStatus::Closed);
    ann.ask(ReviewChange { review, status, reason: None });
    assert_eq!(since(&ann, MONDAY + DAY), ["closed", "commented", "judged"]);
    assert_eq!(since(&ann, MONDAY + 2 * DAY), ["closed", "judged"]);

    let open = ReviewList { statuses: vec![ReviewStatus::Open], since: Some(MONDAY + 2 * DAY) };
    let reply = ann.ask(open);
    assert_eq!(reply.reviews.len(), 1, "both must fit");
    let current = ann.ask(Status::default()).review.map(|review| review.id);
    assert_eq!(reply.current, current, "the current review is named also if it is not listed");
}
