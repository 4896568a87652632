//! Since when changes are shown: which version that is, and what became of a branch that was rewritten since.
//!
//! After commits that were only added, what is new is the diff of the two heads, like any other. After a rebase it is how
//! the work of the branch itself changed: what came with the new base is left out.

use hyper::{Response, StatusCode};
use postil_client::{AsyncSession, SessionError};
use postil_protocol::{
    ByteText, Diff, DiffExtent, DiffFile, DiffReply, HeadName, ReviewShow, ReviewSince, ReviewView,
    SinceFile, SinceReply,
};

use super::diff_pieces::literal;
use super::page_body::PageBody;
use super::previewing::WHOLE_FILE;
use super::reading::{failed, failed_part, frame};
use super::router::{HTML, JSON, respond, with_status};
use super::site::PageSite;
use super::viewing::images_of;
use crate::address::Query;
use crate::lines::since_lines;
use crate::looks::{Looks, SinceFound, SinceHow, SinceWhen};
use crate::pages::{PageFrame, ReviewPage, file_lines, file_section, outline, review_page, review_parts};
use crate::shown_view::ShownView;

/// So many whole files are asked for at once.
const MAX_FILES: usize = 16;

/// So many lines between others are fetched at once.
const MAX_LINES: u32 = 20_000;

/// What is asked of a page whose branch was rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SincePart {
    Page,
    Outline,
    Parts,
    Files,
    Lines,
}

/// The looks with the version that they are since; or the answer, if the branch was rewritten or there is no such version.
pub(super) async fn found(
    site: &PageSite,
    view: &ShownView,
    looks: Looks,
    part: Option<SincePart>,
    query: &Query,
) -> Result<Looks, Box<Response<PageBody>>> {
    let Some(since) = looks.since.filter(|_| !matches!(view, ShownView::Range { .. })) else {
        return Ok(Looks { since: None, ..looks });
    };
    let review = if let ShownView::Review(id) = view { Some(id.clone()) } else { None };
    let asked = ReviewSince { review, by: None, looked: since == SinceWhen::Looked };
    let reply = match site.session.ask(asked).await {
        Ok(reply) => reply,
        Err(error) if part == Some(SincePart::Page) => return Err(Box::new(failed(site, &error))),
        Err(error) => return Err(Box::new(failed_part(&error))),
    };
    let how = match (reply.then.head == reply.now.head, reply.only_added) {
        (true, _) => SinceHow::Unmoved,
        (false, true) => SinceHow::Added,
        (false, false) => SinceHow::Rewritten(reply.now.head.to_string()),
    };
    let is_rewritten = matches!(how, SinceHow::Rewritten(_));
    let looks = Looks { found: Some(SinceFound { then: reply.then.head.to_string(), how }), ..looks };
    match part.filter(|_| is_rewritten) {
        None => Ok(looks),
        Some(part) => {
            let asked = Rewritten { site, view, looks: &looks, reply: &reply };
            Err(Box::new(asked.answer(part, query).await))
        }
    }
}

/// A branch that was rewritten, and what is asked of it.
struct Rewritten<'a> {
    site: &'a PageSite,
    view: &'a ShownView,
    looks: &'a Looks,
    reply: &'a SinceReply,
}

