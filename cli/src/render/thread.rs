//! Threads: one line each in a list, or one of them whole.

mod code;
mod format;
mod markdown;
mod styled;
mod table;

pub use format::{ThreadFormat, format_help};

use std::fmt::Write as _;
use std::ops::Range;

use postil_protocol::{
    ByteText, CommentView, DoneReply, ListReply, PlaceState, PositionView, ProposalStatus, ProposalView,
    PublishReply, SeverityView, ShowReply, Side, SignatureView, SuggestionState, SyntaxView, ThreadLine,
    ThreadStatus, ThreadView, WarningView, WrittenReply,
};

use anstyle::Style;
use code::{carets, code_line, marked_part};
use markdown::{MarkdownLook, markdown};

use super::change;
use super::colour::Ink;
use super::message_words::message_heading;
use super::screen::Screen;
use super::site::{CommentedOn, ShownSite};
use super::{person, position_words, review, signature, when};
use crate::failure::Failure;
use crate::{advice, sanitize};

/// Of what a comment was on, so many lines are shown in a list.
pub const LINES_IN_LIST: usize = 3;

/// Of what a comment was on, so many lines are shown with the whole thread.
const LINES_IN_THREAD: usize = 20;

/// Shown instead of a first comment that is not in this repository.
pub(super) const NOT_HERE: &str = "(the first comment is missing)";

impl Screen {
    /// What is to be said when all threads of a list were shown.
    pub fn listed_all(&mut self, reply: &ListReply, shown: u32) {
        if reply.resolving {
            self.print_message("note: HEAD has just moved; positions are not updated yet");
        }
        if shown == 0 {
            self.print_message("nothing to show");
            if let Some(hint) = reply.advice.as_ref().and_then(advice::hint) {
                self.print_message(format!("hint: {}", sanitize::line(hint.as_bytes())));
            }
        } else if reply.next.is_some() {
            let more = reply.total.saturating_sub(shown);
            self.print_message(format!("note: {more} more not shown; use a higher `--limit`"));
        }
        self.warnings(&reply.warnings);
        if reply.elsewhere > 0 && self.is_verbose() {
            let elsewhere = position_words::count(reply.elsewhere, "thread", "threads");
            self.print_message(format!("note: {elsewhere} on other branches; use `--all` to show them"));
        }
    }

    /// What may become wrong, or went wrong after something was written.
    pub fn warnings(&mut self, warnings: &[WarningView]) {
        for warning in warnings {
            self.print_message(format!("warning: {}", sanitize::line(advice::warning(warning).as_bytes())));
        }
    }

    /// One thread of a list.
    pub fn listed(&mut self, thread: &ThreadLine) -> Result<(), Failure> {
        if self.is_plain() && thread.doubt.is_none() {
            let line = self.listed_plainly(thread);
            return self.lines(&line);
        }
        let mut place = String::new();
        self.push_place(&mut place, thread);
        let mut line = format!("{}  {}", self.ink(Ink::Id, &thread.short), self.ink(Ink::Place, &place));
        let mut used = thread.short.len() + 2 + sanitize::width(&place);
        for (ink, flag) in Flags::of_line(thread).pieces() {
            used += 2 + sanitize::width(&flag);
            line.push_str("  ");
            line.push_str(&self.ink(ink, flag));
        }
        let told = match &thread.author {
            Some(name) => {
                let name = sanitize::line(name.as_bytes()) + &person::role(thread.via.as_deref());
                format!("{name}: {}", sanitize::line(thread.text.as_bytes()))
            }
            None => NOT_HERE.to_owned(),
        };
        let replies = match thread.replies {
            0 => String::new(),
            count => format!("  [{}]", position_words::count(count, "reply", "replies")),
        };
        let room =
            self.width().map(|width| width.saturating_sub(used + 2 + sanitize::width(&replies)).max(20));
        let told = room.map_or_else(|| told.clone(), |room| sanitize::fit(&told, room));
        self.line(format!("{line}  {told}{}", self.ink(Ink::Faint, replies)))?;
        let Some(doubt) = &thread.doubt else { return Ok(()) };
        let indent = " ".repeat(thread.short.len() + 2);
        match CommentedOn::of_doubt(doubt) {
            Some(on) => self.doubts(&doubt.position, on, &indent, LINES_IN_LIST),
            None => Ok(()),
        }
    }

