//! Laws of rendering, over random documents.

use proptest::prelude::*;

use super::map::PieceOrigin;
use super::samples::{document, hostile};
use super::{Rendered, readable, render};

/// The text is covered piece by piece, in the order of the source, and nothing grows without bound.
fn check_map(source: &str, page: &Rendered) {
    let (mut text_at, mut source_at) = (0, 0);
    for piece in page.map().pieces() {
        assert_eq!(piece.rendered.start, text_at, "a gap in the text of {source:?}");
        assert!(piece.source.start >= source_at && piece.source.start <= piece.source.end, "{source:?}");
        assert!(source.is_char_boundary(piece.source.start) && source.is_char_boundary(piece.source.end));
        if piece.origin == PieceOrigin::Verbatim {
            assert_eq!(source[piece.source.clone()], page.text()[piece.rendered.clone()]);
        }
        text_at = piece.rendered.end;
        source_at = piece.source.end;
    }
    assert_eq!(text_at, page.text().len(), "{source:?}");
    assert!(source_at <= source.len());
    assert!(page.text().len() <= 2 * source.len(), "{source:?}");
    assert!(page.map().pieces().len() <= 2 * source.len(), "{source:?}");
}

fn check_sections(source: &str, page: &Rendered) {
    for section in page.outline().sections() {
        assert!(page.text().get(section.rendered()).is_some(), "{source:?}");
        assert!(source.get(section.source()).is_some(), "{source:?}");
    }
}

proptest! {
    #[test]
    fn every_character_leads_back_to_the_source(source in prop_oneof![document(), hostile()]) {
        let page = render(&source).expect("the document is small and flat");
        check_map(&source, &page);
        check_sections(&source, &page);
        prop_assert_eq!(&render(&source).expect("the same document"), &page);
    }

    #[test]
    fn any_bytes_render(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let source = readable(&bytes);
        prop_assert_eq!(source.len(), bytes.len());
        if let Ok(page) = render(&source) {
            check_map(&source, &page);
        }
    }

    #[test]
    fn a_selection_is_in_what_its_source_reads_as(
        source in prop_oneof![document(), hostile()], start in any::<usize>(), length in 1..40_usize,
    ) {
        let page = render(&source).expect("the document is small and flat");
        let text = page.text();
        let start = text.floor_char_boundary(start % (text.len() + 1));
        let end = text.ceil_char_boundary((start + length).min(text.len()));
        let selection = start..end;
        let Some(range) = page.map().source_of(&selection) else { return Ok(()) };
        prop_assert!(source.get(range.clone()).is_some(), "{:?} cuts a character", range);
        // White space between blocks is nobody's, and may fall off either end.
        if text[selection.clone()].trim().is_empty() {
            return Ok(());
        }
        let back = page.map().rendered_of(&range).expect("the selection has words");
        let words = text[selection.clone()].trim();
        prop_assert!(text[back.clone()].contains(words), "{:?} became {:?}", words, &text[back]);
    }
}
