//! What changed since a verdict, without what came from upstream.

use postil_core::review::{PatchMark, Row, SinceWhat};
use postil_testkit::{Asked, Checkout, Sandbox};

/// A file long enough for changes that do not touch.
fn base() -> String {
    (1..=60).fold(String::new(), |text, line| format!("{text}line {line}\n"))
}

fn with(changes: &[(&str, &str)]) -> String {
    changes.iter().fold(base(), |text, (from, to)| text.replace(&format!("{from}\n"), &format!("{to}\n")))
}

const FIVE: (&str, &str) = ("line 5", "five");
const TWENTY: (&str, &str) = ("line 20", "twenty");
const FORTY: (&str, &str) = ("line 40", "forty");

/// A branch of three commits that change a line each, and a verdict on it.
fn judged(sandbox: &Sandbox) -> (Checkout<'_>, postil_core::record::RecordId) {
    let repo = sandbox.init("repo", &[]);
    repo.commit_at(0, "file", &base());
    repo.git(&["switch", "-q", "-c", "topic"]);
    repo.commit_at(1, "file", &with(&[FIVE]));
    repo.commit_at(2, "file", &with(&[FIVE, TWENTY]));
    repo.commit_at(3, "file", &with(&[FIVE, TWENTY, FORTY]));
    let review = Asked(&repo).open("topic");
    Asked(&repo).judge(review, "topic");
    (repo, review)
}

/// One line a file, and below it `=`, `<` or `>` for what is in both, was, or is.
fn told(repo: &Checkout<'_>, review: postil_core::record::RecordId) -> String {
    let since = Asked(repo).since(review);
    let mut told = Vec::new();
    for file in since.files {
        told.push(match file.was {
            Some(was) => format!("{was} => {}", file.path),
            None => file.path.to_string(),
        });
        match file.what {
            SinceWhat::Whole => told.push("whole".into()),
            SinceWhat::Lines { rows, .. } => told.extend(rows.iter().map(|row| {
                let (sign, line) = match row {
                    Row::Same(line) => ('=', line),
                    Row::Gone(line) => ('<', line),
                    Row::Came(line) => ('>', line),
                };
                let mark = if line.mark == PatchMark::Added { '+' } else { '-' };
                format!("{sign}{mark}{}", String::from_utf8_lossy(&line.text))
            })),
        }
    }
    told.join("\n")
}

fn move_main(repo: &Checkout<'_>) {
    repo.git(&["switch", "-q", "main"]);
    repo.commit_at(
        10,
        "file",
        &with(&[("line 1", "before\nline 1"), ("line 30", "thirty"), ("line 60", "sixty")]),
    );
    repo.commit_at(11, "upstream", "not ours\n");
    repo.git(&["switch", "-q", "topic"]);
}

#[test]
fn a_rebase_alone_changed_nothing_however_the_base_moved() {
    let sandbox = Sandbox::new();
    let (repo, review) = judged(&sandbox);
    assert_eq!(told(&repo, review), "");
    move_main(&repo);
    assert_eq!(told(&repo, review), "", "the base moved");
    repo.git(&["rebase", "-q", "main"]);
    assert_eq!(told(&repo, review), "", "rebased");
    repo.git(&["switch", "-q", "main"]);
    repo.commit_at(12, "upstream", "again\n");
    repo.git(&["switch", "-q", "topic"]);
    repo.git(&["merge", "-q", "--no-edit", "main"]);
    assert_eq!(told(&repo, review), "", "the base was merged into it");
}

#[test]
fn squashing_splitting_and_reordering_commits_changed_nothing() {
    let sandbox = Sandbox::new();
    let (repo, review) = judged(&sandbox);
    move_main(&repo);
    repo.rebase_interactively("main", "1{h;d};2{G}");
    assert_eq!(repo.git(&["log", "--format=%s", "-3"]), "file at 3\nfile at 1\nfile at 2");
    assert_eq!(told(&repo, review), "", "reordered");
    repo.rebase_interactively("main", "2,3s/^pick/fixup/");
    assert_eq!(repo.git(&["rev-list", "--count", "main..topic"]), "1");
    assert_eq!(told(&repo, review), "", "squashed");
    let whole = std::fs::read_to_string(repo.dir.join("file")).unwrap();
    repo.git(&["reset", "-q", "--hard", "main"]);
    repo.commit_at(20, "file", &whole.replace("forty\n", "line 40\n"));
    repo.commit_at(21, "file", &whole);
    assert_eq!(told(&repo, review), "", "split");
}

#[test]
fn a_dropped_commit_is_gone_and_nothing_else_is() {
    let sandbox = Sandbox::new();
    let (repo, review) = judged(&sandbox);
    move_main(&repo);
    repo.rebase_interactively("main", "2d");
    assert_eq!(told(&repo, review), "file\n<-line 20\n<+twenty");
}

