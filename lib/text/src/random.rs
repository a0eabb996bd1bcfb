//! Reproducible pseudo-random numbers.
//!
//! A run must draw the same terms on every machine and after every interruption. A stream of
//! numbers therefore depends only on its purpose (seed, step, target …), not on earlier draws.
//! The generator is implemented here because a library may change its own between versions.

/// A stream of pseudo-random numbers: SplitMix64 (Steele, Lea & Flood 2014), seeded with the BLAKE3
/// hash of its purpose.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Returns the stream for a purpose, which `seed` and `parts` name. Equal arguments give equal
    /// streams on every machine.
    pub fn for_purpose(seed: u64, parts: &[&str]) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        for part in parts {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        let mut start = [0; 8];
        start.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
        Random(u64::from_le_bytes(start))
    }

    /// Returns the next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a uniformly distributed integer in `0..n`.
    ///
    /// # Panics
    /// If `n` is 0.
    pub fn next_below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a draw from an empty range");
        // Multiply and shift, with rejection so that no number is favoured (Lemire 2019).
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(n);
            if (wide as u64) >= n.wrapping_neg() % n {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Returns a uniformly distributed number in `[0, 1)` with 53 random bits.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn equal_purposes_give_equal_streams_and_different_ones_do_not() {
        let draw = |seed, parts: &[&str]| Random::for_purpose(seed, parts).next_u64();
        assert_eq!(draw(1, &["slv", "7"]), draw(1, &["slv", "7"]));
        assert_ne!(draw(1, &["slv", "7"]), draw(2, &["slv", "7"]));
        assert_ne!(draw(1, &["slv", "7"]), draw(1, &["slv7"]));
    }

    #[test]
    fn integers_below_a_bound_are_uniform() {
        let mut random = Random::for_purpose(0, &["even"]);
        let mut counts = [0_u32; 5];
        for _ in 0..50_000 {
            counts[random.next_below(5) as usize] += 1;
        }
        assert!(
            counts.iter().all(|&n| (9_600..10_400).contains(&n)),
            "{counts:?}"
        );
    }

    #[test]
    fn the_first_numbers_are_those_of_splitmix64() {
        let mut random = Random(0);
        // The published first outputs of SplitMix64 from state 0.
        assert_eq!(
            [random.next_u64(), random.next_u64()],
            [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]
        );
    }
}
