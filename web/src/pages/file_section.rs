//! One file of a diff: its head, its lines in blocks, its threads between them.
//!
//! A line is one element. Its numbers and its sign are one attribute, which the style shows before the text, so that
//! they are neither copied nor found. Headings and threads stand outside of the blocks that a browser leaves out.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use postil_protocol::{DiffFile, DiffLine, DiffMark, EnclosingLine, Hex, ThreadStatus, ThreadView};

use super::code_line::push_code;
use super::file_key::{digest, key, known_path, line_id, shown, side_and_number, viewed};
use super::images::images;
use super::layout::{Layout, LineRow};
use super::prose::prose_button;
use super::shell::PageFrame;
use super::threads::{CardPlace, is_in_file, thread_card};
use crate::escape::push_text;
use crate::viewed::Viewed;

/// Lines in a block; the style has a size for each number up to this.
const BLOCK: usize = 80;

/// A file of which more lines are shown is folded at first.
const MAX_UNFOLDED_LINES: usize = 20_000;

/// So many lines more are shown at once.
const STEP: u32 = 10;

/// The section of a file.
pub(crate) fn file_section(file: &DiffFile, frame: &PageFrame<'_>) -> Markup {
    let path = known_path(file);
    let key = key(path);
    let whole: Vec<&ThreadView> = file.threads.iter().filter(|thread| is_in_file(thread)).collect();
    html! {
        section.file id={ "f-" (key) } data-key=(key) data-path=(shown(path)) data-old=(file.before.as_ref().map(shown).unwrap_or_default())
            data-digest=(digest(file)) data-hex[path.as_str().is_none()] data-change=[file.change.as_ref().map(Hex::as_str)]
            data-viewed=[viewed_word(viewed(file, frame))] data-folded[is_folded(file, frame)] aria-labelledby={ "fh-" (key) } {
            (file_head(file, &key, frame))
            div.body hidden=[is_folded(file, frame).then_some("until-found")] {
                div.whole {
                    @for thread in whole { (thread_card(thread, CardPlace::File, frame)) }
                }
                @let images = images(file, frame);
                @if let Some(images) = &images { (images) }
                @if let Some(note) = note_instead(file) {
                    @if images.is_none() || !file.binary { p.nothing { (note) } }
                } @else {
                    @let lines = CodeLines { file, key: &key, width: number_width(file), frame };
                    div class=(code_class(file, frame)) { (PreEscaped(lines.stretches(Some(file.total)))) }
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
            button.toggle type="button" data-js data-act="fold" aria-expanded=(if is_folded(file, frame) { "false" } else { "true" }) aria-label={ "Fold " (path) } {}
            span class={ "kind " (word) } title=(word) { (letter) span.vh { " " (word) } }
            h2 id={ "fh-" (key) } { @if !folder.is_empty() { span.dir { (folder) "/" } } span.name { (name) } }
            @for note in notes(file) { span.chip.note { (note) } }
            span.spacer {}
            @if !file.binary { (counts(file.added, file.deleted)) }
            span.chip.before { "changed since you viewed it" }
            (prose_button(file))
            @if frame.is_writable {
                button.act.view type="button" data-js data-act="view" title="Viewed (r)"
                    aria-pressed=(if viewed(file, frame) == Viewed::Yes { "true" } else { "false" }) { "Viewed" }
                button.act type="button" data-js data-act="file-comment" { "Comment" }
            }
        }
    }
}

/// The word for a file that was viewed.
pub(super) fn viewed_word(viewed: Viewed) -> Option<&'static str> {
    match viewed {
        Viewed::No => None,
        Viewed::Yes => Some("yes"),
        Viewed::Before => Some("before"),
    }
}

/// Whether only the head of a file is shown at first: it was viewed, a program wrote it, or it is very large.
///
/// What somebody asks about is always shown.
fn is_folded(file: &DiffFile, frame: &PageFrame<'_>) -> bool {
    let mut threads = file.threads.iter().chain(file.lines.iter().flat_map(|line| &line.threads));
    let is_long = file.lines.len() > MAX_UNFOLDED_LINES || file.generated;
    viewed(file, frame) == Viewed::Yes
        || (is_long && !threads.any(|thread| thread.status == ThreadStatus::Open))
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
    if file.generated {
        notes.push("generated".to_owned());
    }
    if file.lines.len() > MAX_UNFOLDED_LINES {
        notes.push("very large".to_owned());
    }
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

/// How many digits the numbers of a file need, whichever of its lines are shown.
fn number_width(file: &DiffFile) -> usize {
    let shown = file.lines.iter().filter_map(|line| line.before.max(line.after)).max().unwrap_or(1);
    shown.max(file.total).to_string().len().max(2)
}

/// The classes of the lines of a file.
fn code_class(file: &DiffFile, frame: &PageFrame<'_>) -> String {
    let split = if frame.layout == Layout::Split { " split" } else { "" };
    format!("code w{}{split}", number_width(file))
}

/// Some lines of a file that were left out, for a page that is open.
pub(crate) fn file_lines(file: &DiffFile, frame: &PageFrame<'_>) -> Markup {
    let key = key(known_path(file));
    let lines = CodeLines { file, key: &key, width: number_width(file), frame };
    html! {
        div class=(code_class(file, frame)) data-digest=(digest(file)) { (PreEscaped(lines.stretches(None))) }
    }
}

/// The lines of a file as they are written.
struct CodeLines<'a> {
    file: &'a DiffFile,
    key: &'a str,
    width: usize,
    frame: &'a PageFrame<'a>,
}

impl CodeLines<'_> {
    /// All lines, in blocks, with threads between them, and with gaps if it is known how many lines there are.
    fn stretches(&self, total: Option<u32>) -> String {
        let mut html = String::with_capacity(self.file.lines.len() * 110);
        let mut next = 0;
        for stretch in self.file.lines.chunk_by(|one, next| one.offset + 1 == next.offset) {
            let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else { continue };
            if total.is_some() && first.offset > next {
                push_gap(&mut html, next, first.offset, first.enclosing.as_ref(), next == 0);
            }
            self.push_stretch(&mut html, stretch);
            next = last.offset + 1;
        }
        if let Some(total) = total.filter(|total| *total > next) {
            push_gap(&mut html, next, total, None, false);
        }
        html
    }

    fn push_stretch(&self, html: &mut String, lines: &[DiffLine]) {
        let lines: Vec<&DiffLine> = lines.iter().collect();
        let mut block: Vec<LineRow<'_>> = Vec::with_capacity(BLOCK);
        for row in self.frame.layout.rows(&lines) {
            let threads = row.lines().flat_map(|line| &line.threads);
            let threads: Vec<&ThreadView> = threads.filter(|thread| is_in_file(thread)).collect();
            block.push(row);
            if block.len() == BLOCK || !threads.is_empty() {
                self.push_block(html, &mut block);
            }
            for thread in threads {
                html.push_str(&thread_card(thread, CardPlace::Line, self.frame).0);
            }
        }
        self.push_block(html, &mut block);
    }

    fn push_block(&self, html: &mut String, block: &mut Vec<LineRow<'_>>) {
        if block.is_empty() {
            return;
        }
        let _ = write!(html, "<div class=\"b n{}\">", block.len());
        for row in block.drain(..) {
            for line in row.lines() {
                if self.frame.layout == Layout::Split && line.mark == DiffMark::Kept {
                    self.push_copy(html, line);
                }
                self.push_diff_line(html, line);
            }
        }
        html.push_str("</div>");
    }

    /// An unchanged line on the old side of a split.
    fn push_copy(&self, html: &mut String, line: &DiffLine) {
        let width = self.width;
        let before = line.before.unwrap_or_default();
        let _ = write!(html, "<p aria-hidden=true data-n=\"{before:>width$}   \">");
        push_code(html, line.text.as_bytes(), &line.words, &line.syntax);
        html.push_str("</p>");
    }

    fn push_diff_line(&self, html: &mut String, line: &DiffLine) {
        let width = self.width;
        let (class, sign) = match line.mark {
            DiffMark::Kept => ("", ' '),
            DiffMark::Added => (" class=a", '+'),
            DiffMark::Deleted => (" class=d", '\u{2212}'),
        };
        let (side, number) = side_and_number(line);
        let id = line_id(self.key, side, number);
        let end = if line.no_newline { " data-eof" } else { "" };
        let _ = write!(html, "<div{class} id={id}{end} data-n=\"");
        let shown = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        let _ = match self.frame.layout {
            Layout::Split => write!(html, "{number:>width$} {sign} \">"),
            Layout::Unified => {
                // A deleted line has no number of its own in the head, and an added one none in the base.
                let (before, after) = match line.mark {
                    DiffMark::Kept => (shown(line.before), shown(line.after)),
                    DiffMark::Added => (String::new(), shown(line.after)),
                    DiffMark::Deleted => (shown(line.before), String::new()),
                };
                write!(html, "{before:>width$} {after:>width$} {sign} \">")
            }
        };
        push_code(html, line.text.as_bytes(), &line.words, &line.syntax);
        html.push_str("</div>");
    }
}

/// Lines that did not change and are not shown.
fn push_gap(html: &mut String, from: u32, to: u32, inside: Option<&EnclosingLine>, is_first: bool) {
    let count = to - from;
    let what = if count == 1 { "unchanged line" } else { "unchanged lines" };
    let _ = write!(html, "<div class=gap data-from={from} data-to={to}>");
    if count > STEP * 2 && !is_first {
        let _ = write!(html, "<button type=button data-act=expand data-side=top>+{STEP} below</button>");
    }
    let _ = write!(html, "<button type=button data-act=expand>Show {count} {what}</button>");
    if let Some(inside) = inside {
        let _ = write!(html, "<button type=button data-act=expand data-at={}>Up to ", inside.offset);
        push_text(html, &String::from_utf8_lossy(inside.text.as_bytes()));
        html.push_str("</button>");
    }
    html.push_str("</div>");
}
