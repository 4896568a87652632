//! The shapes of states, so that they are told without colour.

use maud::{Markup, PreEscaped};
use postil_protocol::PlaceState;

/// The shape of a state: a dot, an arrow, a half circle, a broken ring.
pub(crate) fn shape(state: PlaceState) -> Markup {
    let path = match state {
        PlaceState::Anchored => "<circle cx=8 cy=8 r=4 fill=currentColor />",
        PlaceState::Shifted => {
            "<path d='M3 8h9M8.5 4.5 12 8l-3.5 3.5' fill=none stroke=currentColor stroke-width=1.8 stroke-linecap=round stroke-linejoin=round />"
        }
        PlaceState::Outdated => {
            "<circle cx=8 cy=8 r=5 fill=none stroke=currentColor stroke-width=1.8 /><path d='M8 3a5 5 0 0 1 0 10z' fill=currentColor />"
        }
        PlaceState::Orphaned => {
            "<circle cx=8 cy=8 r=5 fill=none stroke=currentColor stroke-width=1.8 stroke-dasharray='3 2.2' />"
        }
    };
    PreEscaped(format!("<svg viewBox='0 0 16 16' width=14 height=14 aria-hidden=true>{path}</svg>"))
}
