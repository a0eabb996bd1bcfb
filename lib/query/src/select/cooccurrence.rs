//! Co-occurrence-aware selection (`co`): k terms of one document, which is drawn at random
//! (`docs/algorithms.md`, "Term selection").
//!
//! Long queries of independently drawn terms mostly return nothing, because no document has all of
//! the terms (Ghani et al. 2001 report this for POR). Here at least one document has them. Terms
//! are drawn from it with probability proportional to tf · OR, where tf is the frequency in the own
//! classes. Weighting by OR alone selects mostly names and misspellings that no other document has,
//! and df is uninformative while there is only one document. Measured on 50 queries of nine terms
//! with ten hits each: weighted by df · OR, all queries but the first returned nothing new;
//! weighted by tf · OR they returned 103 Slovenian and 304 Tagalog documents.

use super::random_draw::{draw_class, remove_weighted};
use super::{ClassContrast, SelectedTerm, TermLookup};
use crate::statistics::{Result, Statistics};
use crate::term_list::unpack_terms;
use forage_text::Random;
use std::collections::HashMap;

/// Maximum number of terms of a document that are weighed, so that a book costs no more than a
/// page. Set by judgement, not measured.
const MAX_TERMS: usize = 1_000;

/// Number of documents that are drawn before the best selection is returned, although it is shorter
/// than `length`. Set by judgement, not measured.
const MAX_DOCUMENTS: usize = 10;

/// Draws `length` terms of one document; fewer if none of the drawn documents has so many.
pub(super) fn draw_cooccurring_terms(
    statistics: &Statistics,
    contrast: &ClassContrast,
    length: u32,
    avoid: &[SelectedTerm],
    random: &mut Random,
) -> Result<Vec<SelectedTerm>> {
    let mut lookup = TermLookup::prepare(statistics, contrast)?;
    let mut best = Vec::new();
    for _ in 0..MAX_DOCUMENTS {
        let ids = draw_document_terms(statistics, contrast, random)?;
        let mut weighted_terms = weigh_terms(&mut lookup, contrast, &ids, avoid)?;
        let mut drawn = Vec::new();
        while drawn.len() < length as usize
            && let Some(term) = remove_weighted(&mut weighted_terms, random)
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

/// Draws a document of the own classes uniformly and returns the ids of its terms; a random sample
/// of them if there are more than [`MAX_TERMS`].
fn draw_document_terms(
    statistics: &Statistics,
    contrast: &ClassContrast,
    random: &mut Random,
) -> Result<Vec<i64>> {
    let Some((class, index)) = draw_class(&contrast.own, |class| class.documents, random) else {
        return Ok(Vec::new());
    };
    let is_unordered = statistics.is_unordered()?;
    let by_key = "SELECT n FROM document_key WHERE class = ?1 ORDER BY key, n LIMIT 1 OFFSET ?2";
    let n = match is_unordered {
        true => (statistics.db).read_row(by_key, (class, index), |row| row.get(0))?,
        false => index + 1,
    };
    let sql = "SELECT terms FROM document WHERE class = ?1 AND n = ?2";
    let packed: Option<Vec<u8>> = statistics.db.find_value(sql, (class, n))?;
    let packed = packed.unwrap_or_default();
    let mut ids: Vec<i64> = unpack_terms(&packed).map(|(id, _)| id).collect();
    if is_unordered {
        sort_by_text(statistics, &mut ids)?;
    }
    if ids.len() > MAX_TERMS {
        for index in 0..MAX_TERMS {
            let remaining = (ids.len() - index) as u64;
            ids.swap(index, index + random.next_below(remaining) as usize);
        }
        ids.truncate(MAX_TERMS);
    }
    Ok(ids)
}

/// Sorts terms by their code points.
fn sort_by_text(statistics: &Statistics, ids: &mut [i64]) -> Result<()> {
    let mut texts = HashMap::new();
    let sql = "SELECT text FROM term WHERE id = ?1";
    for &id in &*ids {
        let text: String = statistics.db.read_row(sql, [id], |row| row.get(0))?;
        texts.insert(id, text);
    }
    ids.sort_by(|a, b| texts.get(a).cmp(&texts.get(b)));
    Ok(())
}

/// Returns the terms with a positive log odds ratio, weighted by tf · OR.
fn weigh_terms(
    lookup: &mut TermLookup,
    contrast: &ClassContrast,
    ids: &[i64],
    avoid: &[SelectedTerm],
) -> Result<Vec<(f64, SelectedTerm)>> {
    let mut weighted_terms = Vec::new();
    for &id in ids {
        let row = lookup.term_by_id(id)?;
        let counts = lookup.counts(&row)?;
        let score = contrast.log_odds_ratio(counts);
        if score > 0.0
            && !avoid.iter().any(|other| other.term == row.text)
            && !lookup.is_pruned(&row)?
        {
            let weight = counts.tf as f64 * score;
            weighted_terms.push((weight, counts.to_selected_term(row.text, score)));
        }
    }
    Ok(weighted_terms)
}

#[cfg(test)]
mod tests {
    use super::draw_cooccurring_terms;
    use crate::counter::tests::fill_statistics;
    use crate::select::{ClassContrast, QuerySide, SelectedTerm};
    use crate::statistics::Statistics;
    use forage_text::Random;

    fn draw(
        statistics: &Statistics,
        length: u32,
        avoid: &[SelectedTerm],
        seed: u64,
    ) -> Vec<SelectedTerm> {
        let classes = statistics.classes().unwrap();
        let contrast =
            ClassContrast::new(statistics, &classes, "slv", None, QuerySide::Include).unwrap();
        draw_cooccurring_terms(
            statistics,
            &contrast,
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
    fn all_terms_are_from_one_document() {
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
    fn returns_fewer_terms_if_there_are_no_more_and_skips_terms_to_avoid() {
        let (_dir, statistics) = fill_statistics(&TEXTS, 3);
        let first = draw(&statistics, 10, &[], 1);
        // `dan` is in all documents of both classes, so its log odds ratio is 0. That leaves three
        // terms of either document.
        assert_eq!(first.len(), 3, "{first:?}");
        let rest = draw(&statistics, 10, &first[..1], 1);
        assert!(
            rest.iter().all(|ranked| ranked.term != first[0].term),
            "{rest:?}"
        );
    }

    #[test]
    fn frequent_terms_are_drawn_more_often() {
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
