//! A list of threads for a person at a terminal: the file once, then a row for each thread, in columns.
//!
//! A pipe gets one line for each thread instead (`Screen::listed`), which scripts rely on.

use std::collections::BTreeMap;

use postil_protocol::{
    ByteText, ListOrder, PlaceState, SeverityView, StatusReply, ThreadLine, ThreadRow, ThreadStatus,
};

use super::{Flags, NOT_HERE};
use crate::failure::Failure;
use crate::render::colour::Ink;
use crate::render::message_words::message_heading;
use crate::render::screen::Screen;
use crate::render::site::CommentedOn;
use crate::render::{position_words, review, when};
use crate::sanitize;

/// A name is cut to so many columns.
const AUTHOR_COLUMNS: usize = 12;

/// A file that is in its row gets this part of the terminal at most, but so many columns at least.
const PLACE_SHARE: usize = 4;
const PLACE_COLUMNS: usize = 16;

/// So much of the text is shown at least, however narrow the terminal is.
const TEXT_COLUMNS: usize = 16;

/// A terminal with so many columns has one for the state.
const WIDE: usize = 100;

/// Marks a thread in which something is unread.
const UNREAD: &str = "•";

/// The word for what is not shared yet.
const DRAFT: &str = "draft";

/// The words for places that are lost, or may be.
const OUTDATED: &str = "outdated";
const ORPHANED: &str = "orphaned";

/// The rows of a list, and how wide their columns are.
struct ThreadTable<'a> {
    rows: Vec<TableRow<'a>>,
    columns: ColumnWidths,
}

/// A thread in its columns.
struct TableRow<'a> {
    thread: &'a ThreadLine,
    unread: bool,
    lines: String,
    severity: String,
    state: Option<(Ink, &'static str)>,
    author: String,
    age: String,
    replies: String,
}

/// The widest of each column; 0 if it is empty everywhere.
#[derive(Default)]
struct ColumnWidths {
    id: usize,
    lines: usize,
    severity: usize,
    state: usize,
    author: usize,
    age: usize,
    replies: usize,
    /// Whether the files are in the rows, beside the lines.
    has_files: bool,
}

impl Screen {
    /// Threads in the order of a list, as a table.
    pub fn thread_table(
        &mut self,
        threads: &[ThreadLine],
        order: ListOrder,
        now: u64,
    ) -> Result<(), Failure> {
        let table = ThreadTable::new(self, threads, order, now);
        let mut file: Option<String> = None;
        for row in &table.rows {
            if order == ListOrder::File {
                let heading = self.heading(row.thread);
                if file.as_ref() != Some(&heading) {
                    if file.is_some() {
                        self.line("")?;
                    }
                    let room = self.width().unwrap_or(usize::MAX);
                    self.line(self.ink(Ink::Place, sanitize::fit_end(&heading, room)))?;
                    file = Some(heading);
                }
            }
            self.table_row(row, &table.columns)?;
        }
        Ok(())
    }

    /// What all threads of the branch come to, below a list of `shown` of them.
    pub fn thread_counts(&mut self, shown: u32, reply: &StatusReply) -> Result<(), Failure> {
        let mut told = Vec::new();
        if shown != reply.threads.open {
            told.push(self.ink(Ink::Strong, position_words::count(shown, "thread", "threads")));
        }
        let unsent = reply.remotes.iter().map(|remote| remote.unsent).max().unwrap_or(0);
        let kinds = [
            (reply.threads.open, Ink::Strong, "open", "open"),
            (reply.blockers, Ink::Bad, "blocker", "blockers"),
            (reply.unread, Ink::Strong, "unread", "unread"),
            (reply.drafts, Ink::Doubt, "draft", "drafts"),
            (unsent, Ink::Doubt, "unsent", "unsent"),
        ];
        let kinds: Vec<String> = kinds
            .into_iter()
            .filter(|(count, ..)| *count > 0)
            .map(|(count, ink, one, many)| self.ink(ink, position_words::count(count, one, many)))
            .collect();
        if !kinds.is_empty() {
            let kinds = kinds.join(", ");
            told.push(if told.is_empty() { kinds } else { format!("on this branch {kinds}") });
        }
        self.line("")?;
        self.line(told.join("; "))
    }

    /// Where the threads of a group are.
    fn heading(&self, thread: &ThreadLine) -> String {
        let Some(path) = &thread.path else {
            if let Some(message) = &thread.message {
                return message_heading(&message.commit, &message.subject);
            }
            let branch = thread.branch.as_ref().map(|branch| review::branch(branch.as_bytes()));
            return branch
                .map_or_else(|| "the review".to_owned(), |branch| format!("the review of {branch}"));
        };
        self.naming.path(path)
    }