impl Rewritten<'_> {
    async fn answer(&self, part: SincePart, query: &Query) -> Response<PageBody> {
        let paths: Vec<ByteText> = query.all("path").map(ByteText::new).collect();
        let between = query.number("from").zip(query.number("to"));
        let only = between.map(|(from, to)| DiffExtent { from, to: to.min(from.saturating_add(MAX_LINES)) });
        let of = match part {
            SincePart::Page | SincePart::Parts | SincePart::Outline => SinceOf::All,
            SincePart::Files | SincePart::Lines => SinceOf::Paths(&paths),
        };
        let lines = match part {
            SincePart::Outline => Lines::None,
            _ => Lines::Near(only),
        };
        let (diff, review) = tokio::join!(self.diff(of, lines), self.review());
        let (diff, review) = match diff.and_then(|diff| Ok((diff, review?))) {
            Ok(found) => found,
            Err(error) if part == SincePart::Page => return failed(self.site, &error),
            Err(error) => return failed_part(&error),
        };
        let Self { view, looks, .. } = *self;
        let shown = ReviewPage { view, looks, review: Some(&review), diff: &diff, commits: &[] };
        let viewed = self.site.viewed.of(&shown.scope());
        let images = images_of(self.site, view, looks);
        let frame = PageFrame { viewed: Some(&viewed), images: Some(&images), ..frame(self.site) };
        match part {
            SincePart::Page => respond(HTML, review_page(&shown, &frame)),
            SincePart::Parts => respond(HTML, review_parts(&shown, &frame).into_string()),
            SincePart::Outline => respond(JSON, outline(&diff).to_string()),
            SincePart::Files => {
                let sections = diff.files.iter().map(|file| file_section(file, &frame));
                respond(HTML, sections.collect::<String>())
            }
            SincePart::Lines => match diff.files.first() {
                Some(file) => respond(HTML, file_lines(file, None, &frame)),
                None => with_status(StatusCode::BAD_REQUEST, respond(HTML, "")),
            },
        }
    }

    async fn review(&self) -> Result<ReviewView, SessionError> {
        let review = Some(self.reply.review.id.to_string());
        Ok(self.site.session.ask(ReviewShow { review }).await?.review)
    }

    /// The files whose changes are not those of then.
    async fn diff(&self, of: SinceOf<'_>, lines: Lines) -> Result<DiffReply, SessionError> {
        let session: &AsyncSession = &self.site.session;
        let is_wanted = |file: &&SinceFile| match of {
            SinceOf::All => true,
            SinceOf::Paths(paths) => paths.contains(&file.path),
        };
        let wanted: Vec<&SinceFile> = self.reply.files.iter().filter(is_wanted).collect();
        let asked = Diff {
            head: HeadName::Rev(self.reply.now.head.to_string()),
            review: Some(self.reply.review.id.to_string()),
            untracked: false,
            ..self.view.diff()
        };
        // What the files were and are; their lines are those of the two patches.
        let base = Some(self.reply.then.head.to_string());
        let mut diff = session.ask(Diff { base, outline: true, ..asked.clone() }).await?;
        let mut sides = std::mem::take(&mut diff.files);
        for some in wanted.chunks(MAX_FILES) {
            let whole = if lines == Lines::None {
                Vec::new()
            } else {
                let paths = some.iter().map(|file| literal(file.path.as_bytes())).collect();
                let whole = Diff { paths, context: Some(WHOLE_FILE), words: false, ..asked.clone() };
                session.ask(whole).await?.files
            };
            for since in some {
                let is_it =
                    |file: &DiffFile| file.after.as_ref().or(file.before.as_ref()) == Some(&since.path);
                let found = sides.iter().position(is_it).map(|at| sides.swap_remove(at));
                let now = whole.iter().find(|file| is_it(file));
                let known = found.unwrap_or_else(|| unchanged(since, now));
                diff.files.push(match lines {
                    Lines::None => known,
                    Lines::Near(only) => since_lines(known, now, since, only),
                });
            }
        }
        Ok(diff)
    }
}

/// Which files are asked for.
#[derive(Clone, Copy, Debug)]
enum SinceOf<'a> {
    All,
    Paths(&'a [ByteText]),
}

/// Which lines of them are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lines {
    None,
    /// Those near changes, or these.
    Near(Option<DiffExtent>),
}

/// A file that is the same then and now, but for what the branch does to it.
fn unchanged(since: &SinceFile, now: Option<&DiffFile>) -> DiffFile {
    let side = now.and_then(|file| file.new.clone());
    DiffFile {
        before: Some(since.was.clone().unwrap_or_else(|| since.path.clone())),
        after: Some(since.path.clone()),
        binary: false,
        lines: Vec::new(),
        threads: Vec::new(),
        old: side.clone(),
        new: side,
        untracked: false,
        added: 0,
        deleted: 0,
        total: 0,
        generated: false,
        change: None,
        left: None,
    }
}
