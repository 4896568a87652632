//! Bodies of every kind, for properties to be tried on.

use std::num::NonZeroU32;

use postil_core::git::{BlobId, CommitId, RepoPath};
use postil_core::record::{
    Anchor, AnchorSide, Author, Basis, Body, CONTEXT_LINES, Candidate, Columns, CommentAnchor, CommentRecord,
    EditRecord, EntryOrigin, Judgement, LeftoverRecord, Line, LineSpan, LinesHash, MessageAnchor, MoveRecord,
    OldSide, PositionEntry, PositionState, PositionsRecord, ProposalRecord, PurgeRecord, Quote, RECORD_TAG,
    Range, RawEntry, Record, RecordId, RequestRecord, RequestWord, ReviewRecord, Seq, Severity,
    SignatureFormat, SignatureRecord, StatusRecord, StatusWord, SuggestedEdit, SuggestedFile, TextRecord,
    Timestamp, VerdictRecord, Via, ViaKind,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Any body that the door lets through.
///
/// Boxed, as are anchors: by value, generators of all kinds at once are more than a test's stack holds.
pub fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        review().prop_map(Body::Review).boxed(),
        comment().prop_map(Body::Comment).boxed(),
        edit().prop_map(Body::Edit).boxed(),
        status().prop_map(Body::Status).boxed(),
        (action(), id(), over(), comment_anchor(), option::of(id()))
            .prop_map(|((author, at, seq, via), of, over, anchor, proposal)| MoveRecord {
                author,
                at,
                seq,
                via,
                of,
                over,
                anchor,
                proposal
            })
            .prop_map(Body::Move)
            .boxed(),
        verdict().prop_map(Body::Verdict).boxed(),
        proposal().prop_map(Body::Proposal).boxed(),
        request().prop_map(Body::Request).boxed(),
        signature().prop_map(Body::Signature).boxed(),
        (action(), vec(id(), 0..4), vec(blob(), 0..4))
            .prop_map(|((author, at, seq, via), of, blobs)| PurgeRecord { author, at, seq, via, of, blobs })
            .prop_map(Body::Purge)
            .boxed(),
        positions().prop_map(Body::Positions).boxed(),
        (plain_bytes(), option::of(id()))
            .prop_map(|(text, after)| Body::Text(TextRecord { text, after }))
            .boxed(),
        (vec(any::<u8>(), 0..60), option::of(id()))
            .prop_map(|(bytes, after)| Body::Leftover(LeftoverRecord { bytes, after }))
            .boxed(),
    ]
}

/// Any record that can be made.
pub fn record() -> impl Strategy<Value = Record> {
    body().prop_map(|body| Record::new(&body).expect("these bodies pass the door"))
}

/// Any comment that the door lets through.
pub fn comment() -> impl Strategy<Value = CommentRecord> {
    let about = (option::of(id()), option::of(id()), option::of(comment_anchor()));
    let says = (words(), option::of(severity()), vec(words(), 0..3), vec(suggested_file(), 0..3));
    (action(), about, says).prop_map(
        |((author, at, seq, via), (review, parent, anchor), (text, severity, tags, suggestion))| {
            CommentRecord { author, at, seq, via, review, parent, anchor, text, severity, tags, suggestion }
        },
    )
}

/// Bytes such as files and their names are made of, rich in pieces of the record tag.
pub fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => vec(any::<u8>(), 0..12),
        2 => "[ -~]{0,20}".prop_map(String::into_bytes),
        1 => (1..=3_usize, 0..3_usize).prop_map(|(end, start)| RECORD_TAG[start.min(end)..end].to_vec()),
        1 => Just(vec![0xf7]),
        1 => Just(vec![0xd9]),
    ];
    vec(piece, 0..5).prop_map(|pieces| pieces.concat())
}

/// Content in which no record can hide.
pub fn plain_bytes() -> impl Strategy<Value = Vec<u8>> {
    content().prop_filter("could hide a record", |bytes| matches!(Line::new(bytes), Line::Text(_)))
}

fn review() -> impl Strategy<Value = ReviewRecord> {
    (action(), words(), words(), plain_bytes(), plain_bytes(), commit(), commit()).prop_map(
        |((author, at, seq, via), title, description, branch, base, base_commit, head)| ReviewRecord {
            author,
            at,
            seq,
            via,
            title,
            description,
            branch,
            base,
            base_commit,
            head,
        },
    )
}

fn edit() -> impl Strategy<Value = EditRecord> {
    let texts = (option::of(words()), option::of(words()), option::of(words()));
    (action(), id(), over(), texts, option::of(plain_bytes()), option::of(plain_bytes())).prop_map(
        |((author, at, seq, via), of, over, (text, title, description), branch, base)| EditRecord {
            author,
            at,
            seq,
            via,
            of,
            over,
            text,
            title,
            description,
            branch,
            base,
        },
    )
}

