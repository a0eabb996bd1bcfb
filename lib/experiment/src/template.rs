//! Puts figures, tables and verdicts of results into a text.
//!
//! An instruction stands between `{{` and `}}`. A figure is `QUANTITY SETTING at AXIS=N [in TARGETS]`, two of them with
//! `over` between are their ratio; `confirmed`, `table`, `by-target`, `beaten`, `figure`, `preferred`, `settings`,
//! `targets` and `runs` begin the others (see the page of `report-runs`).

use crate::axis::Axis;
use crate::condition::{beaten_by, ratio, verdict};
use crate::preference::Preference;
use crate::results::Results;
use crate::table::table;
use crate::value::Quantity;
use crate::words::Words;

/// Why a template can't be filled.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("line {line}: {why}")]
pub struct TemplateError {
    /// The line of the template, from 1.
    pub line: usize,
    /// What is wrong with the instruction.
    pub why: String,
}

/// What came of a template.
#[derive(Debug, Default, PartialEq)]
pub struct Fillings {
    /// The text, filled.
    pub text: String,
    /// The figures that are to be drawn, in order.
    pub figures: Vec<FigureOrder>,
}

/// A figure that the text shows.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureOrder {
    /// Its name, to which the file's suffix is added.
    pub name: String,
    /// What it shows.
    pub shows: Shows,
    /// Of which targets; of all where none is named.
    pub targets: Vec<String>,
}

/// What a figure shows.
#[derive(Debug, Clone, PartialEq)]
pub enum Shows {
    /// A quantity of settings along an axis up to a number.
    Quantity {
        /// What goes up.
        quantity: Quantity,
        /// What goes to the right.
        axis: Axis,
        /// How far.
        most: u64,
        /// A line each.
        settings: Vec<String>,
    },
    /// A learner's probabilities by step.
    Learned {
        /// The setting.
        setting: String,
        /// The parameter whose values have a line each.
        parameter: String,
    },
}

/// Fills a template. `place` gives the path by which the text refers to a figure.
///
/// # Errors
/// When an instruction is not understood; the error names its line.
pub fn fill(template: &str, results: &Results, place: impl Fn(&str) -> String) -> Result<Fillings, TemplateError> {
    let mut filled = Fillings::default();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        let line = 1 + template[..template.len() - after.len()].matches('\n').count();
        let wrong = |why: String| TemplateError { line, why };
        let (instruction, after) = after.split_once("}}").ok_or_else(|| wrong("`{{` without `}}`".into()))?;
        filled.text.push_str(before);
        let put = follow(instruction, results, &place, &mut filled.figures);
        filled.text.push_str(&put.map_err(|why| wrong(format!("{{{{{instruction}}}}}: {why}")))?);
        rest = after;
    }
    filled.text.push_str(rest);
    Ok(filled)
}

/// What an instruction puts into the text.
fn follow(
    instruction: &str,
    results: &Results,
    place: impl Fn(&str) -> String,
    figures: &mut Vec<FigureOrder>,
) -> Result<String, String> {
    let mut words = Words::of(instruction);
    let put = if words.take("confirmed") {
        verdict(results, &mut words)?.written().to_owned()
    } else if words.take("table") {
        table(results, &mut words, false)?
    } else if words.take("by-target") {
        table(results, &mut words, true)?
    } else if words.take("beaten") {
        beaten(results, &mut words)?
    } else if words.take("preferred") {
        Preference::read(&mut words)?.written(results)
    } else if words.take("settings") {
        results.settings().len().to_string()
    } else if words.take("targets") {
        results.targets().join(", ")
    } else if words.take("runs") {
        results.runs().len().to_string()
    } else if words.take("figure") {
        let order = figure(&mut words)?;
        let path = place(&order.name);
        figures.push(order);
        path
    } else {
        figures_or_ratio(results, &mut words)?
    };
    words.end()?;
    Ok(put)
}