    /// One thread of a list whose place needs no word, without colours and as wide as it is, with the end of the line:
    /// most of a long one.
    fn listed_plainly(&self, thread: &ThreadLine) -> String {
        let mut line = String::with_capacity(160);
        line.push_str(&thread.short);
        line.push_str("  ");
        self.push_place(&mut line, thread);
        Flags::of_line(thread).each(|_, flag| {
            line.push_str("  ");
            line.push_str(flag);
        });
        line.push_str("  ");
        match &thread.author {
            Some(name) => {
                sanitize::push_line(&mut line, name.as_bytes());
                line.push_str(&person::role(thread.via.as_deref()));
                line.push_str(": ");
                sanitize::push_line(&mut line, thread.text.as_bytes());
            }
            None => line.push_str(NOT_HERE),
        }
        if thread.replies > 0 {
            let _ = write!(line, "  [{}]", position_words::count(thread.replies, "reply", "replies"));
        }
        line.push('\n');
        line
    }

    /// The place of a thread of a list.
    fn push_place(&self, line: &mut String, thread: &ThreadLine) {
        if let Some(message) = &thread.message {
            line.push_str("message of ");
            line.push_str(short(message.commit.as_str()));
            if let Some(lines) = &thread.lines {
                line.push(':');
                sanitize::push_line(line, lines.as_bytes());
            }
            return;
        }
        let Some(path) = &thread.path else {
            line.push_str("(review");
            if let Some(branch) = &thread.branch {
                line.push(' ');
                line.push_str(&review::branch(branch.as_bytes()));
            }
            return line.push(')');
        };
        self.naming.push_path(line, path);
        if let Some(lines) = &thread.lines {
            line.push(':');
            sanitize::push_line(line, lines.as_bytes());
        }
        let anchor = thread.doubt.as_ref().and_then(|doubt| doubt.anchor.as_ref());
        if anchor.is_some_and(|anchor| anchor.side == Side::Old) {
            line.push_str(" (old)");
        }
    }

    /// What is to be said about where a thread is, and what it was about where that is lost.
    fn doubts(
        &mut self,
        position: &PositionView,
        on: CommentedOn<'_>,
        indent: &str,
        most: usize,
    ) -> Result<(), Failure> {
        if let Some(said) = position_words::position(&self.naming, position, on) {
            let room = self.width().map_or(usize::MAX, |width| width.saturating_sub(indent.len()));
            for part in sanitize::wrap(&said, room) {
                self.line(format!("{indent}{}", self.ink(position_words::ink(position.state), part)))?;
            }
        }
        self.was(position, on, indent, most)
    }

    /// The original lines of a thread, if they differ from the current ones.
    pub fn was(
        &mut self,
        position: &PositionView,
        on: CommentedOn<'_>,
        indent: &str,
        most: usize,
    ) -> Result<(), Failure> {
        if matches!(position.state, PlaceState::Outdated | PlaceState::Orphaned) {
            if let Some(quote) = on.quote() {
                let quote = sanitize::line(quote.replace('\n', " ").as_bytes());
                return self.line(format!("{indent}{}", self.ink(Ink::Faint, format!("was \"{quote}\""))));
            }
            // In a list a line is a line; a whole thread has whole lines.
            let room = self.width().filter(|_| most <= LINES_IN_LIST);
            let room = room.map_or(usize::MAX, |width| width.saturating_sub(indent.len()).max(20));
            for line in on.lines().iter().take(most) {
                let was = sanitize::fit(&format!("was | {}", line_text(line.as_ref())), room);
                self.line(format!("{indent}{}", self.ink(Ink::Faint, was)))?;
            }
            if on.lines().len() > most {
                let rest = on.lines().len() - most;
                self.line(format!("{indent}{}", self.ink(Ink::Faint, format!("was | … {rest} more"))))?;
            }
        }
        Ok(())
    }

