//! Writes threads in a format of other tools.

use postil_protocol::{
    ByteText, Detail, Export, ExportFormat, ExportReply, ExportedFile, Fault, Freshness, List, ListOrder,
    Mark, Show, ThreadStatus, ThreadView,
};

use crate::formats::{
    CommentsFile, Exported, write_comments, write_lines, write_rdjson, write_rdjsonl, write_sarif,
};
use crate::methods::list::list;
use crate::methods::show::show;
use crate::request::Request;
use crate::view::withheld::leave_out;

/// Writes threads in a format.
pub fn export(request: &Request, asked: &Export) -> Result<ExportReply, Fault> {
    let mut threads = Vec::new();
    let mut wanted = all_threads(request, asked)?;
    leave_out(request, &mut wanted);
    for thread in wanted {
        threads.extend(exported(request, asked, thread)?);
    }
    let left_out = match asked.format {
        ExportFormat::Json | ExportFormat::Sarif => 0,
        ExportFormat::Rdjson | ExportFormat::Rdjsonl | ExportFormat::Comments => {
            threads.iter().filter(|exported| exported.path().is_none()).count()
        }
    };
    let whole = |text: String| vec![ExportedFile { about: None, text }];
    let files = match asked.format {
        ExportFormat::Json => whole(write_lines(&threads)),
        ExportFormat::Sarif => whole(write_sarif(&threads, env!("CARGO_PKG_VERSION"))),
        ExportFormat::Rdjson => whole(write_rdjson(&threads)),
        ExportFormat::Rdjsonl => whole(write_rdjsonl(&threads)),
        ExportFormat::Comments => {
            let file = |CommentsFile { about, content }| ExportedFile {
                about: Some(ByteText::new(about)),
                text: content,
            };
            write_comments(&threads).into_iter().map(file).collect()
        }
    };
    let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    Ok(ExportReply {
        files,
        threads: small(threads.len() - left_out),
        left_out: small(left_out),
        mark: Mark::default(),
        warnings: Vec::new(),
    })
}

fn all_threads(request: &Request, asked: &Export) -> Result<Vec<ThreadView>, Fault> {
    let mut wanted = List {
        scope: asked.scope,
        filter: asked.filter.clone(),
        head: asked.head.clone(),
        freshness: Freshness::Wait,
        detail: Detail::Full,
        code: 0,
        order: ListOrder::File,
        limit: asked.limit,
        cursor: None,
    };
    let mut threads = Vec::new();
    loop {
        let page = list(request, &wanted)?;
        threads.extend(page.threads);
        if asked.limit.is_some() || page.next.is_none() {
            return Ok(threads);
        }
        wanted.cursor = page.next;
    }
}

/// A thread with what its format needs to know of it; none if the format has no word for it.
fn exported(request: &Request, asked: &Export, mut thread: ThreadView) -> Result<Option<Exported>, Fault> {
    // Drafts stay here until they are published, and `.comments` files have no word for what was withdrawn.
    thread.comments.retain(|comment| !comment.draft);
    let is_gone = thread.status == ThreadStatus::Withdrawn && asked.format == ExportFormat::Comments;
    if thread.draft || is_gone {
        return Ok(None);
    }
    let lines = match asked.format {
        ExportFormat::Comments => {
            let shown =
                Show { of: thread.id.as_str().to_owned(), head: asked.head.clone(), ..Show::default() };
            show(request, &shown)?.lines
        }
        _ => Vec::new(),
    };
    Ok(Some(Exported { thread, lines }))
}
