//! The update rules against values worked out by hand, and properties that hold after any rewards.

use super::gamma::{self, LengthMoments, UNIFORM};
use super::rules::{self, FLOOR, Reward};
use super::{
    DrawAttempt, LENGTHS, LearnerScores, LearnerSpec, LengthModel, METHODS, ParameterDistribution,
    QueryParameter, UpdateRule, draw_sides,
};
use crate::select::{QuerySide, SelectionMethod, SelectionSpec};
use forage_text::Random;
use proptest::prelude::*;

pub(super) const TF: usize = 0;
pub(super) const PTF: usize = 1;
pub(super) const OR: usize = 2;
pub(super) const POR: usize = 3;

/// Ten queries: the index of the method, and true for a success.
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
pub(super) fn assert_near(got: &[f64], expected: &[f64], tolerance: f64, message: &str) {
    let is_near =
        |(got, expected): (&f64, &f64)| got == expected || (got - expected).abs() < tolerance;
    assert!(
        got.len() == expected.len() && got.iter().zip(expected).all(is_near),
        "{message}: {got:?} {expected:?}"
    );
}

/// Applies ten steps, each the index of a method and a result, and compares the numbers of tf, ptf,
/// or, por after each step with the expected ones.
#[track_caller]
pub(super) fn check_steps<R, const N: usize>(
    steps: [(usize, R); 10],
    mut apply: impl FnMut(usize, R) -> Vec<f64>,
    expected: [[f64; N]; 10],
    tolerance: f64,
) {
    for (step, ((m, result), expected)) in steps.into_iter().zip(expected).enumerate() {
        assert_near(
            &apply(m, result),
            &expected,
            tolerance,
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
    check_steps(STEPS, apply, expected, 5e-8);
}

#[test]
fn memoryless_agrees_with_values_worked_out_by_hand() {
    let third = 1.0 / 3.0;
    let only_or = [0.0, 0.0, 1.0, 0.0];
    // A success gives the value probability 1, a failure gives a third to each of the other three,
    // whatever the probabilities were before.
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
    check_rule(rules::update_memoryless, expected);
}

#[test]
fn long_term_additive_agrees_with_values_worked_out_by_hand() {
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
        rules::update_additive(&mut successes, &mut failures, m, reward(is_success));
        successes
            .iter()
            .zip(&failures)
            .map(|(&pos, &neg)| rules::additive_score(pos, neg))
            .collect()
    };
    check_steps(STEPS, apply, expected, 5e-8);
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
            .all(|(got, expected)| (got - expected).abs() < 1e-12),
        "{last:?}"
    );
}

#[test]
fn long_term_multiplicative_agrees_with_values_worked_out_by_hand() {
    // Scores from 1: a success /0.8 (·1.25), a failure ·0.8. OR: 1.25, 1.5625, 1.25, 1.5625,
    // 1.953125. TF: 0.8, 0.64. PTF: 0.8. POR: 1.25, 1. Each row is divided by its sum.
    let scores = [
        [1.0, 1.0, 1.25, 1.0],
        [1.0, 1.0, 1.5625, 1.0],
        [0.8, 1.0, 1.5625, 1.0],
        [0.8, 0.8, 1.5625, 1.0],
        [0.8, 0.8, 1.25, 1.0],
        [0.8, 0.8, 1.25, 1.25],
        [0.8, 0.8, 1.25, 1.0],
        [0.64, 0.8, 1.25, 1.0],
        [0.64, 0.8, 1.5625, 1.0],
        [0.64, 0.8, 1.953125, 1.0],
    ];
    check_rule(
        |p, m, reward| rules::update_multiplicative(p, m, reward, 0.8),
        scores.map(|row| row.map(|score| score / row.iter().sum::<f64>())),
    );
}

#[test]
fn long_term_multiplicative_lets_each_value_recover() {
    let mut p = [0.25; 4];
    for _ in 0..200 {
        rules::update_multiplicative(&mut p, TF, Reward::Failure, 0.9);
    }
    // 0.9^200 is 7e-10; the floor is 1e-4, and its addition is taken from the first of the three
    // equal ones.
    assert!(
        p[TF] == FLOOR && (p[POR] - (1.0 - FLOOR) / 3.0).abs() < 1e-5,
        "{p:?}"
    );
    for _ in 0..55 {
        rules::update_multiplicative(&mut p, TF, Reward::Success, 0.9);
    }
    // 1e-4 / 0.9^55 = 0.0329 against 1/3 of each of the others: it has recovered.
    assert!((0.028..0.036).contains(&p[TF]), "{p:?}");
}

#[test]
fn fading_memory_agrees_with_values_worked_out_by_hand() {
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
    check_rule(rules::update_fading, expected);
}