#[test]
fn an_amend_is_told_line_by_line_also_over_a_rebase() {
    let sandbox = Sandbox::new();
    let (repo, review) = judged(&sandbox);
    move_main(&repo);
    repo.git(&["rebase", "-q", "main"]);
    let text = std::fs::read_to_string(repo.dir.join("file")).unwrap();
    repo.write("file", text.replace("forty\n", "fourty\nand more\n"));
    repo.write("new", "ours\n");
    repo.git(&["add", "-A"]);
    repo.git_at(20, &["commit", "-q", "--amend", "--no-edit"]);
    assert_eq!(told(&repo, review), "file\n=-line 40\n<+forty\n>+fourty\n>+and more\nnew\n>+ours");
}

#[test]
fn a_file_that_upstream_renamed_is_the_same_one() {
    let sandbox = Sandbox::new();
    let (repo, review) = judged(&sandbox);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["mv", "file", "renamed"]);
    repo.git_at(10, &["commit", "-q", "-m", "rename"]);
    repo.commit_at(11, "renamed", &with(&[("line 30", "thirty")]));
    repo.git(&["switch", "-q", "topic"]);
    repo.git(&["rebase", "-q", "main"]);
    assert_eq!(repo.git(&["diff", "--name-only", "main"]), "renamed");
    assert_eq!(told(&repo, review), "");
    let text = std::fs::read_to_string(repo.dir.join("renamed")).unwrap();
    repo.write("renamed", text.replace("forty\n", "fourty\n"));
    repo.git_at(20, &["commit", "-q", "-a", "--amend", "--no-edit"]);
    assert_eq!(told(&repo, review), "file => renamed\n=-line 40\n<+forty\n>+fourty");
}

#[test]
fn a_file_that_the_branch_renamed_is_followed_through_what_upstream_does_to_it() {
    let sandbox = Sandbox::new();
    let (repo, review) = judged(&sandbox);
    repo.git(&["mv", "file", "renamed"]);
    repo.git_at(4, &["commit", "-q", "-m", "rename"]);
    assert_eq!(told(&repo, review), "file => renamed\nwhole");
    Asked(&repo).judge(review, "topic");
    move_main(&repo);
    repo.git(&["rebase", "-q", "main"]);
    assert_eq!(told(&repo, review), "", "the same rename and the same changes, on another base");
    repo.git(&["mv", "renamed", "again"]);
    let text = std::fs::read_to_string(repo.dir.join("again")).unwrap();
    repo.write("again", text.replace("twenty\n", "score\n"));
    repo.git_at(20, &["commit", "-q", "-a", "--amend", "--no-edit"]);
    assert_eq!(told(&repo, review), "renamed => again\n=-line 20\n<+twenty\n>+score");
}

#[test]
fn a_file_that_the_branch_added_may_change_its_name() {
    let sandbox = Sandbox::new();
    let (repo, review) = judged(&sandbox);
    let new: String = (1..=12).map(|line| format!("new {line}\n")).collect();
    repo.commit_at(4, "new", &new);
    Asked(&repo).judge(review, "topic");
    repo.git(&["mv", "new", "newer"]);
    repo.write("newer", new.replace("new 7\n", "newer 7\n"));
    repo.git_at(20, &["commit", "-q", "-a", "--amend", "--no-edit"]);
    assert!(told(&repo, review).starts_with("new => newer\n"), "{}", told(&repo, review));
    assert_eq!(told(&repo, review).lines().filter(|row| !row.starts_with('=')).count(), 3);
}

#[test]
fn what_has_no_lines_is_told_as_a_whole() {
    let sandbox = Sandbox::new();
    let (repo, review) = judged(&sandbox);
    repo.write("binary", b"\0\x01");
    repo.write("empty", "");
    repo.git(&["add", "-A"]);
    repo.git(&["update-index", "--chmod=+x", "file"]);
    repo.git_at(4, &["commit", "-q", "-m", "binary and mode"]);
    assert_eq!(told(&repo, review), "binary\nwhole\nempty\nwhole\nfile\nwhole");
    Asked(&repo).judge(review, "topic");
    assert_eq!(told(&repo, review), "");
    repo.write("file", with(&[FIVE, TWENTY, FORTY]).replace('\n', "\r\n"));
    repo.git_at(5, &["commit", "-q", "-a", "-m", "line ends"]);
    assert_eq!(told(&repo, review), "file\nwhole");
}

#[test]
fn the_last_verdict_counts_and_a_merged_head_can_still_be_compared() {
    let sandbox = Sandbox::new();
    let (repo, review) = judged(&sandbox);
    repo.commit_at(4, "new", "ours\n");
    assert_eq!(told(&repo, review), "new\n>+ours");
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["merge", "-q", "--ff-only", "topic"]);
    assert_eq!(told(&repo, review), "new\n>+ours", "merged");
    Asked(&repo).judge(review, "topic");
    assert_eq!(told(&repo, review), "");
}