fn figures_or_ratio(results: &Results, words: &mut Words) -> Result<String, String> {
    let value = words.value()?;
    if !words.take("over") {
        return Ok(value.written(results));
    }
    let ratio = ratio(results, &value, &words.value()?);
    Ok(ratio.map_or("–".into(), |ratio| format!("{ratio:.2}")))
}

/// `SETTING at AXIS=N,N less MARGIN`: the settings that beat it, at each of the points.
fn beaten(results: &Results, words: &mut Words) -> Result<String, String> {
    let setting = words.next("a setting")?;
    words.expect("at")?;
    let (axis, numbers) = words.points()?;
    words.expect("less")?;
    let margin = words.number()?;
    let at = |number: u64| {
        let by = beaten_by(results, setting, (axis, number), margin);
        let names = by.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        format!("at {number} {axis} by {}", if by.is_empty() { "none".into() } else { names })
    };
    Ok(numbers.into_iter().map(at).collect::<Vec<_>>().join(", "))
}

/// `NAME QUANTITY of SETTINGS by AXIS=N [in TARGETS]`, or `NAME learned PARAMETER of SETTING [in TARGETS]`.
fn figure(words: &mut Words) -> Result<FigureOrder, String> {
    let name = words.next("the figure's name")?.to_owned();
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
        return Err(format!("`{name}`: a figure's name has letters, digits and `-`"));
    }
    let shows = if words.take("learned") {
        let parameter = words.next("a parameter")?.to_owned();
        words.expect("of")?;
        Shows::Learned { setting: words.next("a setting")?.to_owned(), parameter }
    } else {
        let quantity = words.next("a quantity")?.parse()?;
        let settings = words.names_after("of")?;
        words.expect("by")?;
        let (axis, numbers) = words.points()?;
        let [most] = numbers[..] else { return Err("one number is wanted after `by`".into()) };
        Shows::Quantity { quantity, axis, most, settings }
    };
    Ok(FigureOrder { name, shows, targets: words.names_after("in")? })
}

#[cfg(test)]
mod tests {
    use super::{FigureOrder, Shows, fill};
    use crate::axis::Axis;
    use crate::results::tests::results;

    fn check(template: &str, expected: &str) {
        assert_eq!(fill(template, &results(), |name| format!("x/{name}.svg")).unwrap().text, expected);
    }

    #[test]
    fn figures_and_verdicts_stand_where_they_were_asked_for() {
        check("a: {{PosCalls a at calls=100 in slv}}, b.", "a: 5.00, b.");
        check("{{PosCalls a at calls=100 over PosCalls b at calls=100}} times", "2.83 times");
        check("{{confirmed PosCalls a at calls=100 > 1}}", "**confirmed**");
        check("{{beaten b at calls=50,100 less 0.01}}", "at 50 calls by `a`, at 100 calls by `a`");
        check("{{runs}} runs of {{settings}} settings: {{targets}}", "7 runs of 2 settings: slv, tgl");
    }

    #[test]
    fn a_figure_is_named_in_the_text_and_ordered() {
        let filled =
            fill("![x]({{figure one relevant of a,b by calls=100 in slv}})", &results(), |n| format!("{n}.svg"))
                .unwrap();
        assert_eq!(filled.text, "![x](one.svg)");
        let settings = vec!["a".into(), "b".into()];
        let quantity = "relevant".parse().unwrap();
        let shows = Shows::Quantity { quantity, axis: Axis::Calls, most: 100, settings };
        assert_eq!(filled.figures, [FigureOrder { name: "one".into(), shows, targets: vec!["slv".into()] }]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let told = |template: &str| fill(template, &results(), str::to_owned).unwrap_err().to_string();
        assert_eq!(told("a\nb {{tabel}}").split(": ").next(), Some("line 2"));
        assert!(told("{{runs").contains("without"));
        assert!(told("{{runs of}}").contains("`of` is too much"));
        assert!(told("{{figure ../x learned m of a}}").contains("a figure's name"));
    }
}