#[test]
fn the_gamma_model_agrees_with_values_worked_out_by_hand() {
    // One query of mean 5 and mean square 35, and ten successes of these lengths: 11 queries, the
    // sum 5 + 31 = 36, and the sum of squares 35 + 103 = 138.
    let mut moments = UNIFORM;
    for length in [3, 3, 2, 5, 3, 4, 3, 2, 3, 3] {
        gamma::update(
            &mut moments,
            UpdateRule::LongTermAdditive,
            f64::from(length),
            Reward::Success,
        );
    }
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
    let (shape, scale) = gamma::shape_and_scale(&moments);
    assert!(
        (shape - 6889.0 / 888.0).abs() < 1e-9 && (scale - 444.0 / 913.0).abs() < 1e-9,
        "{shape} {scale}"
    );
    let p = gamma::length_probabilities(&moments);
    // p(3) : p(2) = (3.5/2.5)^(k−1) · e^(−1/θ).
    let ratio = (3.5_f64 / 2.5).powf(shape - 1.0) * (-1.0 / scale).exp();
    assert!(
        (p[3] / p[2] - ratio).abs() < 1e-9 && p.iter().all(|&other| other <= p[3]),
        "{p:?}"
    );
}

#[test]
fn the_gamma_model_has_the_memory_of_the_learner() {
    let update = |rule, results: &[(f64, Reward)]| {
        let mut moments = UNIFORM;
        for (length, reward) in results {
            gamma::update(&mut moments, rule, *length, *reward);
        }
        [moments.count, moments.sum, moments.squares]
    };
    let results = [(3.0, Reward::Success), (7.0, Reward::Failure)];
    let uniform = [1.0, 5.0, 35.0];
    // Long-term: 1 + 1, 5 + 3, 35 + 9.
    let long_term = update(UpdateRule::LongTermMultiplicative, &results);
    assert_eq!(long_term, [2.0, 8.0, 44.0]);
    assert_eq!(update(UpdateRule::Memoryless, &results), uniform);
    let last = update(UpdateRule::Memoryless, &[results[1], results[0]]);
    assert_eq!(last, [1.0, 3.0, 9.0]);
    // Fading: 0.9·5 + 0.1·3 = 4.8, then 0.9·4.8 + 0.1·5 = 4.82; 0.9·35 + 0.1·9 = 32.4, then 32.66.
    let fading = update(UpdateRule::FadingMemory, &results);
    for (got, expected) in fading.iter().zip([1.0, 4.82, 32.66]) {
        assert!((got - expected).abs() < 1e-12, "{fading:?}");
    }
}

#[test]
fn the_gamma_model_is_broad_at_first_and_learns_from_successes_alone() {
    let mut gamma = ParameterDistribution::Gamma("lta/id".parse().unwrap(), UNIFORM);
    let start = gamma.probabilities();
    assert!(start.iter().all(|p| (0.01..0.2).contains(p)), "{start:?}");
    gamma.reward(7, Reward::Failure);
    assert_eq!(gamma.probabilities(), start);
    for _ in 0..1_000 {
        gamma.reward(7, Reward::Success);
    }
    assert!(
        gamma.probabilities()[7] > 0.8,
        "{:?}",
        gamma.probabilities()
    );
}

fn selection(text: &str) -> SelectionSpec {
    text.parse().unwrap()
}

