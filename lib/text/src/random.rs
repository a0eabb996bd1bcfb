//! Randomness that depends on named things alone.
//!
//! A run must draw the same terms on every machine and after every interruption, so a draw depends
//! on what it is for (seed, step, target …) and on nothing that happened before it; and the
//! generator is spelt out here, because a library may change its own between versions.

/// A stream of random numbers: SplitMix64 (Steele, Lea & Flood 2014), seeded by BLAKE3 of its
/// purpose.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The stream for a purpose, named by its parts. Equal parts give equal streams, everywhere.
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

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number in `0..n`, each equally likely. `n` must not be 0.
    pub fn next_below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "a draw from nothing");
        // Multiply and shift (Lemire 2019), with the rejection that makes it exact.
        loop {
            let wide = u128::from(self.next_u64()) * u128::from(n);
            if (wide as u64) >= n.wrapping_neg() % n {
                return (wide >> 64) as u64;
            }
        }
    }

    /// A number in `[0, 1)`, of 53 random bits.
    pub fn next_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn equal_purposes_give_equal_streams_and_others_do_not() {
        let draw = |seed, parts: &[&str]| Random::for_purpose(seed, parts).next_u64();
        assert_eq!(draw(1, &["slv", "7"]), draw(1, &["slv", "7"]));
        assert_ne!(draw(1, &["slv", "7"]), draw(2, &["slv", "7"]));
        assert_ne!(draw(1, &["slv", "7"]), draw(1, &["slv7"]));
    }

    #[test]
    fn draws_below_a_bound_evenly() {
        let mut random = Random::for_purpose(0, &["even"]);
        let mut seen = [0_u32; 5];
        for _ in 0..50_000 {
            seen[random.next_below(5) as usize] += 1;
        }
        assert!(
            seen.iter().all(|&n| (9_600..10_400).contains(&n)),
            "{seen:?}"
        );
    }

    #[test]
    fn the_first_numbers_never_change() {
        let mut random = Random(0);
        // The published first outputs of SplitMix64 from state 0.
        assert_eq!(
            [random.next_u64(), random.next_u64()],
            [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4]
        );
    }
}
