//! A page as one file: the same page with its styles inside, without scripts, and with nothing to write.

use postil_client::{AsyncSession, SessionError};

use super::viewing::asked_for;
use crate::looks::Looks;
use crate::pages::{Layout, PageForm, PageFrame, ReviewPage, Theme, review_page};
use crate::shown_view::ShownView;

/// The page of a view, as one file.
pub(crate) async fn export_page(
    session: &AsyncSession,
    repository: &str,
    view: &ShownView,
) -> Result<String, SessionError> {
    let (diff, review) = asked_for(session, view, view.diff()).await?;
    let frame = PageFrame {
        prefix: "",
        repository,
        person: None,
        is_writable: false,
        form: PageForm::File,
        theme: Theme::System,
        layout: Layout::Unified,
        viewed: None,
        images: None,
        now: session.now(),
    };
    let looks = Looks::default();
    let shown = ReviewPage { view, looks: &looks, review: review.as_ref(), diff: &diff, commits: &[] };
    Ok(review_page(&shown, &frame))
}
