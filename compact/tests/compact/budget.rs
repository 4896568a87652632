//! What a list costs in tokens: the measure by which agents pay.

use bpe_openai::o200k_base;
use std::convert::Infallible;

use postil_compact::{CompactDetail, CompactQuestion, PAGE_BYTES, compact_list, list_text, plain_path};
use postil_protocol::{List, ListReply};
use serde_json::json;

use crate::views::{list, thread};

const FILES: [&str; 5] =
    ["src/lib.rs", "src/store/notes.rs", "web/handlers/session.py", "docs/guide.md", "src/parser/lexer.rs"];

const TEXTS: [&str; 5] = [
    "This adds without a bound: use saturating_add, or say why the sum cannot be larger than a u32.",
    "The lock is held while the callback runs, which can take seconds. Clone the handle and drop the guard first.",
    "Why is the error dropped here? A caller cannot tell a missing file from one that may not be read.",
    "Name this after what it holds, not after its type.",
    "This branch has no test, and the one above it covers only the case that nothing was found.",
];

const CODE: [[&str; 2]; 5] = [
    ["    let total = left.len() + right.len();", "    let mut all = Vec::with_capacity(total);"],
    ["        let guard = self.entries.lock().await;", "        callback(&guard, request).await?;"],
    ["    except OSError:", "        return None"],
    ["pub struct StringVec {", "    inner: Vec<String>,"],
    ["        Some(b'\\\\') if !self.is_raw => self.escape()?,", "        Some(_) => self.advance(1),"],
];

fn fifty() -> Vec<postil_protocol::ThreadView> {
    (0..50).map(|at| thread(at, FILES[at / 10], TEXTS[at % 5], CODE[(at + at / 5) % 5], &json!({}))).collect()
}

#[test]
fn a_thread_with_its_code_costs_at_most_75_tokens_as_text_and_100_as_json() {
    let threads = fifty();
    let compact = compact_list(&list(threads.clone()), CompactDetail::Code);
    let (text, json) = (list_text(&compact, &plain_path), serde_json::to_string(&compact).unwrap());
    let cost = |text: &str| o200k_base().count(text) as f64 / threads.len() as f64;
    let whole = cost(&serde_json::to_string(&list(threads.clone())).unwrap());
    println!(
        "{:.1} tokens a thread as text, {:.1} as JSON, {whole:.1} as they come",
        cost(&text),
        cost(&json)
    );
    println!("{}", text.lines().take(12).collect::<Vec<_>>().join("\n"));
    assert!(cost(&text) <= 75.0, "{:.1} tokens a thread as text:\n{text}", cost(&text));
    assert!(cost(&json) <= 100.0, "{:.1} tokens a thread as JSON:\n{json}", cost(&json));
    // Every thread is there, with its words and its code.
    for thread in &threads {
        assert!(text.contains(&thread.short) && json.contains(&thread.short), "{}", thread.short);
    }
    assert_eq!(text.matches("\n| ").count(), 50);
    assert_eq!(
        text.lines()
            .filter(|line| line.split_once(':').is_some_and(|(n, _)| n.parse::<u32>().is_ok()))
            .count(),
        100
    );
}

/// One page of these threads, from a service that gives as many as it is asked for.
fn page(threads: &[postil_protocol::ThreadView], most_bytes: usize) -> (usize, String) {
    let question = CompactQuestion { most_bytes, ..CompactQuestion::of(List::default()) };
    let ask = |asked: List| {
        let limit = asked.limit.map_or(threads.len(), |limit| limit as usize);
        let next = (limit < threads.len()).then(|| limit.to_string());
        Ok::<_, Infallible>(ListReply {
            total: threads.len() as u32,
            next,
            ..list(threads[..limit].to_vec())
        })
    };
    let Ok(page) = question.ask(ask);
    (page.files.iter().map(|file| file.threads.len()).sum(), list_text(&page, &plain_path))
}

#[test]
fn a_page_holds_what_fits_and_never_nothing() {
    let threads = fifty();
    assert_eq!(page(&threads, usize::MAX).0, 50);
    assert_eq!(page(&threads, 0).0, 1);
    let (fit, text) = page(&threads, 5000);
    assert!((10..50).contains(&fit) && text.len() < 5000 + 400, "{fit} threads in {} bytes", text.len());
    assert!(text.contains(&format!("{fit} of 50 threads\nnext {fit}\nmark ")), "{text}");
    assert_eq!(page(&[], 5000), (0, "0 threads\nmark 51d2e07a9ab04c1f.0-3f9c1a2b51d2e07a.9.c\n".to_owned()));
}

#[test]
fn no_text_makes_a_page_that_clients_cut() {
    let signs: String = (0..400).map(|n| char::from(b'!' + (n * 7 % 15) as u8)).collect();
    let floods =
        ["\u{200b}".repeat(300), signs, "漢字".repeat(200), "👩‍👩‍👧".repeat(60), "\u{0}\u{1b}".repeat(300)];
    for flood in floods {
        let threads: Vec<_> =
            (0..400).map(|at| thread(at, "src/lib.rs", &flood, [&flood, &flood], &json!({}))).collect();
        let (count, text) = page(&threads, PAGE_BYTES);
        let tokens = o200k_base().count(&text);
        assert!(tokens < 25_000 && count > 1, "{tokens} tokens in {} bytes of {flood:?}", text.len());
    }
}
