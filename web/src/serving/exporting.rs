//! A page as one file: the same page with its styles inside, without scripts, and with nothing to write.

use postil_client::{AsyncSession, SessionError};

use super::streaming::BegunPage;
use crate::looks::Looks;
use crate::pages::{Colours, Layout, PageForm, PageFrame, Theme};
use crate::shown_view::ShownView;

/// The page of a view, as one file.
pub(crate) async fn export_page(
    session: &AsyncSession,
    repository: &str,
    view: &ShownView,
) -> Result<String, SessionError> {
    let page = BegunPage::ask(session, view, &Looks::default()).await?.with_all_threads(session).await?;
    let frame = PageFrame {
        prefix: "",
        repository,
        person: None,
        is_writable: false,
        form: PageForm::File,
        theme: Theme::System,
        layout: Layout::Unified,
        colours: Colours::AtOnce,
        viewed: None,
        images: None,
        is_brief: false,
        now: session.now(),
    };
    let mut html = String::new();
    // A file has no scripts that could fetch the rest.
    page.send(session.clone(), frame, u32::MAX, &mut html).await?;
    Ok(html)
}
