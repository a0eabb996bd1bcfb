//! The rules against numbers worked out by hand, and what must hold after any rewards.

use super::lengths::{self, LengthMoments, UNIFORM};
use super::rules::{self, FLOOR, Reward};
use super::{
    DrawAttempt, LENGTHS, LearnerScores, LearnerSpec, LengthModel, METHODS, ParameterDistribution,
    QueryParameter, UpdateRule, draw,
};
use crate::select::SelectionSpec;
use crate::select::{QuerySide, SelectionMethod};
use forage_text::Random;
use proptest::prelude::*;

pub(super) const TF: usize = 0;
pub(super) const PTF: usize = 1;
pub(super) const OR: usize = 2;
pub(super) const POR: usize = 3;

/// Ten queries: the place of the method, and whether it succeeded.
const STEPS: [(usize, bool); 10] = [
    (OR, true),
    (OR, true),
    (TF, false),
    (PTF, false),
    (OR, false),
    (POR, true),
    (POR, false),
    (TF, false),
    (OR, true),
    (OR, true),
];

fn reward(is_success: bool) -> Reward {
    if is_success {
        Reward::Success
    } else {
        Reward::Failure
    }
}

#[track_caller]
pub(super) fn assert_near(found: &[f64], expected: &[f64], within: f64, what: &str) {
    let near =
        |(found, expected): (&f64, &f64)| found == expected || (found - expected).abs() < within;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(near),
        "{what}: {found:?} {expected:?}"
    );
}

/// Applies ten steps, each the place of the method and what came of it, and compares the numbers of
/// tf, ptf, or, por after each with what was worked out.
#[track_caller]
pub(super) fn check<R, const N: usize>(
    steps: [(usize, R); 10],
    mut apply: impl FnMut(usize, R) -> Vec<f64>,
    expected: [[f64; N]; 10],
    within: f64,
) {
    for (step, ((m, came), expected)) in steps.into_iter().zip(expected).enumerate() {
        assert_near(
            &apply(m, came),
            &expected,
            within,
            &format!("step {}", step + 1),
        );
    }
}

/// Checks the probabilities that a rule gives after each of [`STEPS`].
#[track_caller]
fn check_rule(rule: fn(&mut [f64], usize, Reward), expected: [[f64; 4]; 10]) {
    let mut p = [0.25; 4];
    let apply = |m, is_success| {
        rule(&mut p, m, reward(is_success));
        p.to_vec()
    };
    check(STEPS, apply, expected, 5e-8);
}

#[test]
fn memoryless_by_hand() {
    let third = 1.0 / 3.0;
    let only_or = [0.0, 0.0, 1.0, 0.0];
    // A success puts all on the value, a failure a third on each of the other three, whatever was
    // before.
    let expected = [
        only_or,
        only_or,
        [0.0, third, third, third],
        [third, 0.0, third, third],
        [third, third, 0.0, third],
        [0.0, 0.0, 0.0, 1.0],
        [third, third, third, 0.0],
        [0.0, third, third, third],
        only_or,
        only_or,
    ];
    check_rule(rules::memoryless, expected);
}

#[test]
fn long_term_additive_by_hand() {
    let (mut successes, mut failures) = ([1.0; 4], [1.0; 4]);
    // Each starts at 1/(1+1). OR: 2/3, 3/4, failed 3/5, 4/6, 5/7. TF: 1/3, 1/4. PTF: 1/3. POR: 2/3,
    // failed 2/4.
    let expected = [
        [1. / 2., 1. / 2., 2. / 3., 1. / 2.],
        [1. / 2., 1. / 2., 3. / 4., 1. / 2.],
        [1. / 3., 1. / 2., 3. / 4., 1. / 2.],
        [1. / 3., 1. / 3., 3. / 4., 1. / 2.],
        [1. / 3., 1. / 3., 3. / 5., 1. / 2.],
        [1. / 3., 1. / 3., 3. / 5., 2. / 3.],
        [1. / 3., 1. / 3., 3. / 5., 2. / 4.],
        [1. / 4., 1. / 3., 3. / 5., 2. / 4.],
        [1. / 4., 1. / 3., 4. / 6., 2. / 4.],
        [1. / 4., 1. / 3., 5. / 7., 2. / 4.],
    ];
    let apply = |m, is_success| {
        rules::long_term_additive(&mut successes, &mut failures, m, reward(is_success));
        successes
            .iter()
            .zip(&failures)
            .map(|(&pos, &neg)| rules::additive_score(pos, neg))
            .collect()
    };
    check(STEPS, apply, expected, 5e-8);
    // The sum at the end is 1/4 + 1/3 + 5/7 + 1/2 = (21 + 28 + 60 + 42)/84 = 151/84.
    let last = ParameterDistribution::Counts {
        successes: successes.into(),
        failures: failures.into(),
    }
    .probabilities();
    let expected = [21.0, 28.0, 60.0, 42.0].map(|part| part / 151.0);
    assert!(
        last.iter()
            .zip(expected)
            .all(|(found, expected)| (found - expected).abs() < 1e-12),
        "{last:?}"
    );
}

