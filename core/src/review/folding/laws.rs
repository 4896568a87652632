//! What holds for every set of records, tried on made-up ones.
//!
//! Compiled for tests only; single rules have their tests beside the code that keeps them.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::story::{Story, anchor, foreign_record, page, unknown};
use crate::record::{
    Body, CommentRecord as Said, EditRecord, Judgement, Record, RecordId, RequestWord, StatusWord, TextRecord,
};
use crate::review::{Change, ChangeState, Comment, History, Threads};

/// One thing that somebody does. Numbers choose among the records that exist by then.
#[derive(Clone, Debug)]
struct Deed {
    what: u8,
    who: usize,
    target: usize,
    over: Vec<usize>,
    seq: u64,
    page: u8,
}

const PEOPLE: [&str; 3] = ["ann", "bob", "eve"];
const WORDS: [StatusWord; 5] =
    [StatusWord::Open, StatusWord::Resolved, StatusWord::Withdrawn, StatusWord::Merged, StatusWord::Closed];

const REQUESTS: [RequestWord; 2] = [RequestWord::Asked, RequestWord::Released];

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let over = prop::collection::vec(0..40_usize, 0..4);
    let deed = (0..32_u8, 0..PEOPLE.len(), 0..40_usize, over, 0..6_u64, 0..4_u8);
    let deed = deed.prop_map(|(what, who, target, over, seq, page)| {
        let seq = if seq == 5 { u64::MAX } else { seq };
        Deed { what, who, target, over, seq, page }
    });
    prop::collection::vec(deed, 0..40)
}

fn story(deeds: &[Deed]) -> Story {
    let mut story = Story::default();
    for (nth, deed) in deeds.iter().enumerate() {
        story.page = deed.page;
        story.seq = Some(deed.seq);
        let of = pick(&story, deed.target);
        let over: Vec<RecordId> = deed.over.iter().map(|at| pick(&story, *at)).collect();
        let (who, text) = (PEOPLE[deed.who], format!("{nth}"));
        match deed.what {
            0..=3 => story.comment(who, &text),
            4..=6 => story.reply(of, who, &text),
            7 => {
                let comment = Said { review: Some(of), ..story.comment_body(who, &text) };
                story.say(&Body::Comment(comment))
            }
            8 => story.review(who, ["refs/heads/one", "refs/heads/two"][nth % 2]),
            9..=12 => story.edit(of, who, &over, &text),
            13 => {
                let edit = EditRecord { title: Some(text), ..story.edit_body(of, who, &over) };
                story.say(&Body::Edit(edit))
            }
            14..=17 => story.status(of, who, &over, WORDS[nth % WORDS.len()]),
            18..=19 => story.moved(of, who, &over, 1 + u32::from(deed.page)),
            20..=21 => story.verdict(of, who, [Judgement::Approve, Judgement::Changes][nth % 2]),
            24 => story.proposal(of, who, Some(deed.page), Some(1)),
            25 => story.request(of, who, &over, PEOPLE[nth % 3], REQUESTS[nth % 2]),
            26..=31 => {
                let (key, text) = (["k", "l"][nth % 2], ["long", "short"][usize::from(deed.page) % 2]);
                let mut report = story.reported_body("lint", key, text);
                report.anchor = (deed.page > 0).then(|| anchor(1 + u32::from(deed.page)).into());
                report.review = deed.over.first().filter(|_| deed.page == 3).map(|_| of);
                story.say(&Body::Comment(report))
            }
            22 => story.say(&Body::Text(TextRecord { text: text.as_bytes().to_vec(), after: None })),
            _ => story.put(foreign_record("later", text.as_bytes(), 1)),
        };
    }
    story
}

/// Mostly a record that exists.
fn pick(story: &Story, at: usize) -> RecordId {
    let earlier = story.records.len().checked_sub(1 + at % 20);
    earlier.map_or(unknown(u8::try_from(at).unwrap()), |at| story.records[at].1.id())
}

