//! One file of a diff: its head, its lines in blocks, its threads between them.
//!
//! A line is one element. Its numbers and its sign are one attribute, which the style shows before the text, so that
//! they are neither copied nor found. Headings and threads stand outside of the blocks that a browser leaves out.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use postil_protocol::{DiffFile, DiffLeft, DiffLine, DiffMark, EnclosingLine, Hex, ThreadStatus, ThreadView};

use super::code_line::{CodeText, colours_of, push_code};
use super::file_key::{digest, key, known_path, line_id, shown, side_and_number, viewed};
use super::images::images;
use super::layout::{Layout, LineRow};
use super::prose::prose_button;
use super::shell::{Colours, PageFrame};
use super::threads::{CardPlace, is_in_file, thread_card};
use crate::escape::push_text;
use crate::viewed::Viewed;

/// Lines in a block; the style has a size for each number up to this.
const BLOCK: usize = 80;

/// A file of which more lines are shown is folded at first.
const MAX_UNFOLDED_LINES: usize = 20_000;

/// How high a line is, in its own letters; the style says the same.
const LINE_HEIGHT: f64 = 1.6;

/// A thread takes about the room of so many lines.
const LINES_OF_A_CARD: usize = 9;

/// So many lines more are shown at once.
const STEP: u32 = 10;

/// Stands where the lines of a file go; nothing that people wrote is written so.
const LINES_HERE: &str = "<!--lines-->";

/// The section of a file, with the lines that came with it.
pub(crate) fn file_section(file: &DiffFile, frame: &PageFrame<'_>) -> String {
    let (mut html, close) = file_frame(file, frame);
    html.push_str(&first_lines(file, frame, LinesGoOn::Later));
    html + &close
}

/// What is around the lines of a file: its beginning and its end.
pub(crate) fn file_frame(file: &DiffFile, frame: &PageFrame<'_>) -> (String, String) {
    let path = known_path(file);
    let key = key(path);
    let whole: Vec<&ThreadView> = file.threads.iter().filter(|thread| is_in_file(thread)).collect();
    let section = html! {
        section.file id={ "f-" (key) } data-key=(key) data-path=(shown(path)) data-old=(file.before.as_ref().map(shown).unwrap_or_default())
            data-digest=(digest(file)) data-hex[path.as_str().is_none()] data-change=[file.change.as_ref().map(Hex::as_str)]
            data-viewed=[viewed_word(viewed(file, frame))] data-folded[is_folded(file, frame)] aria-labelledby={ "fh-" (key) } {
            (file_head(file, &key, frame))
            div class=(body_class(file)) hidden=[is_folded(file, frame).then_some("until-found")] {
                div.whole {
                    @for thread in whole { (thread_card(thread, CardPlace::File, frame)) }
                }
                @let images = images(file, frame);
                @if let Some(images) = &images { (images) }
                @if let Some(note) = note_instead(file) {
                    @if images.is_none() || !file.binary { p.nothing { (note) } }
                    (PreEscaped(LINES_HERE))
                } @else {
                    div class=(code_class(file, frame)) { (PreEscaped(LINES_HERE)) }
                }
            }
        }
    };
    let section = section.into_string();
    section
        .split_once(LINES_HERE)
        .map_or_else(|| (section.clone(), String::new()), |(open, close)| (open.to_owned(), close.to_owned()))
}

/// The classes of what is below the head of a file: browsers lay it out when it comes near, and need its size until then.
///
/// The policy allows no styles here, so the size is a class for each of its digits, in lines.
fn body_class(file: &DiffFile) -> String {
    let gaps = file.lines.windows(2).filter(|pair| pair[0].offset + 1 != pair[1].offset).count()
        + usize::from(file.lines.first().is_some_and(|first| first.offset > 0))
        + usize::from(file.lines.last().is_some_and(|last| last.offset + 1 < file.total));
    let shown: usize = file.lines.iter().map(|line| line.threads.len()).sum();
    let left = file.left.map_or(0, |left| (left.open + left.resolved) as usize);
    let threads = shown + file.threads.len() + left;
    let lines = line_count(file) + (gaps * 8).div_ceil(5) + threads * LINES_OF_A_CARD;
    // Two digits and their zeros are near enough.
    let (mut digits, mut zeros) = (lines.min(990_000), 0);
    while digits > 99 {
        (digits, zeros) = (digits.div_ceil(10), zeros + 1);
    }
    format!("body u{} t{} e{zeros}", digits % 10, digits / 10)
}

