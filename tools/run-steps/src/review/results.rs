//! What a review results in: the accepted documents, the report, and filters that fit the verdicts.

use super::{BY, TARGET, final_labels, forget_sample, phase};
use crate::console::shell_quote;
use crate::files::{count_lines, label_of, parse_record};
use crate::run::{PhaseOutput, Run};
use crate::session::ensure_success;
use crate::settings::is_file_name;
use crate::tools::Line;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;

/// Writes the results of the verdicts so far, of a sample of `drawn` documents.
pub fn write(run: &Run, reviewed: &str, drawn: usize) -> Result<()> {
    let mut args = run.settings.options(&[BY, "limit"]);
    args.extend(final_labels(run, reviewed));
    ensure_success(&run.call(&phase(run, "results", args.clone(), reviewed), b"")?)?;
    let accepted = count_lines(&run.path("accepted.jsonl"))?;
    if drawn == 0 {
        check_empty_sample(run, reviewed, accepted)?;
    }
    run.console.inform(format_args!(
        "{accepted} documents in {}, accepted.txt; precision and recall in report.json",
        run.file("accepted.jsonl")
    ));
    let report = fs::read_to_string(run.path("report.json")).context("report.json")?;
    let report = parse_record(&report);
    report_estimates(run, &report);
    report_agreement(run, &report);
    for question in items(&report["questions"]) {
        fit_filter(run, reviewed, &args, question)?;
    }
    Ok(())
}

/// Explains a sample without a document. If nothing is accepted either, nothing has been reviewed.
fn check_empty_sample(run: &Run, reviewed: &str, accepted: usize) -> Result<()> {
    let hint = "--rejected SHARE draws from the rejected ones";
    if accepted > 0 {
        run.console.say(format_args!(
            "no document to judge: all are undoubted or rejected; {hint}, in a new review (remove {})",
            run.folder
        ));
        return Ok(());
    }
    forget_sample(run);
    let draws_rejected = run.settings.is_set("rejected") || run.settings.get(BY) == TARGET;
    let hint = match draws_rejected {
        true => String::new(),
        false => format!("; if it has documents that were rejected, {hint}"),
    };
    bail!("{reviewed}: has no document to judge{hint}")
}

fn report_estimates(run: &Run, report: &Value) {
    let filter = &report["filter"];
    let accepted = &report["accepted"]["precision"];
    let recall = &report["recall"]["recall"];
    let is_assumed = report["accepted"]["undoubted_assumed"] == true;
    let here = match is_assumed {
        true => "accepted here, if undoubted documents are relevant: ",
        false => "accepted here: ",
    };
    for (place, precision, recall) in [
        (
            "accepted by the filter: ",
            &filter["precision"],
            &filter["recall"],
        ),
        (here, accepted, recall),
    ] {
        let estimates = [("precision", precision), ("recall", recall)];
        let shown: Vec<String> = estimates
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name} {}", format_interval(value)?)))
            .collect();
        if !shown.is_empty() {
            run.console
                .inform(format_args!("{place}{}", shown.join(", ")));
        }
    }
}

fn format_interval(value: &Value) -> Option<String> {
    let estimate = value["estimate"].as_f64()?;
    let limits = &value["interval"];
    let (lower, upper) = (limits[0].as_f64()?, limits[1].as_f64()?);
    Some(format!("{estimate:.2} ({lower:.2} to {upper:.2})"))
}

fn report_agreement(run: &Run, report: &Value) {
    for pair in items(&report["agreement"]) {
        let name = |index: usize| pair["people"][index].as_str().unwrap_or_default();
        let kappa = pair["kappa"].as_f64();
        let kappa = kappa.map_or("not defined".into(), |kappa| format!("{kappa:.2}"));
        run.console.inform(format_args!(
            "{} and {} agree on {} of {} documents; Cohen's kappa {kappa}",
            name(0),
            name(1),
            pair["agreed"],
            pair["documents"]
        ));
    }
    let disagreements = items(&report["disagreements"]).len();
    if disagreements > 0 {
        run.console.inform(format_args!(
            "documents with different verdicts count as nonrelevant: {disagreements}, listed in \
             report.json"
        ));
    }
}

/// Makes a filter from the documents of a class that were judged relevant, tries it on what was
/// judged, and says how it is used.
fn fit_filter(run: &Run, reviewed: &str, args: &Line, question: &Value) -> Result<()> {
    let class = question["class"].as_str().unwrap_or_default();
    let count = |name: &str| question[name].as_u64().unwrap_or(0);
    // The files of verdicts begin with this word.
    if count("yes") == 0 || !is_file_name(class) || class.starts_with("judgements") {
        return Ok(());
    }
    let is_language = question["is_language"] == true;
    let kind = if is_language { "language" } else { "subject" };
    let phase = |name, more: &Line| {
        let mut line: Line = vec![kind.into(), class.into()];
        line.extend(more.iter().cloned());
        let mut phase = phase(run, name, line, reviewed);
        phase.output = PhaseOutput::Read;
        phase
    };
    // Its messages are of use only if it fails.
    let (outcome, messages) = run.call_silently(&phase("fit", args))?;
    if !outcome.is_success() {
        run.console.inform(format_args!(
            "{class}: no filter can be made from the verdicts: {}",
            messages.lines().last().unwrap_or_default()
        ));
        return Ok(());
    }
    let label = if is_language { class } else { "on-topic" };
    let mut accepted = [0; 2];
    for (accepted, documents) in accepted.iter_mut().zip(["core", "others"]) {
        let outcome = run.call(&phase("try", &vec![documents.into()]), b"")?;
        ensure_success(&outcome)?;
        let records = String::from_utf8_lossy(&outcome.output);
        let records = records.lines().map(parse_record);
        *accepted = records
            .filter(|record| {
                record["step"].is_object() && label_of(record).is_some_and(|found| found == label)
            })
            .count();
    }
    let file = |name: &str| shell_quote(&run.file(&format!("{class}{name}")));
    let filter = match is_language {
        true => format!("langid --profile {}", file(".profile")),
        false => format!(
            "topic-filter --profile {} --fit {}",
            file("-filter.tsv"),
            file("-core.jsonl")
        ),
    };
    run.console.inform(format_args!(
        "{class}: a filter from the documents judged relevant: {filter}"
    ));
    run.console.inform(format_args!(
        "{class}: it accepts {} of {} documents judged relevant and {} of {} others; the filter of \
         the run accepted {} and {}",
        accepted[0],
        count("yes"),
        accepted[1],
        count("no"),
        count("accepted_yes"),
        count("accepted_no"),
    ));
    if question["is_known"] == true {
        run.console.inform(format_args!(
            "{class}: langid knows it from more texts; with this profile, it may take texts in similar \
             languages for {class}"
        ));
    }
    Ok(())
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
