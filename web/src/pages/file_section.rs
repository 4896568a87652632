//! One file of a diff: its head, its lines in blocks, its threads between them.
//!
//! A line is one element. Its numbers and its sign are one attribute, which the style shows before the text, so that
//! they are neither copied nor found. Headings and threads stand outside of the blocks that a browser leaves out.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use postil_protocol::{DiffFile, DiffLine, DiffMark, Side, ThreadView};

use super::code_line::push_line;
use super::file_key::{digest, key, known_path, line_id, shown, side_and_number};
use super::shell::PageFrame;
use super::thread_card::{CardPlace, thread_card};
use super::thread_groups::is_in_file;

/// Lines in a block; the style has a size for each number up to this.
const BLOCK: usize = 80;

/// The section of a file.
pub(crate) fn file_section(file: &DiffFile, frame: &PageFrame<'_>) -> Markup {
    let path = known_path(file);
    let key = key(path);
    let whole: Vec<&ThreadView> = file.threads.iter().filter(|thread| is_in_file(thread)).collect();
    html! {
        section.file id={ "f-" (key) } data-key=(key) data-path=(shown(path)) data-old=(file.before.as_ref().map(shown).unwrap_or_default())
            data-digest=(digest(file)) data-hex[path.as_str().is_none()] aria-labelledby={ "fh-" (key) } {
            (file_head(file, &key, frame))
            div.body {
                div.whole {
                    @for thread in whole { (thread_card(thread, CardPlace::File, frame)) }
                }
                @if let Some(note) = note_instead(file) {
                    p.nothing { (note) }
                } @else {
                    div class={ "code w" (number_width(file)) } { (PreEscaped(lines(file, &key, frame))) }
                }
            }
        }
    }
}

fn file_head(file: &DiffFile, key: &str, frame: &PageFrame<'_>) -> Markup {
    let path = shown(known_path(file));
    let (folder, name) = path.rsplit_once('/').map_or(("", path.as_str()), |(folder, name)| (folder, name));
    let (letter, word) = kind(file);
    html! {
        header.fh {
            button.toggle type="button" data-js data-act="fold" aria-expanded="true" aria-label={ "Fold " (path) } {}
            span class={ "kind " (word) } title=(word) { (letter) span.vh { " " (word) } }
            h2 id={ "fh-" (key) } { @if !folder.is_empty() { span.dir { (folder) "/" } } span.name { (name) } }
            @for note in notes(file) { span.chip.note { (note) } }
            span.spacer {}
            @if !file.binary { (counts(file.added, file.deleted)) }
            @if frame.is_writable { button.act type="button" data-js data-act="file-comment" { "Comment" } }
        }
    }
}

/// How many lines were added and deleted.
pub(super) fn counts(added: u32, deleted: u32) -> Markup {
    html! {
        span.counts {
            @if added > 0 { span.plus { "+" (added) } }
            @if deleted > 0 { span.minus { "\u{2212}" (deleted) } }
        }
    }
}

/// The letter and the word for what became of a file.
pub(super) fn kind(file: &DiffFile) -> (&'static str, &'static str) {
    match (&file.before, &file.after) {
        _ if file.untracked => ("U", "untracked"),
        (None, _) => ("A", "added"),
        (_, None) => ("D", "deleted"),
        (Some(before), Some(after)) if before != after => ("R", "renamed"),
        _ if file.old == file.new && file.old.is_some() => ("\u{b7}", "unchanged"),
        _ => ("M", "modified"),
    }
}

fn notes(file: &DiffFile) -> Vec<String> {
    let mut notes = Vec::new();
    if let (Some(before), Some(after)) = (&file.before, &file.after)
        && before != after
    {
        notes.push(format!("renamed from {}", shown(before)));
    }
    if let (Some(old), Some(new)) = (&file.old, &file.new)
        && old.mode != new.mode
    {
        notes.push(format!("mode {} \u{2192} {}", old.mode, new.mode));
    }
    let is_link = |mode: &str| mode == "120000";
    if [&file.old, &file.new].iter().any(|side| side.as_ref().is_some_and(|side| is_link(&side.mode))) {
        notes.push("symbolic link".to_owned());
    }
    if file.new.as_ref().is_some_and(|new| new.mode == "100755") && file.old.is_none() {
        notes.push("executable".to_owned());
    }
    notes
}