    /// One thread whole.
    pub fn show(&mut self, reply: &ShowReply) -> Result<(), Failure> {
        let thread = &reply.thread;
        let place = self.place_of(thread);
        let mut head = format!(
            "{}  {}",
            self.ink(Ink::Id, format!("thread {}", thread.id)),
            self.ink(Ink::Place, place)
        );
        head.push_str(&self.flags(thread));
        self.line(head)?;
        if let Some(review) = &reply.review {
            let title = sanitize::line(review.title.as_bytes());
            self.line(format!("review {}  {title}", self.ink(Ink::Id, &review.short)))?;
        }
        let site = thread.position.as_ref().and_then(|position| position.message.as_ref());
        if let Some(site) = site {
            let heading = message_heading(&site.commit, &site.subject);
            self.line(self.ink(Ink::Faint, heading))?;
        }
        if let (Some(position), Some(on)) = (&thread.position, CommentedOn::of(thread)) {
            self.doubts(position, on, "", LINES_IN_THREAD)?;
        }
        if let Some(position) = &thread.position {
            for (at, candidate) in position.candidates.iter().enumerate() {
                let site = self.naming.site(ShownSite::perhaps(candidate));
                let sure = position_words::confidence(candidate.confidence.per_mille());
                let hint = format!("  {}  {site}  ({sure})", at + 1);
                self.line(self.ink(Ink::Faint, hint))?;
            }
            self.lines_now(reply, position)?;
        }
        self.thread_story(thread, &reply.timeline)
    }

    /// Where a thread is, as far as a line says it.
    pub(super) fn place_of(&self, thread: &ThreadView) -> String {
        position_words::place(&self.naming, thread.position.as_ref(), CommentedOn::of(thread))
    }

    /// The remarks on a thread after its place, each after two spaces.
    pub fn flags(&self, thread: &ThreadView) -> String {
        let told = Flags::of(thread).pieces().into_iter();
        told.map(|(ink, flag)| format!("  {}", self.ink(ink, flag))).collect()
    }

    /// The lines of a thread and those around them; for an orphan, those at its old place.
    fn lines_now(&mut self, reply: &ShowReply, position: &PositionView) -> Result<(), Failure> {
        let (mut start, mut end, mut mark) = (position.start, position.end, '>');
        if position.state == PlaceState::Orphaned {
            let Some(stood) = position.candidates.first().filter(|_| !reply.lines.is_empty()) else {
                return Ok(());
            };
            let site = self.naming.site(ShownSite::perhaps(stood));
            let heading = format!("{}: {site}", position_words::first_candidate(position));
            self.line(self.ink(Ink::Doubt, heading))?;
            (start, end, mark) = (stood.start, stood.end, '?');
        }
        let range = if mark == '>' { position.range } else { None };
        for (at, (number, text)) in reply.lines.iter().enumerate() {
            let is_meant =
                start.is_some_and(|start| start <= *number) && end.is_some_and(|end| *number <= end);
            let syntax = reply.syntax.get(at).map(Vec::as_slice).unwrap_or_default();
            let part = marked_part(range, *number, text.as_bytes());
            self.source_line((*number, text.as_bytes()), is_meant.then_some(mark), syntax, part)?;
        }
        Ok(())
    }

    /// A line of source with its number; around what is meant, it is of less weight.
    fn source_line(
        &mut self,
        (number, text): (u32, &[u8]),
        mark: Option<char>,
        syntax: &[SyntaxView],
        part: Option<Range<usize>>,
    ) -> Result<(), Failure> {
        let gutter = format!("{} {number:>6} | ", mark.unwrap_or(' '));
        if !self.is_coloured() {
            self.line(format!("{gutter}{}", sanitize::line(text)))?;
            return match part.and_then(|part| carets(text, &part)) {
                Some(carets) => self.line(format!("{}| {carets}", " ".repeat(gutter.len() - 2))),
                None => Ok(()),
            };
        }
        let base = if mark.is_some() { Style::new() } else { Style::new().dimmed() };
        let gutter = if mark.is_some() { gutter } else { self.ink(Ink::Faint, gutter) };
        self.line(format!("{gutter}{}", code_line(text, syntax, base, part).written(true)))
    }