    fn table_row(&mut self, row: &TableRow<'_>, columns: &ColumnWidths) -> Result<(), Failure> {
        let mut line = if row.unread { self.ink(Ink::Strong, UNREAD) + " " } else { "  ".to_owned() };
        let mut used = 2;
        let mut put = |screen: &Self, ink: Ink, text: &str, width: usize, is_right: bool| {
            if width == 0 {
                return;
            }
            let blanks = " ".repeat(width.saturating_sub(sanitize::width(text)));
            let text = if text.is_empty() { String::new() } else { screen.ink(ink, text) };
            let (first, second) = if is_right { (blanks, text) } else { (text, blanks) };
            line.extend([first.as_str(), &second, "  "]);
            used += width + 2;
        };
        put(self, Ink::Id, &row.thread.short, columns.id, false);
        put(self, Ink::Place, &row.lines, columns.lines, !columns.has_files);
        put(self, severity_ink(row.thread.severity.as_ref()), &row.severity, columns.severity, false);
        let (ink, state) = row.state.unwrap_or((Ink::Faint, ""));
        put(self, ink, state, columns.state, false);
        put(self, Ink::Person, &row.author, columns.author, false);
        put(self, Ink::Faint, &row.age, columns.age, true);
        put(self, Ink::Faint, &row.replies, columns.replies, true);
        let room = self.width().map_or(usize::MAX, |width| width.saturating_sub(used).max(TEXT_COLUMNS));
        let text = self.row_text(row, columns, room);
        self.line(format!("{line}{text}").trim_end())?;
        let Some(doubt) = &row.thread.doubt else { return Ok(()) };
        let most = match doubt.position.state {
            PlaceState::Outdated => 1,
            PlaceState::Orphaned => super::LINES_IN_LIST,
            // The word in the row says enough.
            PlaceState::Anchored | PlaceState::Shifted if !self.is_verbose() => return Ok(()),
            PlaceState::Anchored | PlaceState::Shifted => 0,
        };
        let indent = " ".repeat(2 + columns.id + 2);
        let Some(on) = CommentedOn::of_doubt(doubt) else { return Ok(()) };
        if let Some(said) = position_words::position(&self.naming, &doubt.position, on) {
            let is_outdated = doubt.position.state == PlaceState::Outdated;
            let said = if is_outdated { format!("{OUTDATED}: {said}") } else { said };
            let room = self.width().map_or(usize::MAX, |width| width.saturating_sub(indent.len()));
            for part in sanitize::wrap(&said, room) {
                self.line(format!("{indent}{}", self.ink(position_words::ink(doubt.position.state), part)))?;
            }
        }
        self.was(&doubt.position, on, &indent, most)
    }

    /// The first line of a thread with what is to be said of it, cut to fit.
    fn row_text(&self, row: &TableRow<'_>, columns: &ColumnWidths, room: usize) -> String {
        let thread = row.thread;
        let (mut told, mut used) = (String::new(), 0);
        let mut tell = |ink: Ink, flag: &str| {
            let width = sanitize::width(flag) + 1;
            // Half of the room is for the words, but for what forbids.
            if used + width <= room / 2 || ink == Ink::Bad {
                told.push_str(&self.ink(ink, flag));
                told.push(' ');
                used += width;
            }
        };
        let is_told = |word: &str| row.state.is_some_and(|(_, told)| told == word);
        // What became of the place is told below the row.
        let is_inline = columns.state == 0 && !is_told(OUTDATED) && !is_told(ORPHANED);
        if let Some((ink, word)) = row.state.filter(|_| is_inline) {
            tell(ink, &format!("({word})"));
        }
        if thread.draft && !is_told(DRAFT) {
            tell(Ink::Doubt, "(draft)");
        }
        Flags::of_line(thread).each_besides_columns(tell);
        let text = match &thread.author {
            Some(_) => sanitize::line(thread.text.as_bytes()),
            None => NOT_HERE.to_owned(),
        };
        told + &sanitize::fit(&text, room.saturating_sub(used))
    }
}

impl<'a> ThreadTable<'a> {
    fn new(screen: &Screen, threads: &'a [ThreadLine], order: ListOrder, now: u64) -> Self {
        let names = ShortNames::of(threads);
        let row = |thread: &'a ThreadLine| {
            let row = thread.row.as_deref().cloned().unwrap_or_default();
            let ThreadRow { updated, unread, .. } = row;
            TableRow {
                thread,
                unread,
                lines: place(screen, thread, order),
                severity: thread.severity.as_ref().map(word).unwrap_or_default(),
                state: state(thread),
                author: names.shorten(thread),
                age: when::age(updated, now),
                replies: if thread.replies > 0 { format!("+{}", thread.replies) } else { String::new() },
            }
        };
        let rows: Vec<TableRow<'a>> = threads.iter().map(row).collect();
        let widest = |text: &dyn Fn(&TableRow<'a>) -> usize| rows.iter().map(text).max().unwrap_or(0);
        let columns = ColumnWidths {
            id: widest(&|row| row.thread.short.len()),
            lines: widest(&|row| sanitize::width(&row.lines)),
            severity: widest(&|row| sanitize::width(&row.severity)),
            // On a narrow terminal the words need the room: the state is told with them.
            state: match screen.width() {
                Some(width) if width < WIDE => 0,
                _ => widest(&|row| row.state.map_or(0, |(_, word)| word.len())),
            },
            author: widest(&|row| sanitize::width(&row.author)),
            age: widest(&|row| row.age.len()),
            replies: widest(&|row| row.replies.len()),
            has_files: order != ListOrder::File,
        };
        Self { rows, columns }
    }
}