/// What is said of a file whose lines are not shown.
fn note_instead(file: &DiffFile) -> Option<&'static str> {
    if file.binary {
        return Some("Binary file: its content is not shown.");
    }
    if !file.lines.is_empty() {
        return None;
    }
    Some(match (&file.old, &file.new) {
        (Some(old), Some(new)) if old.blob == new.blob => "The content did not change.",
        (Some(_), Some(_)) => "The change is too large to be shown here.",
        _ => "The file is empty, or too large to be shown here.",
    })
}

/// How many digits the numbers of a file need.
fn number_width(file: &DiffFile) -> usize {
    let most = file.lines.iter().filter_map(|line| line.before.max(line.after)).max().unwrap_or(1);
    most.to_string().len().max(2)
}

/// All lines, in blocks, with gaps and threads between them.
fn lines(file: &DiffFile, key: &str, frame: &PageFrame<'_>) -> String {
    let width = number_width(file);
    let mut html = String::with_capacity(file.lines.len() * 90);
    let mut block: Vec<&DiffLine> = Vec::with_capacity(BLOCK);
    let mut next = 0;
    for line in &file.lines {
        if line.offset > next {
            push_block(&mut html, &mut block, key, width);
            push_gap(&mut html, next, line.offset);
        }
        next = line.offset + 1;
        block.push(line);
        let shown: Vec<&ThreadView> = line.threads.iter().filter(|thread| is_in_file(thread)).collect();
        if block.len() == BLOCK || !shown.is_empty() {
            push_block(&mut html, &mut block, key, width);
        }
        for thread in shown {
            html.push_str(&thread_card(thread, CardPlace::Line, frame).0);
        }
    }
    push_block(&mut html, &mut block, key, width);
    if file.total > next {
        push_gap(&mut html, next, file.total);
    }
    html
}

/// Lines that did not change and are not shown.
fn push_gap(html: &mut String, from: u32, to: u32) {
    let count = to - from;
    let what = if count == 1 { "unchanged line" } else { "unchanged lines" };
    let _ = write!(
        html,
        "<div class=gap data-from={from} data-to={to}><button type=button data-act=expand>Show {count} {what}</button></div>"
    );
}

fn push_block(html: &mut String, block: &mut Vec<&DiffLine>, key: &str, width: usize) {
    if block.is_empty() {
        return;
    }
    let _ = write!(html, "<div class=\"b n{}\">", block.len());
    for line in block.drain(..) {
        push_diff_line(html, line, key, width);
    }
    html.push_str("</div>");
}

fn push_diff_line(html: &mut String, line: &DiffLine, key: &str, width: usize) {
    let (class, sign) = match line.mark {
        DiffMark::Kept => ("", ' '),
        DiffMark::Added => (" class=a", '+'),
        DiffMark::Deleted => (" class=d", '\u{2212}'),
    };
    let (side, number) = side_and_number(line);
    let id = line_id(key, side, number);
    let shown = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
    // A deleted line has no number of its own in the head, and an added one none in the base.
    let (before, after) = match line.mark {
        DiffMark::Kept => (shown(line.before), shown(line.after)),
        DiffMark::Added => (String::new(), shown(line.after)),
        DiffMark::Deleted => (shown(line.before), String::new()),
    };
    let _ = write!(html, "<div{class} id={id} data-n=\"{before:>width$} {after:>width$} {sign} \">");
    push_line(html, line.text.as_bytes(), &line.words);
    html.push_str("</div>");
    if line.no_newline {
        let side = if side == Side::Old { " old" } else { "" };
        let _ = write!(html, "<p class=\"eof{side}\">No newline at the end of the file</p>");
    }
}