fn status() -> impl Strategy<Value = StatusRecord> {
    let word = prop_oneof![
        Just(StatusWord::Open),
        Just(StatusWord::Resolved),
        Just(StatusWord::Withdrawn),
        Just(StatusWord::Merged),
        Just(StatusWord::Closed),
    ];
    (
        action(),
        id(),
        over(),
        word,
        option::of(words()),
        option::of(commit()),
        option::of(id()),
        option::of(words()),
    )
        .prop_map(|((author, at, seq, via), of, over, status, reason, by, proposal, source)| {
            StatusRecord { author, at, seq, via, of, over, status, reason, by, proposal, source }
        })
}

fn verdict() -> impl Strategy<Value = VerdictRecord> {
    let word = prop_oneof![Just(Judgement::Approve), Just(Judgement::Changes), Just(Judgement::Comment)];
    (action(), id(), commit(), word, words()).prop_map(
        |((author, at, seq, via), review, head, verdict, text)| VerdictRecord {
            author,
            at,
            seq,
            via,
            review,
            head,
            verdict,
            text,
        },
    )
}

fn signature() -> impl Strategy<Value = SignatureRecord> {
    let format = prop_oneof![
        Just(SignatureFormat::Ssh),
        Just(SignatureFormat::OpenPgp),
        "x-[a-z]{0,8}".prop_map(SignatureFormat::Other),
    ];
    (id(), format, plain_bytes()).prop_map(|(of, format, signature)| SignatureRecord {
        of,
        format,
        signature,
    })
}

fn positions() -> impl Strategy<Value = PositionsRecord> {
    (commit(), number(), vec(entry(), 0..5)).prop_map(|(head, time, entries)| PositionsRecord {
        head,
        time: time.cast_signed(),
        entries,
    })
}

fn entry() -> impl Strategy<Value = RawEntry> {
    let basis = prop_oneof![Just(Basis::Text), Just(Basis::Blob), Just(Basis::History)];
    let state = prop_oneof![
        Just(PositionState::Anchored),
        Just(PositionState::Shifted),
        Just(PositionState::Outdated),
        Just(PositionState::Orphaned),
    ];
    let candidate = (path(), range(), short_number::<u16>())
        .prop_map(|(path, range, confidence)| Candidate { path, range, confidence });
    let how = (short_number::<u32>(), basis, state, short_number::<u16>(), words());
    let place = (option::of(path()), option::of(range()), option::of((number(), number())));
    (id(), how, place, vec(candidate, 0..3)).prop_map(
        |(comment, (engine, basis, state, confidence, reason), (path, range, source), candidates)| {
            let entry = PositionEntry {
                comment,
                engine,
                basis,
                state,
                path,
                range,
                confidence,
                reason,
                candidates,
                source,
                origin: EntryOrigin::Elsewhere,
                message: None,
            };
            assert_eq!(entry.to_raw().read().as_ref().ok(), Some(&entry), "an entry reads back as itself");
            entry.to_raw()
        },
    )
}

fn action() -> impl Strategy<Value = (Author, Timestamp, Seq, Option<Box<Via>>)> {
    let via = option::of(via().prop_map(Box::new));
    (author(), number().prop_map(Timestamp), number().prop_map(Seq::new), via)
}

fn author() -> impl Strategy<Value = Author> {
    (words(), words()).prop_map(|(name, email)| Author { name, email })
}

fn via() -> impl Strategy<Value = Via> {
    let kind =
        prop_oneof![Just(ViaKind::Agent), Just(ViaKind::Tool), "x-[a-z]{0,8}".prop_map(ViaKind::Other)];
    let texts = ("[a-z]{1,12}", option::of(words()), option::of(words()));
    (kind, texts, option::of(author())).prop_map(|(kind, (program, version, model), person)| Via {
        kind,
        program,
        version,
        model,
        person,
    })
}

fn comment_anchor() -> BoxedStrategy<CommentAnchor> {
    let context = || vec(line(), 0..=CONTEXT_LINES);
    let message = (commit(), option::of(range()), vec(line(), 0..4), context(), context()).prop_map(
        |(commit, range, lines, before, after)| MessageAnchor { commit, range, lines, before, after },
    );
    prop_oneof![
        3 => anchor().prop_map(CommentAnchor::File),
        1 => message.prop_map(CommentAnchor::Message),
    ]
    .boxed()
}

fn proposal() -> impl Strategy<Value = ProposalRecord> {
    let lines = option::of(vec(any::<u8>(), 0..8).prop_map(|lines| LinesHash::of(&lines)));
    let what = (option::of(commit()), option::of(comment_anchor()), any::<bool>(), lines);
    let what = what.prop_filter("nothing proposed", |(done, anchor, ..)| done.is_some() || anchor.is_some());
    (action(), id(), what, words()).prop_map(|((author, at, seq, via), of, what, text)| {
        let (done, anchor, obsolete, lines) = what;
        ProposalRecord { author, at, seq, via, of, done, obsolete, lines, anchor, text }
    })
}