/// The records of every kind that a fold shows somewhere.
fn shown(threads: &Threads) -> BTreeSet<RecordId> {
    let mut ids = BTreeSet::new();
    for comment in threads.comments() {
        ids.insert(comment.id());
        ids.extend(comment.words().changes().map(|change| change.id));
        ids.extend(comment.moves().changes().iter().map(|change| change.id));
        ids.extend(comment.proposals().iter().map(|proposal| proposal.fact.id));
    }
    for thread in threads.iter() {
        ids.extend(thread.statuses().changes().iter().map(|change| change.id));
        ids.extend(thread.replies().flat_map(|reply| reply.statuses().changes()).map(|change| change.id));
    }
    for review in threads.groups().flat_map(crate::review::ReviewGroup::reviews) {
        ids.insert(review.id());
        ids.extend(review.words().changes().map(|change| change.id));
        ids.extend(review.statuses().changes().iter().map(|change| change.id));
        ids.extend(review.verdicts().iter().map(|verdict| verdict.id));
        ids.extend(review.requests().changes().iter().map(|change| change.id));
    }
    ids.extend(threads.not_understood().iter().map(|unread| unread.record.id()));
    ids.extend(threads.unplaced().iter().map(|fact| fact.id));
    ids
}

fn texts(threads: &Threads) -> Vec<(RecordId, String)> {
    threads.comments().map(|comment| (comment.id(), comment.text().to_owned())).collect()
}

/// Checks one history against the rule, spelled out the slow way.
fn check_over<T>(history: &History<T>, over: impl Fn(&T) -> &[RecordId], reaches: impl Fn(&T, &T) -> bool) {
    for change in history.changes() {
        let named_by = |by: &&Change<T>| {
            by.standing != ChangeState::Void
                && over(&by.said).contains(&change.id)
                && reaches(&by.said, &change.said)
        };
        let named = history.changes().iter().any(|by| named_by(&by));
        let expected = match change.standing {
            ChangeState::Void => continue,
            _ if named => ChangeState::Lost,
            _ => ChangeState::InForce,
        };
        assert_eq!(change.standing, expected, "{}", change.id);
    }
    let in_force = |change: &&Change<T>| change.standing == ChangeState::InForce;
    assert_eq!(history.contenders().len(), history.changes().iter().filter(in_force).count());
    assert!(history.contenders().all(|contender| contender.standing == ChangeState::InForce));
}

fn check_comment(comment: &Comment) {
    check_over(comment.statuses(), |status| &status.over, |_, _| true);
    check_over(comment.moves(), |moved| &moved.over, |_, _| true);
    check_over(comment.words().edits(), |edit| &edit.over, |_, _| true);
    for edit in comment.words().edits().changes() {
        assert_eq!(edit.said.author.email, comment.said().author.email);
    }
}

