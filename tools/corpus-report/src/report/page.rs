//! The page: one HTML file without anything from elsewhere.

use crate::report::contents::{filter_figures, word_figures};
use crate::report::figure::{Figure, Table};
use crate::report::html::{escape, format_count, format_percent};
use crate::report::rows::MAX_ROWS;
use crate::report::run_data::RunData;
use crate::report::sources::{host_figures, page_figures};
use crate::report::texts::{TEXTS_FOLDER, compress};
use crate::report::yields::{learned_figures, query_figures, yield_figures};
use flate2::Compression;
use std::fmt::Write;

/// The first line of each page, by which an earlier version is recognised.
pub const FIRST_LINE: &str = "<!doctype html><!-- corpus-report of Forage -->\n";

/// Number of rows that are part of the page as such, and are printed.
const FIRST_ROWS: usize = 25;
/// Most bytes of a page, as far as the table can make room.
const MAX_BYTES: usize = 1_900_000;
/// Bytes of the page besides its figures and rows.
const FRAME_BYTES: usize = 60_000;

/// Returns the page of one run, or of several side by side.
pub fn render_page(mut runs: Vec<RunData>) -> String {
    let title = match &runs[..] {
        [run] => run.name.clone(),
        runs => format!("{} runs", runs.len()),
    };
    let all: Vec<&RunData> = runs.iter().collect();
    let mut main = String::new();
    match &all[..] {
        [run] => main += &summary(run),
        _ => main += &comparison(&all),
    }
    let mut came = yield_figures(&all);
    if let [run] = &all[..] {
        came.extend(learned_figures(run));
        came.extend(query_figures(run));
    }
    main += &section("yield", "What came, and at what cost", 2, came);
    for (number, run) in runs.iter().enumerate() {
        let mut level = 2;
        if all.len() > 1 {
            let _ = write!(
                main,
                "<h2 id=run{number}>{}</h2>{}",
                escape(&run.name),
                summary(run)
            );
            level = 3;
        }
        let learning = match level {
            2 => Vec::new(), // shown above
            _ => [learned_figures(run), query_figures(run)].concat(),
        };
        let sources = [host_figures(run), page_figures(run)].concat();
        let figures = [
            ("queries", "Queries, and what was learned", learning),
            ("filter", "Classes and the filter", filter_figures(run)),
            ("words", "Words", word_figures(run)),
            ("sources", "Where the documents come from", sources),
        ];
        for (id, title, figures) in figures {
            main += &section(&format!("{id}{number}"), title, level, figures);
        }
    }
    let max_bytes = MAX_BYTES.saturating_sub(main.len() + FRAME_BYTES);
    main += &render_documents(&mut runs, max_bytes);
    assemble(&title, &navigation(&main), &main)
}

/// Puts the page together. Scripts and styles run only with the nonce, which is a hash of the
/// content.
fn assemble(title: &str, navigation: &str, main: &str) -> String {
    let hash = blake3::hash(main.as_bytes()).to_hex();
    let nonce = &hash[..32];
    let title = escape(title);
    format!(
        "{FIRST_LINE}<html lang=en><meta charset=utf-8>\n\
         <meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=viewport content=\"width=device-width, initial-scale=1\"><meta name=referrer content=no-referrer>\n\
         <title>Corpus report: {title}</title>\n<style nonce={nonce}>\n{}</style>\n\
         <body><header><h1><small>Corpus report</small> {title}</h1>{navigation}</header>\n<main>\n{main}</main>\n\
         <footer>Written by corpus-report of Forage.</footer>\n<script nonce={nonce}>\n{}</script>\n</html>\n",
        include_str!("page.css"),
        include_str!("page.js"),
    )
}

/// Returns links to the headings of the second level.
fn navigation(main: &str) -> String {
    let heading = |part: &str| {
        let (id, rest) = part.split_once('>')?;
        let (title, _) = rest.split_once("</h2>")?;
        Some(format!("<li><a href=\"#{id}\">{title}</a>"))
    };
    let items: String = main.split("<h2 id=").skip(1).filter_map(heading).collect();
    format!("<nav aria-label=Sections><ul>{items}</ul></nav>")
}

fn section(id: &str, title: &str, level: u32, figures: Vec<Figure>) -> String {
    if figures.is_empty() {
        return String::new();
    }
    let figures: String = figures.iter().map(Figure::render).collect();
    format!(
        "<section><h{level} id={id}>{title}</h{level}>\n<div class=figures>\n{figures}</div></section>\n"
    )
}

