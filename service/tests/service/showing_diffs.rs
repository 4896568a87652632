//! What a client needs to show a diff: colours, which lines are left out, white space, generated files.

use postil_protocol::{Diff, DiffExtent, DiffFile, DiffLimit, DiffMark, Place, Span, SyntaxWord};
use postil_testkit::Sandbox;

use crate::asker::{Asker, said, service};

/// Two hundred lines of a program, with a comment over several lines.
fn source(changed: &str) -> String {
    let mut text = "/* a comment\nfn not_code() {}\n*/\nfn real() {\n".to_owned();
    for number in 5..200 {
        let line = if number == 150 { changed.to_owned() } else { format!("    let a{number} = {number};") };
        text.push_str(&line);
        text.push('\n');
    }
    text + "}\n"
}

fn against_head(ann: &Asker<'_>, asked: Diff) -> Vec<DiffFile> {
    ann.ask(Diff { base: Some("HEAD".into()), ..asked }).files
}

fn numbers(file: &DiffFile) -> Vec<u32> {
    file.lines.iter().filter_map(|line| line.after).collect()
}

#[test]
fn colours_know_the_lines_that_are_left_out_and_the_enclosing_line_is_named() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("p.rs", &source("    let a = 1;"));
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    repo.write("p.rs", source("    let b = \"two\";").replace("fn not_code() {}", "fn none() {}"));
    let files = against_head(&ann, Diff { syntax: true, enclosing: true, ..Diff::default() });
    let [file] = &files[..] else { panic!("{files:?}") };
    let classes = |number: u32, mark: DiffMark| {
        let is_it = |line: &&postil_protocol::DiffLine| {
            line.mark == mark && line.after.or(line.before) == Some(number)
        };
        let line = file.lines.iter().find(is_it).expect("it is shown");
        line.syntax.iter().map(|span| span.class).collect::<Vec<_>>()
    };
    assert_eq!(classes(2, DiffMark::Added), [SyntaxWord::Comment], "it is inside of a comment");
    assert_eq!(classes(150, DiffMark::Deleted), [SyntaxWord::Keyword, SyntaxWord::Number]);
    assert_eq!(classes(150, DiffMark::Added), [SyntaxWord::Keyword, SyntaxWord::String]);
    let first = file.lines.iter().find(|line| line.after == Some(147)).unwrap();
    // Line 4 is shown, as one of the lines around the change in line 2 is line 5; so nothing is left to name.
    assert_eq!(first.enclosing, None);
    let none =
        against_head(&ann, Diff { syntax: true, enclosing: true, context: Some(0), ..Diff::default() });
    let named = none[0].lines.iter().find_map(|line| line.enclosing.clone()).expect("it is left out");
    assert_eq!(named.text.as_str(), Some("fn real() {"));
    let only = Some(DiffExtent { from: named.offset, to: named.offset + 1 });
    let shown = against_head(&ann, Diff { only, ..Diff::default() });
    assert_eq!(shown[0].lines.len(), 1);
    assert_eq!(shown[0].lines[0].text.as_str(), Some("fn real() {"));
    assert_eq!((shown[0].added, shown[0].deleted), (2, 2), "all of the file is counted");
}

#[test]
fn all_lines_of_a_thread_are_shown() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("p.rs", &source("    let a = 1;"));
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let place = Place { span: Some(Span::lines(20, 40)), ..Place::file("p.rs") };
    ann.ask(said(Some(place), "all of these"));
    let files = against_head(&ann, Diff { context: Some(1), ..Diff::default() });
    let file = files.iter().find(|file| file.after.as_ref().and_then(|path| path.as_str()) == Some("p.rs"));
    assert_eq!(numbers(file.expect("its thread brings it")), (19..=41).collect::<Vec<u32>>());
    let none = Some(DiffExtent { from: 0, to: 0 });
    let brief = against_head(&ann, Diff { only: none, ..Diff::default() });
    let threads = brief.iter().map(|file| (file.lines.len(), file.threads.len())).collect::<Vec<_>>();
    assert_eq!(threads, [(0, 1)], "a thread whose line was not asked for is with its file");
}

#[test]
fn white_space_can_be_left_out_and_no_line_is_lost() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("s.txt", "one\ntwo\nthree\n  ");
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    repo.write("s.txt", "one \n\ttwo\r\nthree\nfour\n\n");
    let counted = |ignore_space: bool| {
        let file = against_head(&ann, Diff { ignore_space, context: Some(9), ..Diff::default() }).remove(0);
        (file.added, file.deleted, numbers(&file))
    };
    assert_eq!(counted(false), (4, 3, vec![1, 2, 3, 4, 5]));
    assert_eq!(counted(true), (1, 0, vec![1, 2, 3, 4, 5]));
}

