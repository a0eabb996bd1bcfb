//! Measures the built-in model: `evaluate NAME=FILE...`, files of lines "code, tab, text". Prints a
//! page of Markdown.
//!
//! For each set of texts: how many are recognised, by script and by length; each language that is
//! recognised worse than 97 times of 100, with what it is taken for; how well the scores are
//! calibrated, and how fast it went on one thread. `und` counts as a mistake, and so does a
//! language that the model does not know.

use anyhow::Context;
use forage_langid::{Identifier, LanguageCode, Scratch};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Instant;

/// Intervals of the score.
const BINS: usize = 5;

/// Part of a language's texts from which it is not listed.
const GOOD: f64 = 0.97;

/// Texts that were counted, those of them that were recognised.
#[derive(Debug, Default, Clone, Copy)]
struct Share {
    texts: u64,
    right: u64,
}

impl Share {
    fn add(&mut self, is_right: bool) {
        self.texts += 1;
        self.right += u64::from(is_right);
    }

    fn part(self) -> f64 {
        self.right as f64 / self.texts.max(1) as f64
    }
}

/// What was found of a set.
#[derive(Debug, Default)]
struct Results {
    all: Share,
    scripts: BTreeMap<String, Share>,
    lengths: BTreeMap<&'static str, Share>,
    languages: BTreeMap<LanguageCode, (Share, BTreeMap<LanguageCode, u64>)>,
    bins: [(Share, f64); BINS],
    megabytes_a_second: f64,
}

fn main() -> anyhow::Result<()> {
    let mut page = String::new();
    for argument in std::env::args().skip(1) {
        let (name, file) = argument
            .split_once('=')
            .context("usage: evaluate NAME=FILE...")?;
        let text = std::fs::read_to_string(file).with_context(|| file.to_owned())?;
        write(name, &measure(&text)?, &mut page);
    }
    Ok(std::io::stdout().lock().write_all(page.as_bytes())?)
}

fn measure(text: &str) -> anyhow::Result<Results> {
    let mut codes: BTreeMap<&str, LanguageCode> = BTreeMap::new();
    let mut texts = Vec::new();
    for (code, text) in text.lines().filter_map(|line| line.split_once('\t')) {
        if !codes.contains_key(code) {
            codes.insert(code, code.parse()?);
        }
        texts.push((codes[code], text));
    }
    let (identifier, mut scratch) = (Identifier::builtin(), Scratch::default());
    let start = Instant::now();
    let found: Vec<_> = texts
        .iter()
        .map(|(_, text)| identifier.identify_with(&mut scratch, text))
        .collect();
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let mut results = Results {
        megabytes_a_second: bytes as f64 / 1e6 / start.elapsed().as_secs_f64(),
        ..Results::default()
    };
    for ((code, text), found) in texts.into_iter().zip(found) {
        let is_right = found.code == code;
        results.all.add(is_right);
        results
            .scripts
            .entry(found.script.to_string())
            .or_default()
            .add(is_right);
        results
            .lengths
            .entry(length(text))
            .or_default()
            .add(is_right);
        let language = results.languages.entry(code).or_default();
        language.0.add(is_right);
        if !is_right {
            *language.1.entry(found.code).or_default() += 1;
        }
        if found.code != LanguageCode::UNDETERMINED {
            let bin = &mut results.bins[((found.score * BINS as f64) as usize).min(BINS - 1)];
            bin.0.add(is_right);
            bin.1 += found.score;
        }
    }
    Ok(results)
}

fn length(text: &str) -> &'static str {
    match text.chars().filter(|c| c.is_alphabetic()).count() {
        0..20 => "1. under 20",
        20..50 => "2. 20 to 49",
        50..100 => "3. 50 to 99",
        100..200 => "4. 100 to 199",
        200..500 => "5. 200 to 499",
        _ => "6. 500 and more",
    }
}

fn write(name: &str, results: &Results, page: &mut String) {
    // Writing to a string can't fail.
    let Results {
        all,
        scripts,
        lengths,
        languages,
        bins,
        megabytes_a_second,
    } = results;
    let mean = languages
        .values()
        .map(|(share, _)| share.part())
        .sum::<f64>()
        / languages.len().max(1) as f64;
    let _ = writeln!(page, "\n## {name}\n");
    let _ = writeln!(
        page,
        "{} texts in {} languages: {:.1} % recognised; mean of the languages {:.1} %. {megabytes_a_second:.0} MB/s.\n",
        all.texts,
        languages.len(),
        all.part() * 100.0,
        mean * 100.0
    );
    let _ = writeln!(page, "| letters | texts | recognised, % |\n|---|---|---|");
    for (length, share) in lengths {
        let _ = writeln!(
            page,
            "| {} | {} | {:.1} |",
            &length[3..],
            share.texts,
            share.part() * 100.0
        );
    }
    let _ = writeln!(page, "\n| script | texts | recognised, % |\n|---|---|---|");
    for (script, share) in scripts {
        let _ = writeln!(
            page,
            "| {script} | {} | {:.1} |",
            share.texts,
            share.part() * 100.0
        );
    }
    let _ = writeln!(
        page,
        "\n| score | texts | mean score | right |\n|---|---|---|---|"
    );
    for (bin, (share, sum)) in bins
        .iter()
        .enumerate()
        .filter(|(_, (share, _))| share.texts > 0)
    {
        let (from, to) = (bin as f64 / BINS as f64, (bin + 1) as f64 / BINS as f64);
        let mean = sum / share.texts as f64;
        let _ = writeln!(
            page,
            "| {from:.1} to {to:.1} | {} | {mean:.3} | {:.3} |",
            share.texts,
            share.part()
        );
    }
    let mut bad: Vec<_> = languages
        .iter()
        .filter(|(_, (share, _))| share.part() < GOOD)
        .collect();
    bad.sort_by(|a, b| a.1.0.part().total_cmp(&b.1.0.part()).then(a.0.cmp(b.0)));
    let _ = writeln!(
        page,
        "\n{} languages are recognised in {:.0} % and more; the others:\n",
        languages.len() - bad.len(),
        GOOD * 100.0
    );
    let _ = writeln!(
        page,
        "| language | texts | recognised, % | taken for |\n|---|---|---|---|"
    );
    for (code, (share, taken)) in bad {
        let mut taken: Vec<_> = taken.iter().collect();
        taken.sort_by_key(|(_, n)| Reverse(**n));
        let taken: Vec<String> = taken
            .iter()
            .take(4)
            .map(|(code, n)| format!("{code} {n}"))
            .collect();
        let _ = writeln!(
            page,
            "| {code} | {} | {:.1} | {} |",
            share.texts,
            share.part() * 100.0,
            taken.join(", ")
        );
    }
}
