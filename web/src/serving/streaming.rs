//! A page as it is sent: its beginning at once, then file after file while the browser shows what it has.

use std::sync::Arc;

use hyper::Response;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use postil_client::{AsyncSession, SessionError};
use postil_protocol::{Diff, DiffCommit, DiffFile, DiffLimit, DiffReply, ReviewView, Show, ThreadView};
use tokio::sync::mpsc;

use super::diff_pieces::{DiffPiece, MoreFollows, first_of, limit, pieces};
use super::page_body::PageBody;
use super::reading::{failed, frame};
use super::router::HTML;
use super::site::PageSite;
use super::viewing::{images_of, review_of};
use crate::looks::Looks;
use crate::pages::{
    Colours, LinesGoOn, PageForm, PageFrame, ReviewPage, file_frame, first_lines, has_very_many_threads,
    lines_from, review_frame, unfinished,
};
use crate::shown_view::ShownView;
use crate::viewed::ViewedFiles;

/// Pieces that wait for a browser that reads slowly.
const MAX_UNREAD: usize = 4;

/// A piece is sent when it is so long.
const PIECE_BYTES: usize = 64 << 10;

/// The page of a view: what is known of it before its files are.
pub(super) struct BegunPage {
    view: ShownView,
    looks: Looks,
    review: Option<ReviewView>,
    commits: Vec<DiffCommit>,
    diff: DiffReply,
}

impl BegunPage {
    /// Asks for all that the head of the page says, and for the first lines.
    pub async fn ask(session: &AsyncSession, view: &ShownView, looks: &Looks) -> Result<Self, SessionError> {
        let asked = looks.apply(view.diff());
        let commits = session.ask(Diff { ends_only: true, commits: true, ..view.diff() });
        let (diff, review, commits) =
            tokio::join!(first_of(session, &asked), review_of(session, view), commits);
        let commits = commits.map(|ends| ends.commits).unwrap_or_default();
        Ok(Self { view: view.clone(), looks: looks.clone(), review: review?, commits, diff: diff? })
    }

