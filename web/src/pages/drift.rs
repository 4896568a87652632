//! How threads drift: which folders move most, what happened over time, and how long threads stay open.
//!
//! Plots are small, drawn here, and stand beside their numbers.

use std::fmt::Write as _;

use maud::{Markup, PreEscaped, html};
use postil_protocol::{DriftCounts, FolderDrift, PeriodDrift, StatsReply};

use super::file_key::shown;
use super::notice::warnings;
use super::shell::{PageFrame, PageKind, page};
use super::when::day;

/// The page.
pub(crate) fn drift(stats: &StatsReply, frame: &PageFrame<'_>) -> String {
    let body = html! {
        main.overview.drift id="main" tabindex="-1" {
            h1 { "Drift" }
            (warnings(&stats.warnings))
            p.quiet { "What became of the places of threads, as the code changed under them." }
            @if stats.all.threads == 0 {
                p.empty { "There are no threads yet." }
            } @else {
                (all(&stats.all))
                (ages(stats))
                (folders(stats))
                (periods(stats))
            }
        }
    };
    let mark = stats.mark.to_string();
    page(PageKind::Drift, "Drift", &body, &[("view", "drift"), ("mark", &mark)], frame)
}

/// The parts that a count consists of: its name, its class, and how many.
fn parts(counts: &DriftCounts) -> [(&'static str, &'static str, u32); 4] {
    [
        ("in place", "anchored", counts.in_place),
        ("moved", "shifted", counts.moved),
        ("outdated", "outdated", counts.outdated),
        ("lost", "orphaned", counts.lost),
    ]
}

/// A bar whose parts are as long as they are many.
fn bar(counts: &DriftCounts) -> Markup {
    let sum: u32 = parts(counts).iter().map(|(.., count)| count).sum();
    let mut svg = String::from(
        "<svg class=bar-plot viewBox='0 0 200 10' preserveAspectRatio=none role=presentation aria-hidden=true>",
    );
    let mut at = 0.0;
    for (_, class, count) in parts(counts) {
        let width = 200.0 * f64::from(count) / f64::from(sum.max(1));
        let _ = write!(svg, "<rect class={class} x={at:.2} y=0 width={width:.2} height=10 />");
        at += width;
    }
    svg.push_str("</svg>");
    PreEscaped(svg)
}

fn all(counts: &DriftCounts) -> Markup {
    html! {
        section.group aria-labelledby="drift-all" {
            h2 id="drift-all" { "All threads " span.count { (counts.threads) } }
            (bar(counts))
            ul.legend {
                @for (name, class, count) in parts(counts) { li { span class={ "key " (class) } aria-hidden="true" {} (name) " " strong { (count) } } }
                @if counts.without_place > 0 { li { "on no file " strong { (counts.without_place) } } }
                @if counts.moved_by_hand > 0 { li { "moved by hand " strong { (counts.moved_by_hand) } } }
            }
        }
    }
}

fn ages(stats: &StatsReply) -> Markup {
    let times = &stats.times;
    html! {
        section.group aria-labelledby="drift-ages" {
            h2 id="drift-ages" { "How long threads stay open" }
            dl.facts-list {
                div { dt { "open now" } dd { (times.open) } }
                @if let Some(median) = times.open_median { div { dt { "half of them for at most" } dd { (span(median)) } } }
                @if let Some(oldest) = times.open_longest { div { dt { "the oldest for" } dd { (span(oldest)) } } }
                @if let Some(median) = times.resolved_median { div { dt { "resolved within (median)" } dd { (span(median)) } } }
            }
        }
    }
}

fn folders(stats: &StatsReply) -> Markup {
    html! {
        section.group aria-labelledby="drift-folders" {
            h2 id="drift-folders" { "Folders, those that lose most first" }
            div.scroll tabindex="0" role="region" aria-labelledby="drift-folders" {
                table.numbers-table {
                    thead { tr {
                        th scope="col" { "Folder" } th scope="col" { "Threads" } th scope="col" { span.vh { "Plot" } }
                        th scope="col" { "In place" } th scope="col" { "Moved" } th scope="col" { "Outdated" } th scope="col" { "Lost" }
                    } }
                    tbody {
                        @for folder in &stats.folders { (row(folder)) }
                        @if let Some(rest) = &stats.other_folders { (cells("other folders", rest, false)) }
                    }
                }
            }
        }
    }
}

fn row(folder: &FolderDrift) -> Markup {
    let name = shown(&folder.path);
    cells(if name.is_empty() { "(root)" } else { &name }, &folder.counts, folder.unstable)
}