    /// One comment, whole.
    pub fn comment(&mut self, comment: &CommentView, thread: &ThreadView) -> Result<(), Failure> {
        let name = person::name(&comment.author);
        let email = person::email(&comment.author);
        let mut head = format!("{}{email}, {}", self.ink(Ink::Person, name), when::date_time(comment.at));
        if comment.id != thread.id {
            let _ = write!(head, "  {}", self.ink(Ink::Id, &comment.short));
        }
        let marks = [
            (comment.edited.is_some(), "edited"),
            (comment.withdrawn, "withdrawn"),
            (comment.draft, "draft"),
            (comment.suggests, "suggestion"),
            (comment.proposals > 0, "edits proposed"),
        ];
        for (_, mark) in marks.iter().filter(|(is, _)| *is) {
            head.push_str(&self.ink(Ink::Faint, format!("  ({mark})")));
        }
        if let Some((ink, told)) = signature::long(comment.signature.as_ref()) {
            head.push_str(&self.ink(ink, format!("  ({told})")));
        }
        self.line(head)?;
        self.text(&comment.text, "    ")?;
        for proposed in &comment.proposed {
            let name = person::name(&proposed.author);
            let when = when::date_time(proposed.at);
            self.line(format!("    {} proposes, {when}:", self.ink(Ink::Person, name)))?;
            self.text(&proposed.text, "        ")?;
        }
        self.suggestion(comment)
    }

    /// The text of a comment: at a terminal its Markdown is rendered, and wrapped to the width; elsewhere it is raw.
    fn text(&mut self, text: &str, indent: &str) -> Result<(), Failure> {
        if let Some(width) = self.width() {
            let room = width.saturating_sub(indent.len());
            let look = MarkdownLook { room, is_coloured: self.is_coloured(), can_link: self.can_link() };
            if let Some(lines) = markdown(text, look) {
                return lines.iter().try_for_each(|line| {
                    let written = line.written(look.is_coloured);
                    self.line(format!("{indent}{written}").trim_end())
                });
            }
        }
        self.text_behind((indent.to_owned(), indent.len()), text, indent)
    }

    /// The same, with words of a known width before the first line.
    pub(super) fn text_behind(
        &mut self,
        (mut before, mut taken): (String, usize),
        text: &str,
        indent: &str,
    ) -> Result<(), Failure> {
        let mut is_code = false;
        for line in sanitize::paragraph(text) {
            // Code is not words: it stays as it is.
            is_code ^= line.trim_start().starts_with("```");
            let room = self.width().filter(|_| !is_code);
            let room = room.map_or(usize::MAX, |width| width.saturating_sub(taken));
            for part in sanitize::wrap(&line, room) {
                self.line(format!("{before}{part}").trim_end())?;
                (before, taken) = (indent.to_owned(), indent.len());
            }
        }
        Ok(())
    }

    /// What a thread is called and where, after something was done to it.
    pub fn named(&mut self, word: &str, thread: &ThreadView) -> Result<(), Failure> {
        let place = self.place_of(thread);
        self.line(format!("{word} {} {}", self.ink(Ink::Id, &thread.short), self.ink(Ink::Place, place)))
    }

    /// What became of threads whose status was set: `word`, or `same` if they had it already.
    pub fn status_set(&mut self, word: &str, same: &str, reply: &DoneReply) -> Result<(), Failure> {
        for thread in &reply.threads {
            let was_so = reply.unchanged.iter().any(|unchanged| unchanged.of == thread.id);
            self.named(if was_so { same } else { word }, thread)?;
        }
        self.saved_as_reply(reply);
        Ok(())
    }