    /// What the page shows.
    pub fn shown(&self) -> ReviewPage<'_> {
        ReviewPage {
            view: &self.view,
            looks: &self.looks,
            review: self.review.as_ref(),
            diff: &self.diff,
            commits: &self.commits,
        }
    }

    /// Renders it with so many lines, and sends what is rendered until nobody takes it any more.
    ///
    /// If its lines cannot be read to their end, a page that is served says so; a file is not made.
    pub async fn send(
        mut self,
        session: AsyncSession,
        frame: PageFrame<'_>,
        most: u32,
        to: &mut impl HtmlTaker,
    ) -> Result<(), SessionError> {
        let (mut html, end) = review_frame(&self.shown(), &frame);
        let asked = self.looks.apply(self.view.diff());
        let is_file = frame.form == PageForm::File;
        // What fills the first screen came with the first answer.
        let mut first = self.diff.files.iter().filter(|file| !file.lines.is_empty()).count();
        let mut pieces = pieces(session.clone(), asked, std::mem::take(&mut self.diff.files), most);
        // What ends the file whose lines go on.
        let mut close = String::new();
        while let Some(piece) = pieces.recv().await {
            // What is seen first is there with its colours; of the rest, what comes near is coloured.
            let is_first = first > 0 && matches!(piece, Ok(DiffPiece::File(..)));
            first = first.saturating_sub(1);
            let colours = if is_file || is_first { Colours::AtOnce } else { Colours::WhenNear };
            let frame = PageFrame { colours, ..frame.clone() };
            let go_on =
                |more: MoreFollows| if more == MoreFollows::Yes { LinesGoOn::Now } else { LinesGoOn::Later };
            let more = match piece {
                Ok(DiffPiece::File(mut file, more)) => {
                    if is_file {
                        self.make_whole(&session, threads_of(&mut file)).await?;
                    }
                    html.push_str(&std::mem::take(&mut close));
                    let (open, end) = file_frame(&file, &frame);
                    html.push_str(&open);
                    html.push_str(&first_lines(&file, &frame, go_on(more)));
                    close = end;
                    more
                }
                Ok(DiffPiece::More(mut file, next, more)) => {
                    if is_file {
                        self.make_whole(&session, threads_of(&mut file)).await?;
                    }
                    html.push_str(&lines_from(&file, next, &frame, go_on(more)));
                    more
                }
                Err(error) if is_file => return Err(error),
                Err(error) => {
                    html.push_str(&std::mem::take(&mut close));
                    html.push_str(&unfinished(&error.to_string()));
                    MoreFollows::No
                }
            };
            if more == MoreFollows::No {
                html.push_str(&std::mem::take(&mut close));
            }
            // The first screen is seen while the rest is read.
            let is_due = html.len() >= PIECE_BYTES || (is_first && first == 0);
            if is_due && !to.take(std::mem::take(&mut html)).await {
                return Ok(());
            }
        }
        html.push_str(&close);
        html.push_str(&end);
        to.take(html).await;
        Ok(())
    }

    /// Fetches what the first answer left out of the threads at no line.
    pub async fn with_all_threads(mut self, session: &AsyncSession) -> Result<Self, SessionError> {
        while let Some(left) = self.diff.left.take() {
            let limit =
                Some(DiffLimit { threads: left.review.threads.max(left.orphans.threads), ..limit(0) });
            let more = session.ask(Diff { limit, ..self.looks.apply(self.view.diff()) }).await?;
            self.diff.threads.extend(more.threads);
            self.diff.left = more.left;
        }
        let mut threads = std::mem::take(&mut self.diff.threads);
        self.make_whole(session, threads.iter_mut()).await?;
        self.diff.threads = threads;
        Ok(self)
    }

    /// Fetches all of the threads that were cut: a file has no scripts that could.
    async fn make_whole(
        &self,
        session: &AsyncSession,
        threads: impl Iterator<Item = &mut ThreadView>,
    ) -> Result<(), SessionError> {
        for thread in threads.filter(|thread| thread.cut) {
            let asked = Show { of: thread.id.to_string(), head: self.view.diff().head, syntax: false };
            *thread = session.ask(asked).await?.thread;
        }
        Ok(())
    }
}

fn threads_of(file: &mut DiffFile) -> impl Iterator<Item = &mut ThreadView> {
    file.threads.iter_mut().chain(file.lines.iter_mut().flat_map(|line| &mut line.threads))
}

/// Who takes what was rendered.
pub(super) trait HtmlTaker {
    /// Takes a part; returns whether more is wanted.
    async fn take(&mut self, html: String) -> bool;
}

impl HtmlTaker for String {
    async fn take(&mut self, html: String) -> bool {
        self.push_str(&html);
        true
    }
}

impl HtmlTaker for mpsc::Sender<Bytes> {
    async fn take(&mut self, html: String) -> bool {
        self.send(Bytes::from(html)).await.is_ok()
    }
}

/// The page of a review.
pub(super) async fn review(site: &Arc<PageSite>, view: &ShownView, looks: &Looks) -> Response<PageBody> {
    let page = match BegunPage::ask(&site.session, view, looks).await {
        Ok(page) => page,
        Err(error) => return failed(site, &error),
    };
    let viewed = site.viewed.of(&page.shown().scope());
    let (sender, receiver) = mpsc::channel(MAX_UNREAD);
    tokio::spawn(send(Arc::clone(site), page, viewed, sender));
    let mut response = Response::new(PageBody::Pieces(receiver));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    response
}

async fn send(site: Arc<PageSite>, page: BegunPage, viewed: ViewedFiles, mut sender: mpsc::Sender<Bytes>) {
    let images = images_of(&site, &page.view, &page.looks);
    let is_brief = has_very_many_threads(&page.diff, site.lines);
    let frame = PageFrame { viewed: Some(&viewed), images: Some(&images), is_brief, ..frame(&site) };
    // What fails is said on the page.
    let _ = page.send(site.session.clone(), frame, site.lines, &mut sender).await;
}
