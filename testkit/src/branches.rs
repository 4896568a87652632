//! Branches under review: commits with their own times, reviews of them, and what postil says about both.

use std::collections::BTreeMap;

use postil_core::git::{CommitId, ObjectId, RefName, RepoPath, history};
use postil_core::notes::Home;
use postil_core::record::{
    Anchor, AnchorSide, Body, CommentRecord, Judgement, Record, RecordId, Seq, StatusRecord, StatusWord,
    Timestamp, VerdictRecord,
};
use postil_core::review::{
    Belonging, Branches, FollowedReview, Following, Notice, Opener, Opening, Renaming, ReviewError,
    ReviewRequest, ShowThreads, Since, Threads, Viewpoint, WhyVisible,
};

use super::reviews::{alice, by_alice};
use super::sandbox::Checkout;

/// What postil says about a repository, each time anew.
pub struct Asked<'c, 's>(pub &'c Checkout<'s>);

impl Asked<'_, '_> {
    pub fn threads(&self) -> Threads {
        let snapshot = self.0.store().read().expect("the store can be read");
        Threads::fold(snapshot.records())
    }

    pub fn branches(&self) -> Branches {
        Branches::read(&self.0.open()).expect("the branches can be read")
    }

    /// Which review a comment on what is checked out belongs to.
    pub fn belonging(&self) -> Belonging {
        let handle = self.0.open().handle();
        let found = Belonging::of_current(&handle, &self.branches(), &self.threads(), &opener());
        found.expect("the history can be read")
    }

    pub fn opening(&self, request: &ReviewRequest) -> Result<Opening, ReviewError> {
        Opening::of(&self.0.open().handle(), &self.branches(), request, &opener())
    }

    /// Opens the review of a branch.
    pub fn open(&self, branch: &str) -> RecordId {
        let request = ReviewRequest { branch: Some(full(branch)), ..ReviewRequest::default() };
        let opening = self.opening(&request).expect("the branch can be reviewed");
        self.write(opening.home, opening.record)
    }

    /// Opens a review in another person's name.
    pub fn write_by(&self, opening: &Opening, email: &str) -> RecordId {
        let Body::Review(mut review) = opening.record.body().expect("it was just made") else {
            panic!("an opening is a review");
        };
        review.author.email = email.into();
        let record = Record::new(&Body::Review(review)).expect("the review is short");
        self.write(opening.home, record)
    }

    /// Comments on a file of a commit in a review.
    pub fn comment(&self, review: Option<RecordId>, rev: &str, file: &str, text: &str) -> RecordId {
        let commit = self.0.commit_id(rev);
        let anchor = Anchor {
            commit: Some(commit),
            path: RepoPath::new(file).expect("the path is plain"),
            blob: Some(self.0.blob_id(&format!("{rev}:{file}"))),
            side: AnchorSide::New,
            range: None,
            lines: Vec::new(),
            before: Vec::new(),
            after: Vec::new(),
            quote: None,
            headings: Vec::new(),
            scope: Vec::new(),
        };
        self.say(review, Some(anchor), commit, text)
    }

    /// Comments on a whole review, or on nothing that was committed.
    pub fn remark(&self, review: Option<RecordId>, text: &str) -> RecordId {
        self.say(review, None, self.0.commit_id("HEAD"), text)
    }

    fn say(&self, review: Option<RecordId>, anchor: Option<Anchor>, page: CommitId, text: &str) -> RecordId {
        let comment = CommentRecord {
            author: alice(),
            at: Timestamp(0),
            seq: Seq::default(),
            via: None,
            review,
            parent: None,
            anchor: anchor.map(Into::into),
            text: text.into(),
            severity: None,
            tags: Vec::new(),
            suggestion: Vec::new(),
        };
        let record = Record::new(&Body::Comment(comment)).expect("the comment is short");
        self.write(Home::On(page.into()), record)
    }

    /// Judges what a branch is now.
    pub fn judge(&self, review: RecordId, rev: &str) -> RecordId {
        let head = self.0.commit_id(rev);
        let (author, at, seq) =
            (alice(), Timestamp(0), self.threads().next_seq(review).expect("it is there"));
        let verdict = VerdictRecord {
            author,
            at,
            seq,
            via: None,
            review,
            head,
            verdict: Judgement::Changes,
            text: String::new(),
        };
        let record = Record::new(&Body::Verdict(verdict)).expect("the verdict is short");
        self.write(Home::On(head.into()), record)
    }

    /// Says what has become of a review.
    pub fn end(&self, review: RecordId, status: StatusWord) -> RecordId {
        self.say_status(review, status, &[])
    }

    /// The same, by somebody who has seen other words.
    pub fn say_status(&self, review: RecordId, status: StatusWord, over: &[RecordId]) -> RecordId {
        self.say_status_at(0, review, status, over)
    }

    /// The same, at a minute of its own.
    pub fn say_status_at(
        &self,
        minute: u32,
        review: RecordId,
        status: StatusWord,
        over: &[RecordId],
    ) -> RecordId {
        let at = Timestamp(1000 * seconds_at(minute));
        let (author, seq, over) = (alice(), Seq::new(1), over.to_vec());
        let status = StatusRecord {
            author,
            at,
            seq,
            via: None,
            of: review,
            over,
            status,
            reason: None,
            by: None,
            proposal: None,
            source: None,
        };
        let record = Record::new(&Body::Status(status)).expect("the status is short");
        let home = self.threads().home(review).expect("the review is there");
        self.write(Home::On(home), record)
    }

