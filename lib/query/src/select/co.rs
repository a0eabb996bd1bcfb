//! k terms that occur together: all from one document of the side, drawn at random (ALGORITHMS §5,
//! "Co-occurrence-aware selection").
//!
//! Long queries of terms that are drawn apart mostly return nothing, as no document has them all
//! (CorpusBuilder's finding on POR). Here at least one has. Terms are drawn from it with
//! probability proportional to tf · OR, tf being that of the side: by OR alone most would be names
//! and misspellings that no other document has, and df says nothing while there is but one
//! document. Of 50 queries of nine terms with ten hits each, weighed by df · OR, all but the first
//! found nothing new; weighed by tf · OR they found 103 Slovenian and 304 Tagalog documents.

use super::SelectedTerm;
use super::draw::{pick, take_by_weight};
use super::sides::{ClassContrast, TermLookup};
use crate::counter::unpack_terms;
use crate::statistics::Statistics;
use forage_text::Random;
use rusqlite::OptionalExtension;

/// Most terms of a document that are looked at, so that a book costs no more than a page.
const TERMS: usize = 1_000;

/// Documents drawn in vain after which none is expected to have `length` terms; the best of them is
/// taken.
const TRIES: usize = 10;

/// Draws `length` terms of one document; fewer where the documents that were drawn have no more.
pub(super) fn together(
    from: &Statistics,
    sides: &ClassContrast,
    length: u32,
    avoid: &[SelectedTerm],
    random: &mut Random,
) -> rusqlite::Result<Vec<SelectedTerm>> {
    let mut reads = TermLookup::prepare(from, sides)?;
    let mut best = Vec::new();
    for _ in 0..TRIES {
        let ids = terms_of_a_document(from, sides, random)?;
        let mut weighed = weigh(&mut reads, sides, &ids, avoid)?;
        let mut drawn = Vec::new();
        while drawn.len() < length as usize
            && let Some(term) = take_by_weight(&mut weighed, random)
        {
            drawn.push(term);
        }
        if drawn.len() > best.len() {
            best = drawn;
        }
        if best.len() == length as usize {
            break;
        }
    }
    Ok(best)
}

/// The terms of a document of the side, each document equally likely; a sample of them where they
/// are many.
fn terms_of_a_document(
    from: &Statistics,
    sides: &ClassContrast,
    random: &mut Random,
) -> rusqlite::Result<Vec<i64>> {
    let Some((class, n)) = pick(&sides.own, |class| class.documents, random) else {
        return Ok(Vec::new());
    };
    let mut document = from
        .db
        .prepare_cached("SELECT terms FROM document WHERE class = ?1 AND n = ?2")?;
    let packed: Option<Vec<u8>> = document
        .query_row((class, n + 1), |row| row.get(0))
        .optional()?;
    let mut ids: Vec<i64> = unpack_terms(&packed.unwrap_or_default())
        .map(|(id, _)| id)
        .collect();
    if ids.len() > TERMS {
        for place in 0..TERMS {
            let left = (ids.len() - place) as u64;
            ids.swap(place, place + random.next_below(left) as usize);
        }
        ids.truncate(TERMS);
    }
    Ok(ids)
}

/// The terms that speak for the side, with tf · OR as their weight.
fn weigh(
    reads: &mut TermLookup,
    sides: &ClassContrast,
    ids: &[i64],
    avoid: &[SelectedTerm],
) -> rusqlite::Result<Vec<(f64, SelectedTerm)>> {
    let mut weighed = Vec::new();
    for &id in ids {
        let row = reads.term(id)?;
        let counts = reads.counts(&row)?;
        let score = sides.log_odds_ratio(counts);
        if score > 0.0
            && !avoid.iter().any(|other| other.term == row.text)
            && !reads.is_pruned(&row)?
        {
            weighed.push((counts.tf as f64 * score, counts.ranked(row.text, score)));
        }
    }
    Ok(weighed)
}

#[cfg(test)]
mod tests {
    use super::together;
    use crate::counter::tests::fill_statistics;
    use crate::select::{ClassContrast, QuerySide, SelectedTerm};
    use crate::statistics::Statistics;
    use forage_text::Random;

    fn draw(
        from: &Statistics,
        length: u32,
        avoid: &[SelectedTerm],
        seed: u64,
    ) -> Vec<SelectedTerm> {
        let classes = from.classes().unwrap();
        let sides = ClassContrast::new(from, &classes, "slv", None, QuerySide::Include).unwrap();
        together(
            from,
            &sides,
            length,
            avoid,
            &mut Random::for_purpose(seed, &["co"]),
        )
        .unwrap()
    }

    const TEXTS: [(&str, &str); 3] = [
        ("slv", "dober dan lepa hiša"),
        ("slv", "velika reka teče dan"),
        ("eng", "a big river runs by dan"),
    ];

    #[test]
    fn all_terms_are_of_one_document() {
        let (_dir, statistics) = fill_statistics(&TEXTS, 3);
        for seed in 0..50 {
            let drawn = draw(&statistics, 3, &[], seed);
            let is_in = |text: &str| {
                drawn
                    .iter()
                    .all(|ranked| text.split(' ').any(|word| word == ranked.term))
            };
            assert!(
                drawn.len() == 3 && (is_in(TEXTS[0].1) || is_in(TEXTS[1].1)),
                "{drawn:?}"
            );
        }
    }

    #[test]
    fn gives_what_there_is_without_what_is_to_be_avoided() {
        let (_dir, statistics) = fill_statistics(&TEXTS, 3);
        let first = draw(&statistics, 10, &[], 1);
        // `dan` is in all documents of either class: its odds ratio is 0. Three are left of either
        // document.
        assert_eq!(first.len(), 3, "{first:?}");
        let rest = draw(&statistics, 10, &first[..1], 1);
        assert!(
            rest.iter().all(|ranked| ranked.term != first[0].term),
            "{rest:?}"
        );
    }

    #[test]
    fn frequent_terms_come_first() {
        let (_dir, statistics) = fill_statistics(
            &[
                ("slv", &format!("{} redko", "pogosto ".repeat(99))),
                ("eng", "often seldom"),
            ],
            2,
        );
        let frequent = (0..200)
            .filter(|&seed| draw(&statistics, 1, &[], seed)[0].term == "pogosto")
            .count();
        assert!(frequent > 190, "{frequent}");
    }
}
