//! Compresses objects one after the other.
//!
//! Setting up zlib costs more than compressing a note, so each thread has one compressor for all of them.

use std::cell::RefCell;

use gix::zlib::stream::deflate::{Compress, FlushCompress};
use gix::zlib::{Compression, Status};

thread_local! {
    static COMPRESSOR: RefCell<Option<(Compression, Compress)>> = const { RefCell::new(None) };
}

/// Makes one stream of `bytes`.
pub(in crate::git) fn deflate(bytes: &[u8], compression: Compression) -> gix::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        if kept.as_ref().is_some_and(|(level, _)| *level != compression) {
            *kept = None;
        }
        let (_, compress) = kept.get_or_insert_with(|| (compression, Compress::new(compression)));
        deflate_with(compress, bytes)
    })
}

fn deflate_with(compress: &mut Compress, bytes: &[u8]) -> gix::Result<Vec<u8>> {
    compress.reset();
    // What zlib needs at most for bytes that it cannot make smaller.
    let mut out = vec![0; bytes.len() + bytes.len() / 8 + 64];
    let (mut read, mut written) = (0, 0);
    loop {
        let (read_before, written_before) = (compress.total_in(), compress.total_out());
        let status = compress.compress(&bytes[read..], &mut out[written..], FlushCompress::Finish)?;
        read += (compress.total_in() - read_before) as usize;
        written += (compress.total_out() - written_before) as usize;
        if status == Status::StreamEnd {
            out.truncate(written);
            return Ok(out);
        }
        out.resize(out.len() * 2, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_made_in_a_row_are_each_whole() {
        let mut state = 1_u32;
        let mut noise = |length: usize| -> Vec<u8> {
            let step = |_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            };
            (0..length).map(step).collect()
        };
        let inputs =
            [Vec::new(), b"note".repeat(3000), noise(70_000), noise(1), vec![0; 1 << 20], noise(300)];
        for level in [Compression::NONE, Compression::BEST_SPEED, Compression::DEFAULT] {
            for input in &inputs {
                let stream = deflate(input, level).unwrap();
                let mut back = vec![0; input.len()];
                let (status, consumed, length) =
                    gix::zlib::Inflate::default().once(&stream, &mut back).unwrap();
                assert_eq!((status, consumed, length), (Status::StreamEnd, stream.len(), input.len()));
                assert!(back == *input);
            }
        }
    }
}