    /// Where the reasons are that no status carries.
    pub fn saved_as_reply(&mut self, reply: &DoneReply) {
        let comments = || reply.threads.iter().flat_map(|thread| &thread.comments);
        for id in reply.unchanged.iter().filter_map(|unchanged| unchanged.reply.as_ref()) {
            let short = comments().find(|comment| comment.id == *id).map(|comment| comment.short.as_str());
            let name = short.unwrap_or(id.as_str());
            self.print_message(format!("note: your message was saved as reply {name}"));
        }
    }

    /// What a comment of a thread is called, after something was done to it.
    pub fn named_comment(&mut self, word: &str, id: &str, thread: &ThreadView) -> Result<(), Failure> {
        let comment = thread.comments.iter().find(|comment| comment.id.as_str() == id);
        let short = comment.map_or(&thread.short, |comment| &comment.short);
        let place = self.place_of(thread);
        self.line(format!("{word} {} {}", self.ink(Ink::Id, short), self.ink(Ink::Place, place)))
    }

    /// The comments that were published, each with its place and its first line.
    pub fn published(&mut self, reply: &PublishReply) -> Result<(), Failure> {
        let is_published = |comment: &&CommentView| reply.published.contains(&comment.id);
        let mut listed = 0;
        for thread in &reply.threads {
            for comment in thread.comments.iter().filter(is_published) {
                listed += 1;
                let place = self.place_of(thread);
                let text = sanitize::line(comment.text.lines().next().unwrap_or_default().as_bytes());
                let (id, place) = (self.ink(Ink::Id, &comment.short), self.ink(Ink::Place, place));
                let reply = if comment.parent.is_some() { "reply: " } else { "" };
                self.line(format!("  {id} {place}  {reply}{text}"))?;
            }
            for proposal in thread.proposals.iter().filter(|one| reply.published.contains(&one.id)) {
                listed += 1;
                let place = self.place_of(thread);
                let what = match proposal {
                    ProposalView { place: Some(_), .. } | ProposalView { message: Some(_), .. } => "a place",
                    ProposalView { obsolete: true, .. } => "as obsolete",
                    _ => "as done",
                };
                let text = sanitize::line(proposal.text.lines().next().unwrap_or_default().as_bytes());
                let text = if text.is_empty() { text } else { format!(": {text}") };
                let (id, place) = (self.ink(Ink::Id, &thread.short), self.ink(Ink::Place, place));
                self.line(format!("  {id} {place}  proposed {what}{text}"))?;
            }
        }
        match reply.published.len().saturating_sub(listed) {
            others if others > 0 && listed > 0 => {
                let s = if others == 1 { "" } else { "s" };
                self.line(format!("  and {others} other record{s}, such as resolutions and verdicts"))
            }
            _ => Ok(()),
        }
    }

    /// What was written.
    pub fn written(&mut self, reply: &WrittenReply) -> Result<(), Failure> {
        let id = reply.thread.comments.iter().find(|comment| comment.id == reply.id);
        let short = id.map_or(reply.thread.short.as_str(), |comment| comment.short.as_str());
        let place = self.place_of(&reply.thread);
        let draft = id.is_some_and(|comment| comment.draft);
        let line = format!("{} {}", self.ink(Ink::Id, short), self.ink(Ink::Place, place));
        self.stored = Some(short.to_owned());
        self.line(if draft { format!("{line} (draft)") } else { line })?;
        if let Some(review) = &reply.opened {
            let title = sanitize::line(review.title.as_bytes());
            self.print_message(format!("note: started review {} ({title})", review.short));
        }
        Ok(())
    }
}

/// The remarks on a thread after its place.
pub(super) struct Flags<'a> {
    status: ThreadStatus,
    draft: bool,
    severity: Option<&'a SeverityView>,
    tags: &'a [String],
    suggestion: Option<SuggestionState>,
    disputed: &'a [String],
    signature: Option<&'a SignatureView>,
    pending: usize,
}