#[test]
fn long_term_multiplicative_by_hand() {
    // LearnerScores from 1: a success ·1.1, a failure ·0.9. OR: 1.1, 1.21, 1.089, 1.1979, 1.31769. TF:
    // 0.9, 0.81. PTF: 0.9. POR: 1.1, 0.99. Each row is divided by its sum.
    let scores = [
        [1.0, 1.0, 1.1, 1.0],
        [1.0, 1.0, 1.21, 1.0],
        [0.9, 1.0, 1.21, 1.0],
        [0.9, 0.9, 1.21, 1.0],
        [0.9, 0.9, 1.089, 1.0],
        [0.9, 0.9, 1.089, 1.1],
        [0.9, 0.9, 1.089, 0.99],
        [0.81, 0.9, 1.089, 0.99],
        [0.81, 0.9, 1.1979, 0.99],
        [0.81, 0.9, 1.31769, 0.99],
    ];
    check_rule(
        rules::long_term_multiplicative,
        scores.map(|row| row.map(|score| score / row.iter().sum::<f64>())),
    );
}

#[test]
fn long_term_multiplicative_lets_no_value_die() {
    let mut p = [0.25; 4];
    (0..200).for_each(|_| rules::long_term_multiplicative(&mut p, TF, Reward::Failure));
    // 0.9^200 is 7e-10; the floor is 1e-4, and what it lends comes from the first of the three
    // equal ones.
    assert!(
        p[TF] == FLOOR && (p[POR] - (1.0 - FLOOR) / 3.0).abs() < 1e-5,
        "{p:?}"
    );
    (0..60).for_each(|_| rules::long_term_multiplicative(&mut p, TF, Reward::Success));
    // 1e-4 · 1.1^60 = 0.0304 against 1 of the others: it has come back.
    assert!((0.025..0.035).contains(&p[TF]), "{p:?}");
}

#[test]
fn fading_memory_by_hand() {
    // Each step: all ·0.9; then a success +0.1, a failure +0.1/3 to each of the others. The sum
    // stays 1. 1: 0.25·0.9 = 0.225, OR 0.325. 2: 0.225·0.9 = 0.2025, OR 0.2925 + 0.1. 3: TF
    // 0.2025·0.9 = 0.18225, PTF and POR 0.18225 + 0.0333333, OR 0.35325 + 0.0333333. And so on.
    let expected = [
        [0.225, 0.225, 0.325, 0.225],
        [0.2025, 0.2025, 0.3925, 0.2025],
        [0.18225, 0.215583333, 0.386583333, 0.215583333],
        [0.197358333, 0.194025, 0.381258333, 0.227358333],
        [0.210955833, 0.207955833, 0.3431325, 0.237955833],
        [0.18986025, 0.18716025, 0.30881925, 0.31416025],
        [0.204207558, 0.201777558, 0.311270658, 0.282744225],
        [0.183786803, 0.214933136, 0.313476926, 0.287803136],
        [0.165408122, 0.193439822, 0.382129233, 0.259022822],
        [0.14886731, 0.17409584, 0.44391631, 0.23312054],
    ];
    check_rule(rules::fading_memory, expected);
}

