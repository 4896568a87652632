//! What a comment takes along of a file that is not committed.

use postil_protocol::{Advice, FaultCode, Place, Span, WrittenReply};

use crate::asker::{Asker, said, service};
use postil_testkit::Sandbox;

fn at(path: &str, line: u32) -> Place {
    Place { span: Some(Span::lines(line, line)), ..Place::file(path) }
}

#[test]
fn a_file_that_git_ignores_is_refused_unless_that_is_meant() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    repo.commit(".gitignore", ".env\nbuild/\n");
    repo.commit("kept.env", "a\n");
    std::fs::create_dir(repo.dir.join("build")).unwrap();
    std::fs::write(repo.dir.join(".env"), "TOKEN=1\nport=2\n").unwrap();
    std::fs::write(repo.dir.join("build/out"), "x\n").unwrap();
    std::fs::write(repo.dir.join("new"), "x\n").unwrap();
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    for path in [".env", "build/out"] {
        let refused = ann.try_ask(said(Some(at(path, 1)), "why?")).unwrap_err();
        assert_eq!(
            (refused.code, refused.advice()),
            (FaultCode::Unsafe, Some(Advice::AllowIgnored)),
            "{path}"
        );
        ann.ask(said(Some(Place { ignored: true, ..at(path, 1) }), "why?"));
    }
    ann.ask(said(Some(at("new", 1)), "why?"));
    // What is tracked is not ignored, whatever is written in `.gitignore`.
    repo.commit(".gitignore", "*\n");
    ann.ask(said(Some(at("kept.env", 1)), "why?"));
    std::fs::write(repo.dir.join("kept.env"), "b\n").unwrap();
    ann.ask(said(Some(at("kept.env", 1)), "why?"));
}

#[test]
fn a_comment_tells_which_of_its_lines_no_commit_has() {
    let sandbox = Sandbox::in_memory();
    let repo = sandbox.repo("repo");
    let lines = |numbers: &[&str]| numbers.iter().map(|line| format!("{line}\n")).collect::<String>();
    let all: Vec<String> = (1..=20).map(|number| format!("line {number}")).collect();
    let mut all: Vec<&str> = all.iter().map(String::as_str).collect();
    repo.commit("a.txt", &lines(&all));
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let told = |path: &str, line: u32| {
        let reply: WrittenReply = ann.ask(said(Some(at(path, line)), "why?"));
        reply.uncommitted_lines.iter().map(|span| (span.start, span.end)).collect::<Vec<_>>()
    };
    assert_eq!(told("a.txt", 10), []);
    (all[5], all[11], all[12], all[19]) = ("six", "twelve", "thirteen", "too far away");
    std::fs::write(repo.dir.join("a.txt"), lines(&all)).unwrap();
    assert_eq!(told("a.txt", 10), [(6, 6), (12, 13)]);
    std::fs::write(repo.dir.join("b.txt"), lines(&all)).unwrap();
    assert_eq!(told("b.txt", 10), [(5, 15)]);
    assert_eq!(told("b.txt", 1), [(1, 6)]);
}