fn request() -> impl Strategy<Value = RequestRecord> {
    let word = prop_oneof![Just(RequestWord::Asked), Just(RequestWord::Released)];
    (action(), id(), over(), author(), word).prop_map(
        |((author, at, seq, via), review, over, who, request)| RequestRecord {
            author,
            at,
            seq,
            via,
            review,
            over,
            who,
            request,
        },
    )
}

fn anchor() -> BoxedStrategy<Anchor> {
    let side =
        prop_oneof![
            Just(AnchorSide::New),
            (commit(), blob(), option::of(path()))
                .prop_map(|(commit, blob, path)| AnchorSide::Old(OldSide { commit, blob, path })),
        ];
    let place = (option::of(commit()), path(), option::of(blob()), side, option::of(range()));
    let context = || vec(line(), 0..=CONTEXT_LINES);
    let quote =
        (words(), words(), words()).prop_map(|(exact, prefix, suffix)| Quote { exact, prefix, suffix });
    let structure = (option::of(quote), vec(words(), 0..3), vec(line(), 0..3));
    (place, vec(line(), 0..4), context(), context(), structure)
        .prop_map(|((commit, path, blob, side, range), lines, before, after, (quote, headings, scope))| {
            Anchor { commit, path, blob, side, range, lines, before, after, quote, headings, scope }
        })
        .boxed()
}

fn severity() -> impl Strategy<Value = Severity> {
    prop_oneof![
        Just(Severity::Note),
        Just(Severity::Nit),
        Just(Severity::Issue),
        Just(Severity::Blocker),
        Just(Severity::Praise),
        Just(Severity::Question),
        "x-[a-z]{0,8}".prop_map(Severity::Other),
    ]
}

fn suggested_file() -> impl Strategy<Value = SuggestedFile> {
    let edit =
        (number(), number(), plain_bytes()).prop_map(|(start, end, text)| SuggestedEdit { start, end, text });
    let place = (path(), option::of(blob()), option::of(path()));
    (place, option::of(short_number::<u32>()), any::<bool>(), vec(edit, 0..3)).prop_map(
        |((path, blob, new_path), mode, delete, edits)| SuggestedFile {
            path,
            blob,
            new_path,
            mode,
            delete,
            edits,
        },
    )
}

fn line() -> impl Strategy<Value = Line> {
    content().prop_map(|bytes| Line::new(&bytes))
}

fn path() -> impl Strategy<Value = RepoPath> {
    plain_bytes().prop_filter_map("no path", RepoPath::new)
}

fn range() -> impl Strategy<Value = Range> {
    let columns = option::of((short_number(), short_number()));
    (short_number::<u32>(), short_number::<u32>(), columns).prop_filter_map(
        "runs backwards",
        |(a, b, columns)| {
            let lines = LineSpan::from_numbers(a.min(b), a.max(b))?;
            match columns {
                None => Some(Range::lines(lines)),
                Some((start, end)) => {
                    let columns = Columns { start: NonZeroU32::new(start)?, end: NonZeroU32::new(end)? };
                    Range::with_columns(lines, columns)
                }
            }
        },
    )
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![3 => "\\PC{0,12}", 1 => "[a-z\n\0]{0,30}"]
}

/// Any number of any size, but for the byte that the record tag ends in, as in ids: chance would let
/// a tag stand here, and nobody could choose what follows it.
fn number() -> impl Strategy<Value = u64> {
    (any::<u64>(), 0..64_u32).prop_map(|(number, shift)| {
        let bytes = (number >> shift).to_be_bytes();
        u64::from_be_bytes(bytes.map(|byte| if byte == 0xf7 { 0xf6 } else { byte }))
    })
}

fn short_number<T: TryFrom<u64> + std::fmt::Debug>() -> impl Strategy<Value = T> {
    number().prop_filter_map("too large", |number| T::try_from(number & 0xffff_ffff).ok())
}

fn id() -> impl Strategy<Value = RecordId> {
    proptest::array::uniform16(0..0xf0_u8).prop_map(RecordId::from_array)
}

fn over() -> impl Strategy<Value = Vec<RecordId>> {
    vec(id(), 0..3)
}

fn commit() -> impl Strategy<Value = CommitId> {
    object_id().prop_filter_map("wrong length", |bytes| CommitId::from_bytes(&bytes))
}

fn blob() -> impl Strategy<Value = BlobId> {
    object_id().prop_filter_map("wrong length", |bytes| BlobId::from_bytes(&bytes))
}

fn object_id() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(0..0xf0_u8, 20), vec(0..0xf0_u8, 32)]
}
