//! Language profiles and models. Their checksums are set right, so that changes behind them count.

use super::{Target, choice, shape_of, shape_of_error};
use forage_langid::{Identifier, Method, Model, Profile, ProfileLearner};

/// Profiles, as text.
pub const PROFILE: Target = Target {
    dictionary: &[
        "code\t",
        "script\t",
        "name\t",
        "source\t",
        "words\t",
        "margin\t0.5\n",
        "ngrams\t",
        "vocabulary\t",
        "_",
        "\t",
        "check\t",
    ],
    max_bytes: 64 << 10,
    test_inputs: 4000,
    seeds: profile_seeds,
    ..Target::new(
        "profile",
        "language profiles, and models of them",
        run_profile,
    )
};

/// Models, in binary.
pub const MODEL: Target = Target {
    max_bytes: 64 << 10,
    test_inputs: 4000,
    seeds: model_seeds,
    ..Target::new("model", "language models", run_model)
};

/// Texts whose language is identified.
const TEXTS: [&str; 3] = [
    "Danes je lep dan in sonce sije nad mestom.",
    "The water of the river is cold; isn't it?",
    "日本語の文章です。",
];

fn profile_of(code: &str, text: &str) -> Profile {
    let code = code.parse().expect("a code");
    let mut learner = ProfileLearner::default();
    learner.add_text(text);
    learner
        .finish(code, "Name", "source")
        .expect("the text has letters")
        .0
}

fn profiles() -> Vec<Profile> {
    let codes = ["slv", "eng", "jpn"];
    codes
        .iter()
        .zip(TEXTS)
        .map(|(code, text)| profile_of(code, text))
        .collect()
}

fn profile_seeds() -> Vec<Vec<u8>> {
    profiles()
        .iter()
        .map(|profile| profile.to_text().into_bytes())
        .collect()
}

fn model_seeds() -> Vec<Vec<u8>> {
    let profiles = profiles();
    let models = [&profiles[..1], &profiles[..]].map(Model::from_profiles);
    models
        .into_iter()
        .map(|model| model.expect("few profiles").to_bytes())
        .collect()
}

/// Returns the 64-bit FNV-1a hash.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn run_profile(input: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(input);
    let body = &text[..text.rfind("check\t").unwrap_or(text.len())];
    let file = format!("{body}check\t{:016x}\n", fnv1a(body.as_bytes()));
    let profile = match Profile::from_text(file.as_bytes()) {
        Ok(profile) => profile,
        Err(error) => return shape_of_error(error),
    };
    let again = Profile::from_text(profile.to_text().as_bytes());
    assert!(
        again.is_ok(),
        "the written profile cannot be read: {again:?}"
    );
    match Model::from_profiles(&[profile, profile_of("eng", TEXTS[1])]) {
        Ok(model) => identify(model),
        Err(error) => shape_of_error(error),
    }
}

fn run_model(input: &[u8]) -> u64 {
    let mut bytes = input.to_vec();
    if choice(input, 8) > 0 {
        set_checksums(&mut bytes);
    }
    match Model::from_bytes(&bytes) {
        Ok(model) => identify(model),
        Err(error) => shape_of_error(error),
    }
}

/// Sizes of the headers of both parts of a model.
const HEADERS: [usize; 2] = [64, 40];

/// Sets the checksums of both parts: the last eight bytes of their headers, of what follows.
fn set_checksums(bytes: &mut [u8]) {
    let Some(length) = bytes.get(16..24) else {
        return;
    };
    let length = length
        .iter()
        .rev()
        .fold(0_usize, |sum, b| sum << 8 | usize::from(*b));
    let Some((evidence, ranks)) = bytes[24..].split_at_mut_checked(length) else {
        return;
    };
    for (part, header) in [evidence, ranks].into_iter().zip(HEADERS) {
        if part.len() >= header {
            let checksum = fnv1a(&part[header..]).to_le_bytes();
            part[header - 8..header].copy_from_slice(&checksum);
        }
    }
}

fn identify(model: Model) -> u64 {
    let mut kinds = String::new();
    for method in [Method::Evidence, Method::OutOfPlace] {
        let identifier = Identifier::new(model.clone()).with_method(method);
        for text in TEXTS {
            let result = format!("{:?}", identifier.identify(text));
            kinds.extend(result.chars().take(60));
        }
        kinds += &identifier.classes().count().to_string();
    }
    shape_of(&kinds, &[])
}