/// The lines of a thread; in another order than that of files, its file as well.
fn place(screen: &Screen, thread: &ThreadLine, order: ListOrder) -> String {
    let lines = thread.lines.as_ref().map(|lines| sanitize::line(lines.as_bytes())).unwrap_or_default();
    if order == ListOrder::File {
        return lines;
    }
    let file = |path: &ByteText| screen.naming.path(path);
    let file = thread.path.as_ref().map_or_else(|| screen.heading(thread), file);
    let file = match &thread.message {
        Some(message) => format!("message {}", super::short(message.commit.as_str())),
        None => file,
    };
    let place = if lines.is_empty() { file } else { format!("{file}:{lines}") };
    let room = screen.width().map_or(usize::MAX, |width| (width / PLACE_SHARE).max(PLACE_COLUMNS));
    sanitize::fit_end(&place, room)
}

/// The severity, as a column has it: the word of another program may be long.
fn word(severity: &SeverityView) -> String {
    sanitize::fit(&sanitize::line(severity.word().as_bytes()), AUTHOR_COLUMNS)
}

fn severity_ink(severity: Option<&SeverityView>) -> Ink {
    match severity {
        Some(SeverityView::Blocker) => Ink::Bad,
        Some(SeverityView::Issue | SeverityView::Question) => Ink::Strong,
        Some(SeverityView::Praise) => Ink::Good,
        _ => Ink::Faint,
    }
}

/// What has become of a thread and of its place, in one word: the one that matters most.
fn state(thread: &ThreadLine) -> Option<(Ink, &'static str)> {
    match thread.status {
        ThreadStatus::Resolved => return Some((Ink::Good, "resolved")),
        ThreadStatus::Withdrawn => return Some((Ink::Faint, "withdrawn")),
        ThreadStatus::Open => {}
    }
    let doubt = thread.doubt.as_ref();
    let place = doubt.map(|doubt| (doubt.position.state, position_words::ink(doubt.position.state)));
    match place {
        Some((PlaceState::Orphaned, ink)) => Some((ink, ORPHANED)),
        Some((PlaceState::Outdated, ink)) => Some((ink, OUTDATED)),
        _ if thread.draft => Some((Ink::Doubt, DRAFT)),
        Some((PlaceState::Shifted, ink)) => Some((ink, "shifted")),
        Some((PlaceState::Anchored, _)) if doubt.is_some_and(|doubt| doubt.position.reason == "renamed") => {
            Some((Ink::Faint, "renamed"))
        }
        Some((PlaceState::Anchored, _)) if thread.message.is_some() => Some((Ink::Faint, "rewritten")),
        Some((PlaceState::Anchored, _)) | None => None,
    }
}

/// Names as short as they are told apart.
struct ShortNames<'a>(BTreeMap<&'a str, Vec<&'a str>>);

impl<'a> ShortNames<'a> {
    fn of(threads: &'a [ThreadLine]) -> Self {
        let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for name in threads.iter().filter_map(|thread| thread.author.as_deref()) {
            let all = names.entry(first(name)).or_default();
            if !all.contains(&name) {
                all.push(name);
            }
        }
        Self(names)
    }

    /// The first name; of several people with the same, also the letter that the last one begins with.
    fn shorten(&self, thread: &ThreadLine) -> String {
        let Some(name) = thread.author.as_deref() else { return String::new() };
        let is_shared = self.0.get(first(name)).is_some_and(|all| all.len() > 1);
        let last = name.split_whitespace().skip(1).last().and_then(|last| last.chars().next());
        let short = match last.filter(|_| is_shared) {
            Some(letter) => format!("{} {letter}.", first(name)),
            None => first(name).to_owned(),
        };
        let short = sanitize::line(short.as_bytes());
        match &thread.via {
            // Whose words it may be is told by `show`; here, that they are not a person's.
            Some(via) => {
                let kind = format!(" ({})", sanitize::line(via.kind.as_bytes()));
                sanitize::fit(&(sanitize::fit(&short, AUTHOR_COLUMNS) + &kind), 2 * AUTHOR_COLUMNS)
            }
            None => sanitize::fit(&short, AUTHOR_COLUMNS),
        }
    }
}

fn first(name: &str) -> &str {
    name.split_whitespace().next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_told_apart() {
        let line = |name: &str| ThreadLine { author: Some(name.into()), ..ThreadLine::default() };
        let lines = [
            line("Ann Bell"),
            line("Ann Cole"),
            line("Ann Bell"),
            line("Bob Dean"),
            line("漢字 太郎"),
            line("Averyveryverylongname"),
            line("x\u{1b}[2J"),
        ];
        let names = ShortNames::of(&lines);
        let told: Vec<String> = lines.iter().map(|line| names.shorten(line)).collect();
        assert_eq!(told, ["Ann B.", "Ann C.", "Ann B.", "Bob", "漢字", "Averyveryve…", "x^[[2J"]);
    }
}
