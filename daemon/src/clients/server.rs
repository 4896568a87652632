//! Accepts clients, one task each, until the daemon is asked to stop.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use socket2::SockRef;
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::connection;
use super::line_reader::MessageRoom;
use crate::hub::Hub;

/// One more client is refused with `busy`.
const MAX_CONNECTIONS: u32 = 256;

/// So much of an answer goes out at once, where the system allows it; otherwise the daemon and a client wake each other
/// for every piece of a long list.
const SEND_BUFFER_BYTES: usize = 1 << 20;

/// How long clients may take to be answered once the daemon stops.
const FAREWELL: Duration = Duration::from_secs(20);

/// A moment without accepting, where the system has no more descriptors to give.
const BREATHER: Duration = Duration::from_millis(100);

/// Serves clients of `listener` until the hub is asked to stop, then until all that they asked is answered.
pub(crate) async fn serve(hub: &Arc<Hub>, listener: UnixListener, closed: impl FnOnce()) {
    let mut clients = JoinSet::new();
    let room = MessageRoom::default();
    loop {
        while clients.try_join_next().is_some() {}
        let accepted = tokio::select! {
            biased;
            () = hub.stopping() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => welcome(hub, stream, &room, &mut clients),
            Err(error) => {
                tracing::warn!(%error, "could not accept a client");
                tokio::time::sleep(BREATHER).await;
            }
        }
    }
    drop(listener);
    closed();
    let answered = async { while clients.join_next().await.is_some() {} };
    if timeout(FAREWELL, answered).await.is_err() {
        tracing::warn!("some clients did not read their answers");
    }
}

fn welcome(hub: &Arc<Hub>, stream: UnixStream, room: &MessageRoom, clients: &mut JoinSet<()>) {
    match is_same_user(&stream) {
        Ok(true) => {}
        Ok(false) => return tracing::warn!("refused a client of another user"),
        Err(error) => return tracing::warn!(%error, "refused a client of an unknown user"),
    }
    // With less room it takes longer.
    let _ = SockRef::from(&stream).set_send_buffer_size(SEND_BUFFER_BYTES);
    // The connection gives its place back when it ends.
    if hub.connections.fetch_add(1, Ordering::SeqCst) >= MAX_CONNECTIONS {
        hub.connections.fetch_sub(1, Ordering::SeqCst);
        clients.spawn(connection::refuse(stream));
        return;
    }
    clients.spawn(connection::serve(Arc::clone(hub), stream, room.clone()));
}

fn is_same_user(stream: &UnixStream) -> io::Result<bool> {
    Ok(stream.peer_cred()?.uid() == rustix::process::geteuid().as_raw())
}