/// The classes of a block of lines: its size as well, of two digits at most.
pub(crate) fn block_class(lines: usize) -> String {
    format!("b u{} t{}", lines % 10, lines / 10)
}

/// What becomes of the lines of a file that did not come with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinesGoOn {
    /// They follow at once.
    Now,
    /// A page that is open fetches them.
    Later,
}

/// The first lines of a file.
pub(crate) fn first_lines(file: &DiffFile, frame: &PageFrame<'_>, go_on: LinesGoOn) -> String {
    let mut html = String::new();
    if note_instead(file).is_none() {
        push_lines(&mut html, file, 0, frame, go_on);
    } else if let Some(left) = file.left.filter(|_| go_on == LinesGoOn::Later) {
        push_later(&mut html, left, 0);
    }
    html
}

/// Lines of a file; those before `next` were shown before.
pub(crate) fn lines_from(file: &DiffFile, next: u32, frame: &PageFrame<'_>, go_on: LinesGoOn) -> String {
    // More of those on the whole file.
    let whole = file.threads.iter().filter(|thread| is_in_file(thread));
    let mut html: String = whole.map(|thread| thread_card(thread, CardPlace::File, frame).0).collect();
    push_lines(&mut html, file, next, frame, go_on);
    html
}

fn push_lines(html: &mut String, file: &DiffFile, next: u32, frame: &PageFrame<'_>, go_on: LinesGoOn) {
    let key = key(known_path(file));
    let lines = CodeLines { file, key: &key, width: number_width(file), frame };
    let total = if file.left.is_none() { file.total } else { 0 };
    let (lines, end) = lines.stretches(next, Some(total));
    html.push_str(&lines);
    if let Some(left) = file.left.filter(|_| go_on == LinesGoOn::Later) {
        push_later(html, left, end);
    }
}

/// The place of lines that are not there yet, as high as they will be.
fn push_later(html: &mut String, left: DiffLeft, next: u32) {
    let DiffLeft { from, lines, threads, .. } = left;
    let what = match (lines, left.open + left.resolved) {
        (0, others) => format!("{others} more threads"),
        (lines, _) => format!("{lines} more lines"),
    };
    // Of a height that is an attribute, since the policy allows no styles here.
    let height = f64::from(lines) * LINE_HEIGHT;
    let _ = write!(
        html,
        "<div class=later data-from={from} data-next={next} data-lines={lines} data-threads={threads}>\
         <p>{what}<span data-js> are on their way</span></p>\
         <svg aria-hidden=true width=1 height=\"{height:.1}em\"></svg></div>"
    );
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
    let is_long = line_count(file) > MAX_UNFOLDED_LINES || file.generated;
    let is_open = |thread: &ThreadView| thread.status == ThreadStatus::Open;
    let is_asked_about = threads.any(is_open) || file.left.is_some_and(|left| left.open > 0);
    viewed(file, frame) == Viewed::Yes || (is_long && !is_asked_about)
}