    fn write(&self, home: Home, record: Record) -> RecordId {
        let id = record.id();
        self.0.store().batch().add(home, record).write(&by_alice(), "Say").expect("the record is written");
        id
    }

    /// What has become of the branch of a review.
    pub fn followed(&self, review: RecordId) -> FollowedReview {
        self.followed_with(review, &[])
    }

    pub fn followed_with(&self, review: RecordId, seen: &[CommitId]) -> FollowedReview {
        let (handle, branches, threads) = (self.0.open().handle(), self.branches(), self.threads());
        let group = threads.group_of(review).expect("the review is there");
        Following::new(&handle, &branches).follow(group, seen).expect("the history can be read")
    }

    /// Says under which name the branch of a review goes on, as Alice; returns how many records that takes.
    pub fn say_renamed(&self, review: RecordId) -> usize {
        let threads = self.threads();
        let lead = self.followed(review).branch.expect("the branch is here");
        let group = threads.group_of(review).expect("the review is there");
        let said = Renaming::of(group, &lead, &opener()).expect("the edits are short");
        let count = said.len();
        for renaming in said {
            self.write(renaming.home, renaming.record);
        }
        count
    }

    /// Looks after the open reviews as Alice, and does what that asks for; returns the records.
    pub fn notice(&self) -> Vec<Record> {
        let (handle, branches, threads) = (self.0.open().handle(), self.branches(), self.threads());
        let noticed = Following::new(&handle, &branches).notice(&threads, Some(&opener()));
        assert!(noticed.unknown.is_empty(), "{:?}", noticed.unknown);
        let kept = self.0.store().keep_heads(branches.kept(), &noticed.keep, &by_alice());
        kept.expect("refs can be written");
        for Notice { home, record, .. } in &noticed.notices {
            self.write(*home, record.clone());
        }
        noticed.notices.into_iter().map(|notice| notice.record).collect()
    }

    /// The heads of a review that are kept here, as git would print them.
    pub fn kept(&self, review: RecordId) -> Vec<String> {
        self.branches().kept().of(review).map(|head| head.to_string()).collect()
    }

    /// Where the branch of a review is, as git would print it.
    pub fn lead(&self, review: RecordId) -> Option<(String, String)> {
        let lead = self.followed(review).branch?;
        Some((lead.name.to_string(), lead.head.to_string()))
    }

    /// The threads that are seen from a branch, or from a commit.
    pub fn visible_from(&self, rev: &str, show: ShowThreads) -> BTreeMap<RecordId, WhyVisible> {
        let (handle, branches, threads) = (self.0.open().handle(), self.branches(), self.threads());
        let branch = RefName::new(&format!("refs/heads/{rev}")).ok();
        let branch = branch.filter(|name| branches.local().any(|(local, _)| local == name));
        let from = Viewpoint { branch, commit: Some(self.0.commit_id(rev)) };
        let following = Following::new(&handle, &branches);
        let sight = following.visible_from(&threads, &from, show).expect("the history can be read");
        assert!(sight.unknown.is_empty(), "{:?}", sight.unknown);
        sight.threads
    }

    /// What changed since Alice's last verdict.
    pub fn since(&self, review: RecordId) -> Since {
        let (handle, branches, threads) = (self.0.open().handle(), self.branches(), self.threads());
        let group = threads.group_of(review).expect("the review is there");
        let since = Following::new(&handle, &branches).since_verdict(group, &alice().email);
        since.expect("the history can be read").expect("she has judged")
    }
}

impl Checkout<'_> {
    /// Commits `content` as `file` at a minute of its own, with a subject of its own.
    pub fn commit_at(&self, minute: u32, file: &str, content: &str) -> String {
        self.write(file, content);
        self.git(&["add", "-A"]);
        self.git_at(minute, &["commit", "-q", "-m", &format!("{file} at {minute}")]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git at a minute of its own.
    pub fn git_at(&self, minute: u32, args: &[&str]) {
        let date = format!("{} +0100", seconds_at(minute));
        let mut command = self.command(args);
        let output = command.env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date).output();
        let output = output.expect("git can be started");
        assert!(output.status.success(), "git {args:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// Rebases interactively; `script` is what `sed` does to the list of commits.
    pub fn rebase_interactively(&self, onto: &str, script: &str) {
        let mut command = self.command(&["rebase", "-q", "-i", onto]);
        let editor = format!("sed -i -e '{script}'");
        let output = command.env("GIT_SEQUENCE_EDITOR", editor).env("GIT_EDITOR", "true").output();
        let output = output.expect("git can be started");
        assert!(output.status.success(), "the rebase failed: {}", String::from_utf8_lossy(&output.stderr));
    }

    /// The tree of a commit, for comparing.
    pub fn tree_of(&self, rev: &str) -> ObjectId {
        let handle = self.open().handle();
        history::commit(&handle, self.commit_id(rev)).expect("it is a commit").tree.raw().into()
    }
}

pub fn full(branch: &str) -> RefName {
    RefName::new(&format!("refs/heads/{branch}")).expect("the name is plain")
}

fn seconds_at(minute: u32) -> u64 {
    1_700_000_000 + 60 * u64::from(minute)
}

fn opener() -> Opener {
    Opener { author: alice(), via: None, at: Timestamp(0) }
}