#[test]
fn lengths_depend_on_methods_in_the_models_by_method() {
    let mut scores = LearnerScores::new("ltm/di".parse().unwrap());
    scores.reward(selection("or:3"), selection("por:4"), Reward::Success);
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
fn fixed_lengths_stay_and_a_method_that_is_not_learned_changes_nothing() {
    let mut scores = LearnerScores::new("ltm/if:2,5".parse().unwrap());
    let start = scores.clone();
    scores.reward(selection("un:2"), selection("rtfidf:5"), Reward::Success);
    assert_eq!(scores, start);
    for step in 0..50 {
        let (include, exclude) = draw_sides(&scores, 0, step, "slv", DrawAttempt::default());
        assert_eq!((include.length, exclude.length), (2, 5));
    }
}

#[test]
fn draws_follow_the_probabilities() {
    let mut drawn = [0_u32; 3];
    for step in 0..30_000 {
        let mut random = Random::for_purpose(step, &["place"]);
        drawn[super::draw::draw_index(&[0.2, 0.0, 0.8], &mut random)] += 1;
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
            .map(|step| draw_sides(&scores, seed, step, target, DrawAttempt::default()))
            .collect::<Vec<_>>()
    };
    assert_eq!(all(1, "slv"), all(1, "slv"));
    assert!(all(1, "slv") != all(2, "slv") && all(1, "slv") != all(1, "hrv"));
}

#[test]
fn a_query_without_terms_is_not_drawn_even_if_only_length_0_has_a_probability() {
    let mut scores = LearnerScores::new("ml/di".parse().unwrap());
    // For each method, only length 0 has a probability on the side on which it was tried.
    for method in ["tf", "ptf", "or", "por"] {
        scores.reward(
            selection(&format!("{method}:0")),
            selection("tf:3"),
            Reward::Success,
        );
        scores.reward(
            selection("tf:3"),
            selection(&format!("{method}:0")),
            Reward::Success,
        );
    }
    scores.reward(selection("tf:0"), selection("tf:0"), Reward::Success);
    for step in 0..20 {
        let (include, exclude) = draw_sides(&scores, 0, step, "slv", DrawAttempt::default());
        assert!(include.length + exclude.length > 0);
    }
}

fn any_spec() -> impl Strategy<Value = LearnerSpec> {
    use LengthModel::{Fixed, Gamma, GammaByMethod, Multinomial, MultinomialByMethod};
    use UpdateRule::{FadingMemory, LongTermAdditive, LongTermMultiplicative, Memoryless};
    let rules = vec![
        Memoryless,
        LongTermAdditive,
        LongTermMultiplicative,
        FadingMemory,
    ];
    let lengths = vec![
        Fixed(3, 0),
        Multinomial,
        Gamma,
        MultinomialByMethod,
        GammaByMethod,
    ];
    (prop::sample::select(rules), prop::sample::select(lengths))
        .prop_map(|(rule, lengths)| LearnerSpec::new(rule, lengths))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn probabilities_stay_probabilities_after_thousands_of_rewards(
        spec in any_spec(), seed in 0_u64..1_000, success_rate in 0.0..1.0_f64,
    ) {
        let mut random = Random::for_purpose(seed, &["rewards"]);
        let mut scores = LearnerScores::new(spec);
        for step in 0..3_000 {
            let (include, exclude) = draw_sides(&scores, seed, step, "slv", DrawAttempt::default());
            prop_assert!(include.length + exclude.length > 0);
            prop_assert!(include.length.max(exclude.length) < LENGTHS as u32);
            prop_assert!(METHODS.contains(&include.method) && METHODS.contains(&exclude.method));
            scores.reward(include, exclude, reward(random.next_f64() < success_rate));
        }
        for parameter in spec.parameters() {
            let p = scores.probabilities(parameter);
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{parameter}: {p:?}");
            prop_assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{parameter}: {p:?}");
            let has_floor = spec.rule == UpdateRule::LongTermMultiplicative
                && (matches!(parameter, QueryParameter::Method(_))
                    || matches!(
                        spec.lengths,
                        LengthModel::Multinomial | LengthModel::MultinomialByMethod
                    ));
            prop_assert!(!has_floor || p.iter().all(|&p| p >= FLOOR), "{parameter}: {p:?}");
        }
    }

    #[test]
    fn a_value_that_succeeds_more_often_is_drawn_more_often(
        spec in any_spec(), seed in 0_u64..1_000,
    ) {
        // OR succeeds nine times in ten, the others once: every rule must come to draw it more
        // often than by chance.
        let spec = LearnerSpec { lengths: LengthModel::Fixed(3, 3), ..spec };
        let mut scores = LearnerScores::new(spec);
        let mut random = Random::for_purpose(seed, &["works"]);
        let mut drawn = 0;
        for step in 0..600 {
            let (include, exclude) = draw_sides(&scores, seed, step, "slv", DrawAttempt::default());
            let success_rate = if include.method == SelectionMethod::Or { 0.9 } else { 0.1 };
            drawn += u32::from(include.method == SelectionMethod::Or && step >= 300);
            scores.reward(include, exclude, reward(random.next_f64() < success_rate));
        }
        prop_assert!(drawn > 110, "{} of 300", drawn);
    }
}

#[test]
fn further_draws_differ_and_an_engine_that_needs_an_inclusion_term_gets_one() {
    let scores = LearnerScores::new("ltm/ii".parse().unwrap());
    let draw_after = |previous_draws| {
        let attempt = DrawAttempt {
            previous_draws,
            needs_inclusion: false,
        };
        draw_sides(&scores, 3, 7, "slv", attempt)
    };
    assert!((1..9).any(|draws| draw_after(draws) != draw_after(0)));
    assert!(draw_after(0) == draw_sides(&scores, 3, 7, "slv", DrawAttempt::default()));
    let attempt = DrawAttempt {
        previous_draws: 0,
        needs_inclusion: true,
    };
    for step in 1..300 {
        let (include, _) = draw_sides(&scores, 0, step, "slv", attempt);
        assert!(include.length > 0, "step {step}");
    }
}