fn cells(name: &str, counts: &DriftCounts, is_unstable: bool) -> Markup {
    html! {
        tr {
            th scope="row" { code { (name) } @if is_unstable { " " span.chip.bad title="At least half of its threads are outdated or lost" { "unstable" } } }
            td { (counts.threads) } td.plot { (bar(counts)) }
            td { (counts.in_place) } td { (counts.moved) } td { (counts.outdated) } td { (counts.lost) }
        }
    }
}

/// What happened over time: bars of what moved, became outdated and was lost.
fn periods(stats: &StatsReply) -> Markup {
    html! {
        @if !stats.periods.is_empty() {
            section.group aria-labelledby="drift-periods" {
                h2 id="drift-periods" { "Over time" }
                (columns(&stats.periods))
                div.scroll tabindex="0" role="region" aria-labelledby="drift-periods" {
                    table.numbers-table {
                        thead { tr {
                            th scope="col" { "From" } th scope="col" { "Threads" } th scope="col" { "Started" }
                            th scope="col" { "Moved" } th scope="col" { "Outdated" } th scope="col" { "Lost" } th scope="col" { "Found again" }
                        } }
                        tbody { @for period in &stats.periods {
                            tr {
                                th scope="row" { (day(period.start)) }
                                td { (period.threads) } td { (period.started) } td { (period.moved) } td { (period.outdated) } td { (period.lost) } td { (period.recovered) }
                            }
                        } }
                    }
                }
                @if stats.truncated { p.quiet { "There is more history than was compared." } }
            }
        }
    }
}

fn columns(periods: &[PeriodDrift]) -> Markup {
    let most =
        periods.iter().map(|period| period.moved + period.outdated + period.lost).max().unwrap_or(0).max(1);
    let width = periods.len() * 24;
    let mut svg =
        format!("<svg class=column-plot viewBox='0 0 {width} 62' role=presentation aria-hidden=true>");
    for (index, period) in periods.iter().enumerate() {
        let mut top = 60.0;
        for (class, count) in
            [("shifted", period.moved), ("outdated", period.outdated), ("orphaned", period.lost)]
        {
            let height = 56.0 * f64::from(count) / f64::from(most);
            top -= height;
            let x = index * 24 + 4;
            let _ = write!(svg, "<rect class={class} x={x} y={top:.2} width=16 height={height:.2} />");
        }
    }
    let _ = write!(svg, "<path class=axis d='M0 60.5h{width}' /></svg>");
    PreEscaped(svg)
}

/// A span of time in its largest unit.
fn span(millis: u64) -> String {
    let minutes = millis / 60_000;
    let told = |count: u64, unit: &str| format!("{count} {unit}{}", if count == 1 { "" } else { "s" });
    match minutes {
        0 => "less than a minute".to_owned(),
        1..60 => told(minutes, "minute"),
        60..2880 => told(minutes / 60, "hour"),
        _ => told(minutes / 1440, "day"),
    }
}

#[cfg(test)]
mod tests {
    use postil_protocol::WarningView;
    use serde_json::json;

    use super::super::samples::{HOSTILE, frame};
    use super::*;

    fn stats() -> StatsReply {
        let counts = json!({ "threads": 10, "open": 4, "in_place": 5, "moved": 2, "outdated": 2, "lost": 1, "without_place": 0, "moved_by_hand": 1 });
        let period = json!({ "start": 1_700_000_000_000_u64, "end": 1_700_100_000_000_u64, "commit": null, "started": 3, "threads": 9, "moved": 2, "outdated": 1, "lost": 1, "recovered": 0 });
        serde_json::from_value(json!({
            "all": counts, "folders": [{ "path": HOSTILE, "counts": counts, "unstable": true }, { "path": "", "counts": counts, "unstable": false }],
            "periods": [period], "times": { "open": 4, "open_median": 7_200_000, "open_longest": 864_000_000, "resolved": 1, "resolved_median": 60_000, "resolved_most": null, "withdrawn": 0 },
            "head": { "commit": null, "branch": null, "uncommitted": false },
        }))
        .unwrap()
    }

    #[test]
    fn plots_stand_beside_their_numbers_and_nothing_is_markup() {
        let html = drift(&stats(), &frame());
        assert!(html.contains("<rect class=shifted x=100.00 y=0 width=40.00"), "{html}");
        assert!(
            html.contains("10 days")
                && html.contains("2 hours")
                && html.contains("unstable")
                && html.contains("(root)")
        );
        assert!(!html.contains(" style=") && html.matches("<script").count() == 1 && !html.contains("<img"));
    }

    #[test]
    fn no_threads_are_said_plainly() {
        let mut stats = StatsReply::default();
        assert!(drift(&stats, &frame()).contains("There are no threads yet."));
        stats.warnings = vec![WarningView { what: "some comments could not be read".into(), advice: None }];
        assert!(drift(&stats, &frame()).contains("Warning: </strong>some comments could not be read"));
    }
}