#[test]
fn what_a_program_wrote_is_told_by_attributes_and_by_name() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    repo.write(".gitattributes", "made.txt linguist-generated\nmine.lock -linguist-generated\n");
    for path in ["Cargo.lock", "made.txt", "mine.lock", "plain.txt"] {
        repo.write(path, "x\n");
    }
    let files = against_head(&ann, Diff { untracked: true, ..Diff::default() });
    let generated = files.iter().filter(|file| file.generated).filter_map(|file| file.after.as_ref());
    assert_eq!(generated.filter_map(|path| path.as_str()).collect::<Vec<_>>(), ["Cargo.lock", "made.txt"]);
}

#[test]
fn a_change_is_known_again_where_other_lines_moved_it() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    repo.commit("p.rs", &source("    let a = 1;"));
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let change = |ignore_space: bool| {
        let asked = Diff { ignore_space, ..Diff::default() };
        against_head(&ann, asked).remove(0).change.expect("it is told")
    };
    repo.write("p.rs", source("    let b = 2;"));
    let seen = change(false);
    assert_eq!(change(true), seen, "with white space or without");
    repo.write("p.rs", source("    let b = 3;"));
    assert_ne!(change(false), seen);
    // More lines above, in the base too.
    repo.commit("p.rs", &format!("// above\n{}", source("    let a = 1;")));
    repo.write("p.rs", format!("// above\n{}", source("    let b = 2;")));
    assert_eq!(change(false), seen);
}

#[test]
fn a_diff_with_a_limit_is_whole_when_it_is_asked_for_part_by_part() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let lines = |word: &str| (0..900).map(|number| format!("{word} {number}\n")).collect::<String>();
    for path in ["a.txt", "b.txt", "c.txt"] {
        repo.commit(path, &lines("old"));
    }
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    let place = |path: &str, line: u32| Place { span: Some(Span::lines(line, line)), ..Place::file(path) };
    for (path, line) in [("a.txt", 2), ("b.txt", 500), ("b.txt", 700)] {
        ann.ask(said(Some(place(path, line)), "why?"));
    }
    for path in ["a.txt", "b.txt", "c.txt"] {
        repo.write(path, lines("new"));
    }
    let whole = against_head(&ann, Diff::default());
    let limit = |lines: u32, from: u32| Some(DiffLimit { lines, line_bytes: 100, from, threads: 0 });
    let first = against_head(&ann, Diff { limit: limit(200, 0), ..Diff::default() });
    let facts = |files: &[DiffFile]| {
        files
            .iter()
            .map(|file| (file.after.clone(), file.added, file.deleted, file.total))
            .collect::<Vec<_>>()
    };
    assert_eq!(facts(&first), facts(&whole), "all files are there, and counted");
    assert!((200..700).contains(&first[0].lines.len()) && first[1].lines.is_empty());
    assert_eq!(first[1].left.map(|left| (left.lines, left.open)), Some((1800, 2)));
    assert_eq!(first.iter().map(|file| file.threads.len()).sum::<usize>(), 0, "what is left out is counted");
    for file in &whole {
        let path = file.after.clone().unwrap();
        let (mut lines, mut from) = (Vec::new(), 0);
        loop {
            let asked = Diff { paths: vec![path.clone()], limit: limit(150, from), ..Diff::default() };
            let part = against_head(&ann, asked).remove(0);
            assert!(part.threads.is_empty() && part.lines.len() <= 600, "{}", part.lines.len());
            lines.extend(part.lines);
            let Some(left) = part.left else { break };
            assert!(left.from > from, "it comes to an end");
            from = left.from;
        }
        assert_eq!(lines, file.lines, "{path:?}");
    }
}

#[test]
fn a_long_line_is_cut_and_takes_the_room_of_many() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    repo.commit("long.txt", "x\n");
    repo.write("long.txt", format!("{}\n{}", "\u{e9}".repeat(1 << 19), "short\n".repeat(50)));
    let limit = Some(DiffLimit { lines: 20, line_bytes: 8_001, from: 0, threads: 0 });
    let files = against_head(&ann, Diff { limit, ..Diff::default() });
    let [_, line] = &files[0].lines[..] else { panic!("{}", files[0].lines.len()) };
    assert_eq!((line.text.as_bytes().len(), line.cut), (8_000, (1 << 20) - 8_000));
    assert!(line.text.as_str().is_some(), "no sign is cut in two");
    assert_eq!(files[0].left.map(|left| (left.from, left.lines)), Some((2, 50)));
}

