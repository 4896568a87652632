//! The server from start to end.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use postil_client::{AsyncSession, Checkout, ClientProgram, RepositoryArgs};
use postil_socket::RuntimeDirs;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::sleep;

use crate::door::Door;
use crate::error::WebError;
use crate::instance::{Claimed, ServerClaim, claim};
use crate::secret::Secret;
use crate::serving::{PageSite, Writable, accept, export_page};
use crate::shown_view::ShownView;

/// Between two looks at whether anybody looks.
const IDLE_LOOK: Duration = Duration::from_secs(5);

/// How the page is served.
#[derive(Clone, Debug)]
pub struct WebSettings {
    /// The port; `None` for one that the system chooses.
    pub port: Option<u16>,
    /// Whether nothing can be written through it.
    pub read_only: bool,
    /// It ends if nobody looks for so long; `None` for never.
    pub idle: Option<Duration>,
    /// A page has so many lines when it is loaded, and a fiftieth of that unfolded threads.
    pub lines: u32,
    /// What the first link leads to.
    pub view: ShownView,
}

/// The server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Started {
    /// A one-time address.
    pub address: String,
    /// The port.
    pub port: u16,
    /// Whether another process serves the page: this one ends then.
    pub served_by: Option<u32>,
}

/// Serves the page of a repository until it is asked to end, or nobody looks.
///
/// `started` is called once, when the page can be opened. If another process serves this repository, it gets a link to
/// that page, and this returns at once.
pub fn serve(
    args: &RepositoryArgs,
    program: ClientProgram,
    settings: &WebSettings,
    started: impl FnOnce(&Started, &RuntimeDirs),
) -> Result<(), WebError> {
    let dirs = RuntimeDirs::of_this_user()?;
    let checkout = args.find()?;
    let name = checkout.name();
    let label = label(&checkout);
    let claim = match claim(&dirs, &name)? {
        Claimed::Here(claim) => claim,
        Claimed::Elsewhere(running) => {
            let link = running.ask(&settings.view.path())?;
            let found = Started { address: link.address, port: running.port(), served_by: Some(link.pid) };
            started(&found, &dirs);
            return Ok(());
        }
    };
    dirs.prepare_state()?;
    let key = blake3::hash(name.git_dir.as_bytes()).to_hex();
    let kept = dirs.state().join("web").join(&key[..24]);
    let stop = signals()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let (session, _) = AsyncSession::open(args.clone(), program).await?;
        let listener = listen(settings.port).await?;
        let site = open_site(session, &listener, settings, (&label, checkout.git_dir()), &kept, claim)?;
        let port = listener.local_addr()?.port();
        let address = site.0.link(&settings.view.path())?;
        started(&Started { address, port, served_by: None }, &dirs);
        tokio::select! {
            () = accept(listener, Arc::clone(&site.0)) => {}
            () = idle(&site.0, settings.idle) => {}
            _ = stop => {}
        }
        Ok(())
    });
    // What was not answered yet is not waited for.
    runtime.shutdown_timeout(Duration::from_millis(200));
    ended
}

/// The page of a view as one file, which needs neither a server nor scripts.
pub fn export(args: &RepositoryArgs, program: ClientProgram, view: &ShownView) -> Result<String, WebError> {
    let label = label(&args.find()?);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let exported = runtime.block_on(async {
        let (session, _) = AsyncSession::open(args.clone(), program).await?;
        export_page(&session, &label, view).await
    });
    runtime.shutdown_timeout(Duration::from_millis(200));
    Ok(exported?)
}

/// What a repository is called: its folder.
fn label(checkout: &Checkout) -> String {
    let folder = checkout.work_tree().unwrap_or(checkout.git_dir());
    folder.file_name().map_or_else(|| "repository".into(), |name| name.to_string_lossy().into_owned())
}

/// The site, and the claim that it is the only one, which ends with it.
fn open_site(
    session: AsyncSession,
    listener: &TcpListener,
    settings: &WebSettings,
    (label, git_dir): (&str, &Path),
    kept: &Path,
    mut claim: ServerClaim,
) -> Result<(Arc<PageSite>, ServerClaim), WebError> {
    let port = listener.local_addr()?.port();
    let key = Secret::new()?;
    let door = Door::new(port, Secret::new()?, key.clone(), &Secret::short()?);
    claim.tell(port, &key)?;
    let writable = if settings.read_only { Writable::No } else { Writable::Yes };
    let lines = settings.lines;
    Ok((Arc::new(PageSite::new(session, door, writable, lines, label.to_owned(), kept, git_dir)), claim))
}

/// Listens on loopback, and nowhere else.
async fn listen(port: Option<u16>) -> Result<TcpListener, WebError> {
    let asked = port.unwrap_or(0);
    TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, asked))).await.map_err(|source| {
        match source.kind() {
            io::ErrorKind::AddrInUse => WebError::PortInUse { port: asked },
            _ => WebError::Listen { port: asked, source },
        }
    })
}

/// Ends when nobody has looked for a while.
async fn idle(site: &PageSite, after: Option<Duration>) {
    let Some(after) = after else { return std::future::pending().await };
    loop {
        sleep(IDLE_LOOK.min(after)).await;
        if site.idle_for() >= after {
            return;
        }
    }
}

/// Hears what asks the process to end.
fn signals() -> io::Result<oneshot::Receiver<()>> {
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let (sender, receiver) = oneshot::channel();
    thread::Builder::new().name("signals".into()).spawn(move || {
        if signals.forever().next().is_some() {
            let _ = sender.send(());
        }
    })?;
    Ok(receiver)
}