#[test]
fn the_gamma_model_by_hand() {
    // From one query of mean 5 and mean square 35. Ten successes of these lengths; in the end there
    // are 11 queries, the sum is 5 + 31 = 36 and that of the squares 35 + 103 = 138.
    let mut moments = UNIFORM;
    [3, 3, 2, 5, 3, 4, 3, 2, 3, 3]
        .into_iter()
        .for_each(|length| lengths::add(&mut moments, f64::from(length)));
    assert_eq!(
        moments,
        LengthMoments {
            count: 11.0,
            sum: 36.0,
            squares: 138.0
        }
    );
    // Variance 138/11 − (36/11)² = (1518 − 1296)/121 = 222/121. Moved up by ½ the mean is 83/22.
    // k = (83/22)² / (222/121) = 6889/888, θ = (222/121) / (83/22) = 444/913.
    let (shape, scale) = lengths::shape_and_scale(&moments);
    assert!(
        (shape - 6889.0 / 888.0).abs() < 1e-9 && (scale - 444.0 / 913.0).abs() < 1e-9,
        "{shape} {scale}"
    );
    let p = lengths::probabilities(&moments);
    // p(3) : p(2) = (3.5/2.5)^(k−1) · e^(−1/θ).
    let ratio = (3.5_f64 / 2.5).powf(shape - 1.0) * (-1.0 / scale).exp();
    assert!(
        (p[3] / p[2] - ratio).abs() < 1e-9 && p.iter().all(|&other| other <= p[3]),
        "{p:?}"
    );
}

#[test]
fn the_gamma_model_knows_nothing_at_first_and_learns_from_successes_alone() {
    let mut gamma = ParameterDistribution::Gamma(UNIFORM);
    let start = gamma.probabilities();
    assert!(start.iter().all(|p| (0.01..0.2).contains(p)), "{start:?}");
    gamma.reward(7, Reward::Failure);
    assert_eq!(gamma.probabilities(), start);
    (0..1_000).for_each(|_| gamma.reward(7, Reward::Success));
    assert!(
        gamma.probabilities()[7] > 0.8,
        "{:?}",
        gamma.probabilities()
    );
}

fn side(text: &str) -> SelectionSpec {
    text.parse().unwrap()
}

#[test]
fn lengths_are_tied_to_methods_where_the_model_says_so() {
    let mut scores = LearnerScores::new("ltm/di".parse().unwrap());
    scores.reward(side("or:3"), side("por:4"), Reward::Success);
    let p = |method, length: usize| {
        scores.probabilities(QueryParameter::LengthBy(QuerySide::Include, method))[length]
    };
    assert!(
        p(SelectionMethod::Or, 3) > 0.09
            && p(SelectionMethod::Tf, 3) < 0.0910
            && p(SelectionMethod::Or, 3) > p(SelectionMethod::Tf, 3)
    );
    assert!(scores.probabilities(QueryParameter::Method(QuerySide::Exclude))[POR] > 0.25);
    assert!(
        scores
            .probabilities(QueryParameter::Length(QuerySide::Include))
            .is_empty()
    );
}

#[test]
fn fixed_lengths_stay_and_a_foreign_method_teaches_nothing() {
    let mut scores = LearnerScores::new("ltm/if:2,5".parse().unwrap());
    let start = scores.clone();
    scores.reward(side("un:2"), side("rtfidf:5"), Reward::Success);
    assert_eq!(scores, start);
    for step in 0..50 {
        let (include, exclude) = draw(&scores, 0, step, "slv", DrawAttempt::default());
        assert_eq!((include.length, exclude.length), (2, 5));
    }
}

#[test]
fn draws_follow_the_probabilities() {
    let mut drawn = [0_u32; 3];
    for step in 0..30_000 {
        let mut random = Random::for_purpose(step, &["place"]);
        drawn[super::draw::place(&[0.2, 0.0, 0.8], &mut random)] += 1;
    }
    assert!(
        (5_700..6_300).contains(&drawn[0]) && drawn[1] == 0,
        "{drawn:?}"
    );
}

#[test]
fn a_draw_depends_on_seed_step_and_target() {
    let scores = LearnerScores::new("ltm/ii".parse().unwrap());
    let all = |seed, target: &str| {
        (1..30)
            .map(|step| draw(&scores, seed, step, target, DrawAttempt::default()))
            .collect::<Vec<_>>()
    };
    assert_eq!(all(1, "slv"), all(1, "slv"));
    assert!(all(1, "slv") != all(2, "slv") && all(1, "slv") != all(1, "hrv"));
}

