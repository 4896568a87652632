//! Draws some of many, the same ones on every machine.

/// Draws so many of the items by a seed; they keep their order.
pub fn draw<T>(items: Vec<T>, count: usize, seed: u64) -> Vec<T> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut left = items.len() as u64;
    let mut wanted = count as u64;
    let mut drawn = Vec::with_capacity(count.min(items.len()));
    for item in items {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        // Each of those left has the same chance to be among those still wanted.
        if (state >> 11) % left < wanted {
            drawn.push(item);
            wanted -= 1;
        }
        left -= 1;
    }
    drawn
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_draws_the_same_ones_again_and_another_seed_others() {
        let of = |seed| draw((0..1_000).collect::<Vec<_>>(), 100, seed);
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert_eq!(of(3).len(), 100);
        assert!(of(4).is_sorted());
        assert_eq!(draw(vec![1, 2], 5, 1), [1, 2]);
    }
}