proptest! {
    #[test]
    fn folding_depends_neither_on_order_nor_on_repetition(
        deeds in deeds(),
        places in prop::collection::vec(any::<u32>(), 80),
        again in prop::collection::vec(any::<bool>(), 40),
    ) {
        let story = story(&deeds);
        let repeated = story.records.iter().zip(&again).filter(|(_, again)| **again).map(|(record, _)| record);
        let mut mixed: Vec<_> = story.records.iter().chain(repeated).zip(&places).collect();
        mixed.sort_by_key(|(_, place)| **place);
        let mixed = mixed.into_iter().map(|((page, record), _)| (*page, record.clone()));
        prop_assert_eq!(Threads::fold(mixed), story.threads());
    }

    #[test]
    fn taking_in_more_is_folding_all_together(
        deeds in deeds(),
        places in prop::collection::vec(any::<u32>(), 80),
        again in prop::collection::vec(any::<bool>(), 40),
        cuts in prop::collection::vec(0..9_usize, 1..12),
    ) {
        let story = story(&deeds);
        // Copies stand in other notes too.
        let repeated = story.records.iter().zip(&again).filter(|(_, again)| **again);
        let repeated = repeated.map(|((_, record), _)| (page(1), record.clone()));
        let mut mixed: Vec<_> = story.records.iter().cloned().chain(repeated).zip(&places).collect();
        mixed.sort_by_key(|(_, place)| **place);
        let mut rest: Vec<_> = mixed.into_iter().map(|(record, _)| record).collect();
        let (mut all, mut some) = (Vec::new(), Threads::default());
        for cut in cuts.into_iter().chain([usize::MAX]) {
            let more: Vec<_> = rest.drain(..cut.min(rest.len())).collect();
            all.extend(more.iter().cloned());
            let before = some.clone();
            some.add(more.iter().map(|(page, record)| (*page, record)));
            prop_assert_eq!(&some, &Threads::fold(all.iter().map(|(page, record)| (*page, record))));
            // Whoever still looks at what was before sees that and nothing else.
            let known = all.len() - more.len();
            prop_assert_eq!(before, Threads::fold(all[..known].iter().map(|(page, record)| (*page, record))));
        }
    }

    #[test]
    fn copies_on_other_pages_change_nothing_but_where_records_stand(deeds in deeds()) {
        let story = story(&deeds);
        let highest = page(u8::MAX);
        let copies = story.records.iter().map(|(_, record)| (highest, record));
        let copied = Threads::fold(story.records.iter().map(|(page, record)| (*page, record)).chain(copies));
        let threads = story.threads();
        prop_assert!(copied.comments().eq(threads.comments()));
        prop_assert_eq!(copied.reviews(), threads.reviews());
    }

    #[test]
    fn every_record_but_words_of_other_programs_is_shown_somewhere(deeds in deeds()) {
        let story = story(&deeds);
        let ours = story.records.iter().filter(|(_, record)| !record.is(TextRecord::KIND));
        let all: BTreeSet<RecordId> = ours.map(|(_, record)| record.id()).collect();
        prop_assert_eq!(shown(&story.threads()), all);
    }

    #[test]
    fn every_comment_is_in_exactly_one_thread(deeds in deeds()) {
        let threads = story(&deeds).threads();
        let mut seen = BTreeSet::new();
        for thread in threads.iter() {
            for comment in thread.comments() {
                prop_assert!(seen.insert(comment.id()), "{} twice", comment.id());
                prop_assert_eq!(threads.thread_of(comment.id()).unwrap().id(), thread.id());
                prop_assert_eq!(threads.home(comment.id()), Some(thread.home()));
            }
            for copy in thread.copies() {
                prop_assert!(seen.insert(copy.id()), "{} twice", copy.id());
                prop_assert_eq!(threads.thread_of(copy.id()).unwrap().id(), thread.id());
            }
            prop_assert!(thread.replies().map(Comment::moment).is_sorted());
        }
        prop_assert_eq!(seen.len(), threads.comments().len());
    }

    #[test]
    fn a_record_counts_unless_one_that_may_replace_it_names_it(deeds in deeds()) {
        let threads = story(&deeds).threads();
        threads.comments().for_each(check_comment);
        for review in threads.reviews() {
            check_over(review.statuses(), |status| &status.over, |_, _| true);
            check_over(review.words().edits(), |edit| &edit.over, |_, _| true);
        }
    }

    #[test]
    fn the_edits_of_others_never_change_what_is_shown(deeds in deeds(), targets in prop::collection::vec(0..40_usize, 1..4)) {
        let mut story = story(&deeds);
        let before = texts(&story.threads());
        let everything: Vec<RecordId> = story.records.iter().map(|(_, record)| record.id()).collect();
        for target in targets {
            story.seq = Some(u64::MAX);
            let of = pick(&story, target);
            story.edit(of, "mallory", &everything, "all is well");
        }
        prop_assert_eq!(texts(&story.threads()), before);
    }

    #[test]
    fn a_status_over_those_in_force_counts_alone(deeds in deeds(), word in 0..3_usize) {
        let mut story = story(&deeds);
        let before = story.threads();
        for thread in before.iter() {
            story.seq = Some(thread.next_seq().get());
            story.status(thread.id(), "ann", &thread.statuses().over(), WORDS[word]);
        }
        let after = story.threads();
        for thread in before.iter() {
            let statuses = after.thread(thread.id()).unwrap().statuses();
            prop_assert_eq!(statuses.contenders().len(), 1);
            prop_assert_eq!(statuses.in_force().unwrap().said.status, WORDS[word]);
        }
    }

    #[test]
    fn a_short_id_finds_its_own(deeds in deeds()) {
        let threads = story(&deeds).threads();
        let prefixes = threads.prefixes();
        for comment in threads.comments() {
            let short = prefixes.shorten(comment.id()).to_string();
            prop_assert_eq!(prefixes.find(&short.to_uppercase()), crate::review::PrefixMatch::Unique(comment.id()));
        }
    }
}

/// Folds many records in a time that shows that nothing is compared with everything.
#[test]
fn thousands_of_edits_and_a_long_chain_of_answers_fold() {
    let mut story = Story::default();
    let comment = story.comment("ann", "why?");
    let mut over = Vec::new();
    for nth in 0..5_000 {
        over = vec![story.edit(comment, "ann", &over, &format!("{nth}"))];
        story.edit(comment, "eve", &over, "no");
    }
    let mut last = comment;
    for _ in 0..5_000 {
        last = story.reply(last, "bob", "and?");
    }
    let threads = story.threads();
    let thread = threads.thread_of(last).unwrap();
    assert_eq!((thread.id(), thread.replies().len()), (comment, 5_000));
    assert_eq!(threads.comment(comment).unwrap().text(), "4999");
    let records: Vec<Record> = story.records.into_iter().map(|(_, record)| record).collect();
    assert_eq!(shown(&threads).len(), records.len());
}