impl<'a> Flags<'a> {
    fn of(thread: &'a ThreadView) -> Self {
        let ThreadView { status, draft, severity, tags, suggestion, disputed, .. } = thread;
        let (status, draft, severity, suggestion) = (*status, *draft, severity.as_ref(), *suggestion);
        let signature = thread.comments.first().and_then(|root| root.signature.as_ref());
        let is_pending = |one: &&ProposalView| one.state == ProposalStatus::Pending;
        let pending = thread.proposals.iter().filter(is_pending).count();
        Self { status, draft, severity, tags, suggestion, disputed, signature, pending }
    }

    pub(super) fn of_line(thread: &'a ThreadLine) -> Self {
        let ThreadLine { status, draft, severity, tags, suggestion, disputed, .. } = thread;
        let (status, draft, severity, suggestion) = (*status, *draft, severity.as_ref(), *suggestion);
        let signature = thread.signature.as_deref();
        let pending = thread.pending as usize;
        Self { status, draft, severity, tags, suggestion, disputed, signature, pending }
    }

    fn pieces(self) -> Vec<(Ink, String)> {
        let mut flags = Vec::new();
        self.each(|ink, flag| flags.push((ink, flag.to_owned())));
        flags
    }

    /// Hands over each, in the order in which they are shown.
    fn each(self, mut flag: impl FnMut(Ink, &str)) {
        match self.status {
            ThreadStatus::Open => {}
            ThreadStatus::Resolved => flag(Ink::Good, "resolved"),
            ThreadStatus::Withdrawn => flag(Ink::Faint, "withdrawn"),
        }
        if self.draft {
            flag(Ink::Doubt, "draft");
        }
        if self.pending > 0 {
            flag(Ink::Doubt, "proposal");
        }
        if let Some((ink, words)) = signature::short(self.signature) {
            flag(ink, &words);
        }
        if let Some(severity) = self.severity {
            let mut word = String::new();
            sanitize::push_line(&mut word, severity.word().as_bytes());
            flag(if *severity == SeverityView::Blocker { Ink::Bad } else { Ink::Strong }, &word);
        }
        self.each_of_text(change::fate, flag);
    }

    /// Hands over those that have no column of their own in a table.
    pub(super) fn each_besides_columns(self, mut flag: impl FnMut(Ink, &str)) {
        if self.pending > 0 {
            flag(Ink::Doubt, "(proposal)");
        }
        if let Some((ink, words)) = signature::short(self.signature) {
            flag(ink, &format!("({words})"));
        }
        self.each_of_text(change::short_fate, flag);
    }

    /// Hands over tags, what became of the suggestion (in the words of `fate`), and what people disagree about.
    fn each_of_text(
        self,
        fate: impl Fn(SuggestionState) -> (Ink, &'static str),
        mut flag: impl FnMut(Ink, &str),
    ) {
        let mut word = String::new();
        // Tags that only the import uses are not shown.
        let is_hidden = |tag: &str| tag == "imported" || tag.starts_with("id:") || tag.starts_with("after:");
        for tag in self.tags.iter().filter(|tag| !is_hidden(tag)) {
            word.clear();
            word.push('#');
            sanitize::push_line(&mut word, tag.as_bytes());
            flag(Ink::Faint, &word);
        }
        if let Some((ink, fate)) = self.suggestion.map(fate) {
            flag(ink, fate);
        }
        if !self.disputed.is_empty() {
            flag(Ink::Bad, &format!("disputed: {}", self.disputed.join(", ")));
        }
    }
}

/// So many digits of a commit's id are shown.
const SHORT_COMMIT: usize = 7;

pub(super) fn short(commit: &str) -> &str {
    commit.get(..SHORT_COMMIT).unwrap_or(commit)
}

fn line_text(line: Option<&ByteText>) -> String {
    line.map_or_else(|| "(line too long to store)".to_owned(), |line| sanitize::line(line.as_bytes()))
}