#[test]
fn many_threads_on_a_line_and_on_a_file_come_part_by_part_and_a_large_one_with_its_first_words() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    repo.commit("b.txt", "1\n2\n3\n");
    repo.write("b.txt", "1\nx\n3\n");
    let place = |line: u32| Place { span: Some(Span::lines(line, line)), ..Place::file("b.txt") };
    let mut wanted = Vec::new();
    for (at, count) in [(None, 5), (Some(1), 3), (Some(2), 20), (Some(3), 1)] {
        for number in 0..count {
            let place = at.map_or(Place::file("b.txt"), place);
            wanted.push(format!("{at:?} {number}"));
            ann.ask(said(Some(place), &format!("{at:?} {number}")));
        }
    }
    let long = format!("long\n{}", "words ".repeat(20_000));
    ann.ask(said(Some(place(3)), &long));
    wanted.push("long".to_owned());
    let path = || vec!["b.txt".into()];
    let read = |lines: u32| {
        let (mut from, mut threads, mut seen, mut open) = (0, 0, Vec::new(), Vec::new());
        let mut shown = Vec::new();
        loop {
            let limit = Some(DiffLimit { lines, line_bytes: 100, from, threads });
            let file = against_head(&ann, Diff { paths: path(), limit, ..Diff::default() }).remove(0);
            let here = file.threads.iter().chain(file.lines.iter().flat_map(|line| &line.threads));
            let here: Vec<_> = here.collect();
            assert!(here.len() <= lines as usize / 8 + 3, "{} of {lines}", here.len());
            seen.extend(here.iter().map(|thread| (thread.comments[0].text.clone(), thread.cut)));
            shown.extend(file.lines.iter().map(|line| line.offset));
            let Some(left) = file.left else { break };
            open.push(left.open as usize + seen.len());
            assert!((left.from, left.threads) > (from, threads), "it comes to an end");
            (from, threads) = (left.from, left.threads);
        }
        shown.dedup();
        assert_eq!(shown, [0, 1, 2, 3]);
        assert!(open.iter().all(|count| *count == 30), "what is not there is counted: {open:?}");
        seen
    };
    for lines in [1, 8, 20, 100] {
        let seen = read(lines);
        let mut texts: Vec<&str> = seen.iter().map(|(text, _)| text.as_str()).collect();
        let cut: Vec<&str> = seen.iter().filter(|(_, cut)| *cut).map(|(text, _)| text.as_str()).collect();
        assert_eq!(cut, ["long"]);
        texts.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(texts, wanted, "each is there once");
    }
    let whole = against_head(&ann, Diff { paths: path(), ..Diff::default() }).remove(0);
    assert!(whole.lines.iter().flat_map(|line| &line.threads).all(|thread| !thread.cut));
}

#[test]
fn of_many_orphans_and_words_on_a_review_an_answer_has_the_first_and_counts_the_others() {
    let sandbox = Sandbox::in_memory();
    let repo = super::topic(&sandbox, 10);
    let service = service();
    let ann = Asker::new(&service, "ann", &repo.dir);
    repo.commit("b.txt", "gone\n");
    for number in 0..101 {
        ann.ask(said(Some(Place::file("b.txt")), &format!("lost {number}")));
    }
    ann.ask(said(None, "on the review"));
    repo.git(&["rm", "-q", "b.txt"]);
    repo.commit("c.txt", "other\n");
    let asked = |threads: u32| {
        let limit = Some(DiffLimit { lines: 0, line_bytes: 100, from: 0, threads });
        ann.ask(Diff { base: Some("HEAD".into()), limit, ..Diff::default() })
    };
    let (first, rest) = (asked(0), asked(100));
    assert_eq!(first.threads.len(), 101);
    assert!(first.files.iter().all(|file| file.threads.is_empty()), "they are in one place");
    let left = first.left.expect("some are left");
    assert_eq!((left.review.open, left.orphans.open, left.orphans.threads), (0, 1, 100));
    assert_eq!((rest.threads.len(), rest.left), (1, None));
    assert!(first.threads.iter().all(|thread| thread.id != rest.threads[0].id));
}
