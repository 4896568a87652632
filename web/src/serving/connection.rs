//! Accepts connections, within limits, and hands their requests to the router.

use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::patient_stream::PatientStream;
use super::router::answer;
use super::site::PageSite;
use crate::door::{MAX_HEAD_BYTES, PeerUser, peer_user};

/// One more connection is closed at once.
const MAX_CONNECTIONS: usize = 32;

/// A head that takes longer ends its connection, and so does silence between two requests.
const HEAD_TIME: Duration = Duration::from_secs(20);

/// Who does not read for so long is not waited for.
const WRITE_TIME: Duration = Duration::from_secs(20);

/// Accepts connections until the future is dropped.
pub(crate) async fn accept(listener: TcpListener, site: Arc<PageSite>) {
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok((stream, peer)) = listener.accept().await else {
            // Too many open files, say: it passes.
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let Ok(own) = stream.local_addr() else { continue };
        if peer_user(peer, own) == PeerUser::Other {
            continue;
        }
        let Ok(place) = Arc::clone(&room).try_acquire_owned() else { continue };
        let site = Arc::clone(&site);
        tokio::spawn(async move {
            converse(stream, site).await;
            drop(place);
        });
    }
}

/// Answers the requests of one connection; how it ends is the browser's business.
async fn converse(stream: TcpStream, site: Arc<PageSite>) {
    let _ = stream.set_nodelay(true);
    let stream = TokioIo::new(PatientStream::new(stream, WRITE_TIME));
    let service = service_fn(move |request: Request<Incoming>| {
        let site = Arc::clone(&site);
        async move { Ok::<_, std::convert::Infallible>(answer(&site, request).await) }
    });
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(stream, service)
        .await;
}