/// Returns what was asked and what came, in a sentence, in numbers and by target.
fn summary(run: &RunData) -> String {
    let now = &run.total.now;
    let mut html = format!("<p class=lead>{}</p>", sentence(run));
    let corpus = run
        .corpus_size
        .map(format_count)
        .unwrap_or_else(|| "not written yet".into());
    let duplicates: u64 = run.duplicates.values().sum();
    let told = |count: u64| {
        if count > 0 {
            format_count(count)
        } else {
            String::new()
        }
    };
    let numbers = [
        ("documents", format_count(now.documents)),
        ("relevant", format_count(now.relevant)),
        ("precision", format_percent(now.relevant, now.documents)),
        ("words in them", format_count(now.tokens)),
        ("in the corpus", corpus),
        ("hosts", format_count(run.hosts.len() as u64)),
        (
            "steps",
            format_count(run.last_step.saturating_sub(run.attempts)),
        ),
        ("attempts", told(run.attempts)),
        ("queries", format_count(now.queries)),
        ("calls", format_count(now.calls)),
        (
            "pages requested",
            told(if run.is_crawl { now.requests } else { 0 }),
        ),
        ("duplicates", told(duplicates)),
        ("errors", told(run.errors.values().sum())),
    ];
    let is_told = |(name, number): &&(&str, String)| {
        !(number.is_empty() || run.is_crawl && ["queries", "calls"].contains(name))
    };
    html += "<dl class=numbers>";
    for (name, number) in numbers.iter().filter(is_told) {
        let _ = write!(html, "<div><dt>{name}<dd>{number}</div>");
    }
    html += "</dl>";
    for remark in remarks(run) {
        let _ = write!(html, "<p>{remark}");
    }
    if run.by_target.len() > 1 {
        html += "<div class=scroll tabindex=0 role=region aria-label=\"Targets\">";
        html += &target_table(run).render("By target");
        html += "</div>";
    }
    let mut settings = Table::new(&["option", "value"]);
    for (key, value) in &run.settings {
        settings.push([key.clone(), value.clone()]);
    }
    for (label, documents) in &run.initial {
        settings.push([
            format!("initial documents: {label}"),
            format_count(*documents),
        ]);
    }
    let _ = write!(
        html,
        "<details><summary>What was asked: options and initial documents</summary>{}</details>",
        settings.render("Options and initial documents")
    );
    html
}

/// Says in a sentence what the run looked for and what it brought.
fn sentence(run: &RunData) -> String {
    let now = &run.total.now;
    let targets: Vec<String> = run
        .targets
        .iter()
        .map(|target| format!("<b data-class>{}</b>", escape(target)))
        .collect();
    let asked = match targets.is_empty() {
        true => "This run has no target yet".to_owned(),
        false => format!("This run looks for {}", targets.join(", ")),
    };
    let engine = run.settings.iter().find(|(key, _)| key == "engine");
    let engine = engine
        .map(|(_, engine)| format!(" in <code>{}</code>", escape(engine)))
        .unwrap_or_default();
    if now.documents == 0 {
        return format!("{asked}{engine}. It has no documents yet.");
    }
    let cost = match (run.is_crawl, now.calls) {
        (true, _) => format!("{} requests", format_count(now.requests)),
        (_, 0) => format!("{} queries", format_count(now.queries)),
        _ => format!(
            "{} queries and {} calls",
            format_count(now.queries),
            format_count(now.calls)
        ),
    };
    format!(
        "{asked}{engine}. From {cost} it has {} documents, of which {} are relevant: {}.",
        format_count(now.documents),
        format_count(now.relevant),
        format_percent(now.relevant, now.documents)
    )
}

/// Returns what a reader has to know of the numbers.
fn remarks(run: &RunData) -> Vec<String> {
    let mut remarks = Vec::new();
    if run.skipped_lines > 0 {
        remarks.push(format!(
            "Lines of the journal that are damaged and not counted: {}.",
            format_count(run.skipped_lines)
        ));
    }
    if let Some(fields) = run.describe_damaged_fields() {
        remarks.push(format!(
            "Fields of the wrong type count as absent: {fields}."
        ));
    }
    let files = run.damaged_files.iter();
    remarks.extend(files.map(|file| format!("Not read: {}.", escape(file))));
    let from_others: u64 = run.from_other_targets.values().sum();
    if from_others > 0 {
        remarks.push(format!(
            "The corpus also has {} documents of one target that queries for another brought.",
            format_count(from_others)
        ));
    }
    let expected = run.total.now.relevant + from_others;
    if let Some(size) = run.corpus_size.filter(|size| *size != expected) {
        remarks.push(format!(
            "The corpus has {} documents, but {expected} are relevant by the labels of the journal: the last filter has labelled all documents again, or the run has gone on since.",
            format_count(size)
        ));
    }
    if run.statistics.is_null() && run.total.now.documents > 0 {
        let is_damaged = !run.damaged_files.is_empty();
        let state = if is_damaged { "no readable" } else { "no" };
        remarks.push(format!("There is {state} report of update-stats, which has coverage and the probabilities of learners."));
    }
    remarks
}

fn target_table(run: &RunData) -> Table {
    let mut table = Table::default();
    for (target, timeline) in &run.by_target {
        let now = &timeline.now;
        let from_others = run.from_other_targets.get(target).copied();
        table.push_named([
            ("target", target.clone()),
            ("documents", format_count(now.documents)),
            ("relevant", format_count(now.relevant)),
            ("precision", format_percent(now.relevant, now.documents)),
            ("queries", format_count(now.queries)),
            ("calls", format_count(now.calls)),
            (
                "from queries for other targets",
                format_count(from_others.unwrap_or(0)),
            ),
        ]);
    }
    table
}

