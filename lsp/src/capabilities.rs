//! What this program offers to an editor, and what the editor can do.

use std::time::Duration;

use gen_lsp_types::{
    CodeActionKind, CodeActionOptions, CodeActionProvider, CodeLensOptions, ExecuteCommandOptions,
    FileOperationFilter, FileOperationOptions, FileOperationPattern, FileOperationRegistrationOptions,
    HoverProvider, InitializeParams, InlayHintProvider, MarkupKind, PositionEncodingKind, SaveOptions,
    ServerCapabilities, TextDocumentSync, TextDocumentSyncKind, TextDocumentSyncOptions, WorkspaceOptions,
};
use postil_live::Encoding;
use serde_json::Value;

use crate::commands::command::NAMES;

/// After the last key, so long nothing is asked, unless the person wants another pause.
const PAUSE: Duration = Duration::from_millis(150);

/// A longer pause is not taken.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// What an editor can do, and what the person wants to see.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an ability or a wish of its own")]
pub(crate) struct EditorAbilities {
    /// What its columns count.
    pub(crate) encoding: Encoding,
    /// It opens documents that it is asked to show.
    pub(crate) shows_documents: bool,
    /// It shows nothing if a command fails, so that failures are told in a message too.
    pub(crate) hides_failures: bool,
    /// It renders Markdown.
    pub(crate) shows_markdown: bool,
    /// It asks the person to choose one of several answers.
    pub(crate) asks_questions: bool,
    /// It opens the files of texts itself, and is told when one is sent.
    pub(crate) shows_texts: bool,
    /// It shows threads itself, from `postil/threads`; diagnostics would show them twice.
    pub(crate) shows_threads: bool,
    /// Resolved threads are shown too, as hints.
    pub(crate) wants_resolved: bool,
    /// The number of threads stands above their lines.
    pub(crate) wants_lenses: bool,
    /// The first words of a thread stand behind its line.
    pub(crate) wants_hints: bool,
    /// It asks for lenses again if it is told to.
    pub(crate) refreshes_lenses: bool,
    /// It asks for hints again if it is told to.
    pub(crate) refreshes_hints: bool,
    /// Related information of a diagnostic is shown.
    pub(crate) shows_related: bool,
    /// After the last key, so long nothing is asked.
    pub(crate) pause: Duration,
}

impl EditorAbilities {
    /// What an editor says about itself.
    pub(crate) fn of(params: &InitializeParams) -> Self {
        let able = &params.capabilities;
        let offered = able.general.as_ref().and_then(|general| general.position_encodings.as_ref());
        let offers = |kind: &PositionEncodingKind| offered.is_some_and(|offered| offered.contains(kind));
        let encoding = if offers(&PositionEncodingKind::UTF8) {
            Encoding::Utf8
        } else if offered.is_none() || offers(&PositionEncodingKind::UTF16) {
            Encoding::Utf16
        } else {
            Encoding::Utf32
        };
        let window = able.window.as_ref();
        // Helix opens documents without saying that it can, and keeps failures of commands to itself (seen in 25.01).
        let is_helix = params.client_info.as_ref().is_some_and(|editor| editor.name == "helix");
        let documents = able.text_document.as_ref();
        let workspace = able.workspace.as_ref();
        let formats = documents.and_then(|able| able.hover.as_ref()?.content_format.as_ref());
        let options = params.initialization_options.as_ref();
        let wants = |name: &str| {
            options.and_then(|options| options.get(name)).and_then(Value::as_bool).unwrap_or(false)
        };
        let pause = options.and_then(|options| options.get("pause")).and_then(Value::as_u64);
        let (wants_lenses, wants_hints) = (wants("codeLens"), wants("inlayHints"));
        let lenses = workspace.and_then(|able| able.code_lens.as_ref()?.refresh_support);
        let hints = workspace.and_then(|able| able.inlay_hint.as_ref()?.refresh_support);
        let related = documents
            .and_then(|able| able.publish_diagnostics.as_ref()?.diagnostics_capabilities.related_information);
        Self {
            encoding,
            shows_documents: is_helix
                || window.and_then(|window| window.show_document.as_ref()).is_some_and(|show| show.support),
            hides_failures: is_helix,
            shows_markdown: formats.is_none_or(|formats| formats.contains(&MarkupKind::Markdown)),
            asks_questions: window
                .and_then(|window| window.show_message.as_ref())
                .is_some_and(|able| able.message_action_item.is_some()),
            shows_texts: wants("texts"),
            shows_threads: wants("threads"),
            wants_resolved: wants("resolved"),
            wants_lenses,
            wants_hints,
            refreshes_lenses: wants_lenses && lenses == Some(true),
            refreshes_hints: wants_hints && hints == Some(true),
            shows_related: related == Some(true),
            pause: pause.map_or(PAUSE, |pause| Duration::from_millis(pause).min(LONGEST_PAUSE)),
        }
    }

    /// Whether a file can be opened for a person. What needs one is not offered to any other editor: ALE, for one, drops
    /// the answer that says why nothing happens.
    pub(crate) fn opens_files(&self) -> bool {
        self.shows_documents || self.shows_texts
    }
}

/// What this program offers. What it does not offer is left out: some editors fail at `null`.
pub(crate) fn offered(editor: &EditorAbilities) -> ServerCapabilities {
    let encoding = match editor.encoding {
        Encoding::Utf8 => PositionEncodingKind::UTF8,
        Encoding::Utf16 => PositionEncodingKind::UTF16,
        Encoding::Utf32 => PositionEncodingKind::UTF32,
    };
    let any_file = || {
        let pattern = FileOperationPattern { glob: "**".to_owned(), ..FileOperationPattern::default() };
        let filter = FileOperationFilter { scheme: Some("file".to_owned()), pattern };
        Some(FileOperationRegistrationOptions { filters: vec![filter] })
    };
    ServerCapabilities {
        position_encoding: Some(encoding),
        text_document_sync: Some(TextDocumentSync::Options(TextDocumentSyncOptions {
            open_close: Some(true),
            change: Some(TextDocumentSyncKind::Incremental),
            save: Some(SaveOptions { include_text: Some(true) }.into()),
            ..TextDocumentSyncOptions::default()
        })),
        hover_provider: Some(HoverProvider::Bool(true)),
        code_action_provider: Some(CodeActionProvider::CodeActionOptions(CodeActionOptions {
            code_action_kinds: Some(vec![CodeActionKind::QuickFix, CodeActionKind::Empty]),
            ..CodeActionOptions::default()
        })),
        code_lens_provider: editor.wants_lenses.then(CodeLensOptions::default),
        inlay_hint_provider: editor.wants_hints.then_some(InlayHintProvider::Bool(true)),
        execute_command_provider: Some(ExecuteCommandOptions {
            commands: NAMES.iter().map(|name| (*name).to_owned()).collect(),
            ..ExecuteCommandOptions::default()
        }),
        workspace: Some(WorkspaceOptions {
            file_operations: Some(FileOperationOptions {
                did_create: any_file(),
                did_rename: any_file(),
                did_delete: any_file(),
                ..FileOperationOptions::default()
            }),
            ..WorkspaceOptions::default()
        }),
        ..ServerCapabilities::default()
    }
}