#[test]
fn a_query_of_no_length_is_not_drawn_even_where_nothing_else_is_left() {
    let mut scores = LearnerScores::new("ml/di".parse().unwrap());
    // Each method has come to know length 0 alone, on the side on which it was tried.
    for method in ["tf", "ptf", "or", "por"] {
        scores.reward(side(&format!("{method}:0")), side("tf:3"), Reward::Success);
        scores.reward(side("tf:3"), side(&format!("{method}:0")), Reward::Success);
    }
    scores.reward(side("tf:0"), side("tf:0"), Reward::Success);
    for step in 0..20 {
        let (include, exclude) = draw(&scores, 0, step, "slv", DrawAttempt::default());
        assert!(include.length + exclude.length > 0);
    }
}

fn any_spec() -> impl Strategy<Value = LearnerSpec> {
    use LengthModel::{Fixed, Gamma, GammaByMethod, Multinomial, MultinomialByMethod};
    use UpdateRule::{
        Exp3, FadingMemory, LongTermAdditive, LongTermMultiplicative, Memoryless, Thompson, Ucb,
    };
    let rules = vec![
        Memoryless,
        LongTermAdditive,
        LongTermMultiplicative,
        FadingMemory,
        Thompson,
        Ucb,
        Exp3,
    ];
    let lengths = vec![
        Fixed(3, 0),
        Multinomial,
        Gamma,
        MultinomialByMethod,
        GammaByMethod,
    ];
    (prop::sample::select(rules), prop::sample::select(lengths))
        .prop_filter_map("bandits take no Gamma", |(rule, lengths)| {
            LearnerSpec::new(rule, lengths).ok()
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn probabilities_stay_probabilities_after_thousands_of_rewards(
        spec in any_spec(), seed in 0_u64..1_000, often in 0.0..1.0_f64,
    ) {
        let mut random = Random::for_purpose(seed, &["rewards"]);
        let mut scores = LearnerScores::new(spec);
        // Thompson's posterior is integrated at each draw, which takes long without optimisation.
        let steps = if spec.rule == UpdateRule::Thompson { 100 } else { 3_000 };
        for step in 0..steps {
            let (include, exclude) = draw(&scores, seed, step, "slv", DrawAttempt::default());
            prop_assert!(include.length + exclude.length > 0 && include.length.max(exclude.length) < LENGTHS as u32);
            prop_assert!(METHODS.contains(&include.method) && METHODS.contains(&exclude.method));
            scores.reward(include, exclude, reward(random.next_f64() < often));
        }
        for parameter in spec.parameters() {
            let p = scores.probabilities(parameter);
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{parameter}: {p:?}");
            prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{parameter}: {p:?}");
            let has_floor = spec.rule == UpdateRule::LongTermMultiplicative
                && (matches!(parameter, QueryParameter::Method(_))
                    || matches!(spec.lengths, LengthModel::Multinomial | LengthModel::MultinomialByMethod));
            prop_assert!(!has_floor || p.iter().all(|&p| p >= FLOOR), "{parameter}: {p:?}");
        }
    }

    #[test]
    fn a_value_that_works_is_drawn_more_and_more(rule in any_spec(), seed in 0_u64..1_000) {
        // OR succeeds nine times in ten, the others once: every rule must come to prefer it to
        // chance.
        let mut scores = LearnerScores::new(LearnerSpec { lengths: LengthModel::Fixed(3, 3), ..rule });
        let mut random = Random::for_purpose(seed, &["works"]);
        let mut drawn = 0;
        for step in 0..600 {
            let (include, exclude) = draw(&scores, seed, step, "slv", DrawAttempt::default());
            let often = if include.method == SelectionMethod::Or { 0.9 } else { 0.1 };
            drawn += u32::from(include.method == SelectionMethod::Or && step >= 300);
            scores.reward(include, exclude, reward(random.next_f64() < often));
        }
        prop_assert!(drawn > 110, "{} of 300", drawn);
    }
}

#[test]
fn what_brings_nothing_is_drawn_anew_and_an_engine_that_needs_a_word_gets_one() {
    let scores = LearnerScores::new("ltm/ii".parse().unwrap());
    let first = |attempt| draw(&scores, 3, 7, "slv", attempt);
    let of = |before| {
        first(DrawAttempt {
            before,
            needs_inclusion: false,
        })
    };
    assert!((1..9).any(|before| of(before) != of(0)) && of(0) == first(DrawAttempt::default()));
    for step in 1..300 {
        let (include, _) = draw(
            &scores,
            0,
            step,
            "slv",
            DrawAttempt {
                before: 0,
                needs_inclusion: true,
            },
        );
        assert!(include.length > 0, "step {step}");
    }
}