/// Returns the numbers of several runs side by side.
fn comparison(runs: &[&RunData]) -> String {
    let mut table = Table::default();
    for run in runs {
        let now = &run.total.now;
        let targets: Vec<&str> = run.targets.iter().map(String::as_str).collect();
        let corpus = run.corpus_size.map(format_count);
        table.push_named([
            ("run", run.name.clone()),
            ("looks for", targets.join(", ")),
            ("documents", format_count(now.documents)),
            ("relevant", format_count(now.relevant)),
            ("precision", format_percent(now.relevant, now.documents)),
            ("in the corpus", corpus.unwrap_or_default()),
            ("words", format_count(now.tokens)),
            ("hosts", format_count(run.hosts.len() as u64)),
            ("queries", format_count(now.queries)),
            ("calls", format_count(now.calls)),
        ]);
    }
    format!(
        "<div class=scroll tabindex=0 role=region aria-label=\"Runs\">{}</div>",
        table.render("Runs side by side")
    )
}

/// Returns the table of documents: its first rows, and all of them compressed, in at most
/// `max_bytes`.
fn render_documents(runs: &mut [RunData], max_bytes: usize) -> String {
    let seen: usize = runs.iter().map(|run| run.rows.seen()).sum();
    if seen == 0 {
        return String::new();
    }
    let has_names = runs.len() > 1;
    let has_queries = runs.iter().any(|run| run.rows.has_queries);
    let mut limit = MAX_ROWS / runs.len().max(1);
    let mut max_snippet = 130;
    // Shorter snippets first, then fewer rows, until the page is small enough.
    let (rows, packed) = loop {
        let rows: Vec<String> = runs
            .iter_mut()
            .flat_map(|run| {
                let name = has_names.then(|| run.name.clone());
                let rows = run.rows.take(limit).iter();
                rows.map(|row| row.render(name.as_deref(), has_queries, max_snippet))
                    .collect::<Vec<_>>()
            })
            .collect();
        let packed = compress(rows.join("\n").as_bytes(), Compression::default());
        if packed.len() <= max_bytes || limit < FIRST_ROWS {
            break (rows, packed);
        }
        match max_snippet {
            0 => limit /= 2,
            40.. => max_snippet -= 15,
            _ => max_snippet = 0,
        }
    };
    let has_margin = if runs.iter().any(|run| run.has_topic_scores) {
        "score"
    } else {
        "margin"
    };
    let run_header = if has_names {
        "<th scope=col data-sort=text>run"
    } else {
        ""
    };
    let query_header = if has_queries {
        "<th scope=col data-sort=text>query"
    } else {
        ""
    };
    let shown = match rows.len() < seen {
        true => format!(
            "A random sample of {} of {} documents.",
            format_count(rows.len() as u64),
            format_count(seen as u64)
        ),
        false => format!(
            "All {} documents, in the order in which they came.",
            format_count(seen as u64)
        ),
    };
    let texts = match runs.iter().all(|run| run.has_texts) {
        true => TEXTS_FOLDER,
        false => "",
    };
    let opened = match texts {
        "" => "A title opens the excerpt, and says where the whole text is.",
        _ => "A title opens the text.",
    };
    // Of several runs, the rows have the names.
    let run = match &runs[..] {
        [run] => format!(" data-run=\"{}\"", escape(&run.name)),
        _ => String::new(),
    };
    let and_queries = if has_queries { ", queries" } else { "" };
    format!(
        "<section><h2 id=documents>Documents</h2>\n<p>{shown} {opened} Mark what does not belong into the corpus, and save \
         the marks for <code>corpus-export --without FILE</code>.</p>\n\
         <form id=controls role=search hidden><label>Search titles, URLs, excerpts{and_queries} <input type=search id=find></label>\
         <label>Show <select id=which><option value=\"\">all<option value=r>relevant<option value=o>not relevant<option value=d>duplicates<option value=x>marked</select></label>\
         <button type=button id=save>Save marks</button><output id=count aria-live=polite></output></form>\n\
         <div class=scroll tabindex=0 role=region aria-label=Documents><table id=docs data-texts=\"{texts}\" {run}><caption>Documents</caption>\
         <thead><tr><th scope=col data-sort=number>step{run_header}<th scope=col data-sort=text>document{query_header}<th scope=col data-sort=text>label<th scope=col data-sort=number>{has_margin}\
         <th scope=col data-sort=number>words<th scope=col data-sort=text>published<th scope=col>mark</thead>\n<tbody>{}</tbody></table></div>\n\
         <p class=noprint><button type=button id=more hidden>Show more</button></p>\
         <dialog id=reader aria-labelledby=reader-title><form method=dialog><button type=button id=previous>← Previous</button><button type=button id=next>Next →</button><button type=button id=not>Not this one</button><button>Close</button></form>\
         <h3 id=reader-title></h3><p id=reader-about></p><div id=reader-text></div></dialog>\
         <script type=application/gzip id=rows>{packed}</script></section>\n",
        rows.iter()
            .take(FIRST_ROWS)
            .map(|row| format!("\n{row}"))
            .collect::<String>(),
    )
}