/// How many lines of a file are shown once all of them are there.
fn line_count(file: &DiffFile) -> usize {
    file.lines.len() + file.left.map_or(0, |left| left.lines as usize)
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
    if line_count(file) > MAX_UNFOLDED_LINES {
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
    if line_count(file) > 0 {
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

/// Lines of a file for a page that is open: those that were left out between others, or that come after others.
pub(crate) fn file_lines(file: &DiffFile, after: Option<u32>, frame: &PageFrame<'_>) -> String {
    let lines = match after {
        Some(next) => lines_from(file, next, frame, LinesGoOn::Later),
        None => {
            let key = key(known_path(file));
            let mut html =
                CodeLines { file, key: &key, width: number_width(file), frame }.stretches(0, None).0;
            // What did not fit is left out as before.
            if let Some(left) = file.left {
                push_gap(&mut html, left.from, left.from + left.lines, None, false);
            }
            html
        }
    };
    let code =
        html! { div class=(code_class(file, frame)) data-digest=(digest(file)) { (PreEscaped(lines)) } };
    code.into_string()
}

/// The lines of a file as they are written.
struct CodeLines<'a> {
    file: &'a DiffFile,
    key: &'a str,
    width: usize,
    frame: &'a PageFrame<'a>,
}

impl CodeLines<'_> {
    /// All lines, in blocks, with threads between them, and with gaps if it is known how many lines there are; and the
    /// offset after the last one.
    fn stretches(&self, next: u32, total: Option<u32>) -> (String, u32) {
        let mut html = String::with_capacity(self.file.lines.len() * 110);
        let mut next = next;
        // A line that was shown before has more threads.
        let known = self.file.lines.iter().take_while(|line| line.offset < next).count();
        let (known, lines) = self.file.lines.split_at(known);
        for thread in known.iter().flat_map(|line| &line.threads).filter(|thread| is_in_file(thread)) {
            html.push_str(&thread_card(thread, CardPlace::Line, self.frame).0);
        }
        for stretch in lines.chunk_by(|one, next| one.offset + 1 == next.offset) {
            let (Some(first), Some(last)) = (stretch.first(), stretch.last()) else { continue };
            if total.is_some() && first.offset > next {
                let inside = first.enclosing.as_ref().filter(|inside| inside.offset >= next);
                push_gap(&mut html, next, first.offset, inside, next == 0);
            }
            self.push_stretch(&mut html, stretch);
            next = last.offset + 1;
        }
        if let Some(total) = total.filter(|total| *total > next) {
            push_gap(&mut html, next, total, None, false);
        }
        (html, next)
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
        let _ = write!(html, "<div class=\"{}\">", block_class(block.len()));
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
        push_code(html, &self.text_of(line));
        html.push_str("</p>");
    }

    /// The text of a line, with the colours that are written into it.
    fn text_of<'l>(&self, line: &'l DiffLine) -> CodeText<'l> {
        let text = line_text(line);
        if self.frame.colours == Colours::AtOnce { text } else { CodeText { syntax: &[], ..text } }
    }

    fn push_diff_line(&self, html: &mut String, line: &DiffLine) {
        let width = self.width;
        let (class, sign) = match line.mark {
            DiffMark::Kept => ("", ' '),
            DiffMark::Added => (" class=a", '+'),
            DiffMark::Deleted => (" class=d", '\u{2212}'),
        };
        let (side, number) = side_and_number(line);
        let end = if line.no_newline { " data-eof" } else { "" };
        let _ = match line.before.or(line.after) {
            Some(_) => write!(html, "<div{class} id={}{end} data-n=\"", line_id(self.key, side, number)),
            // Neither the file nor its base has it: there is nothing to name it by.
            None => write!(html, "<div{class} data-n=\""),
        };
        let shown = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        let _ = match self.frame.layout {
            Layout::Split => {
                let number = line.before.or(line.after).map(|_| number);
                write!(html, "{:>width$} {sign} \"", shown(number))
            }
            Layout::Unified => {
                // A deleted line has no number of its own in the head, and an added one none in the base.
                let (before, after) = match line.mark {
                    DiffMark::Kept => (shown(line.before), shown(line.after)),
                    DiffMark::Added => (String::new(), shown(line.after)),
                    DiffMark::Deleted => (shown(line.before), String::new()),
                };
                write!(html, "{before:>width$} {after:>width$} {sign} \"")
            }
        };
        if self.frame.colours == Colours::WhenNear {
            let colours = colours_of(&line_text(line));
            if !colours.is_empty() {
                let _ = write!(html, " data-c={colours}");
            }
        }
        html.push('>');
        push_code(html, &self.text_of(line));
        html.push_str("</div>");
    }
}

fn line_text(line: &DiffLine) -> CodeText<'_> {
    CodeText { text: line.text.as_bytes(), cut: line.cut, words: &line.words, syntax: &line.syntax }
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
