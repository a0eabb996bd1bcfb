//! topic-profile: propose the topic profile of a focused crawl.

mod args;
mod core_documents;
mod general_text;
mod variable_part;

pub use args::LanguageArgs;

use args::Args;
use core_documents::CoreDocuments;
use forage_cli::Io;
use forage_topic::profile::{CandidateEntry, CoreStatistics, EntryKind, TopicProfile};
use std::process::ExitCode;

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    forage_cli::main(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    args.check()?;
    if let Some(folder) = &args.update {
        // Documents that a crawl has recommended add a variable part to a profile.
        return variable_part::run(&args, folder, io);
    }
    let documents = CoreDocuments::read(&args, io)?;
    let language = documents.language(&args)?;
    let mut core = CoreStatistics::new(language);
    documents.add_to(&mut core);
    // The words of the core are contrasted with those of general text.
    let mut general = general_text::read(&args, &mut core, io)?;
    let candidates = core.rank_candidates(&mut general);
    let profile = core.select(&candidates, args.sizes());
    anyhow::ensure!(
        !profile.entries.is_empty(),
        "no entry was found: the core has no word that occurs twice and is more frequent than in \
         general text; it needs more documents, or another --background"
    );
    if args.explain {
        explain(&candidates, &profile, io);
    }
    if let Some(out) = &args.out {
        forage_cli::replace_file(out, profile.to_text().as_bytes(), args.force)?;
    }
    report(&core, &profile, io);
    Ok(())
}

/// Writes a line for each entry of the profile: why it was selected.
fn explain(candidates: &[CandidateEntry], profile: &TopicProfile, io: &mut Io) {
    io.out
        .write_line("class\tstems\tspelling\tcount\tdocuments\thosts\tln odds\tweight");
    let selected = candidates
        .iter()
        .filter(|candidate| profile.entries.contains(&candidate.entry));
    for candidate in selected {
        let entry = &candidate.entry;
        io.out.write_line(&format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{:.2}\t{}",
            entry.kind.name(),
            entry.stems,
            candidate.spelling,
            entry.count,
            candidate.documents,
            candidate.hosts,
            candidate.log_odds,
            entry.vector_weight()
        ));
    }
}

/// Reports the size of the core and of the profile, and warns if either is small.
fn report(core: &CoreStatistics, profile: &TopicProfile, io: &Io) {
    /// Number of documents that Kluev 2000, section 4, advises.
    const ADVISED_DOCUMENTS: usize = 100;
    let count = |kind| profile.entries_of(kind).count();
    io.messages.info(format_args!(
        "language {}: {} from {} with {}, {} and {}",
        profile.language,
        forage_cli::format_count(core.document_count(), "document"),
        forage_cli::format_count(core.host_count(), "host"),
        forage_cli::format_count(count(EntryKind::Term), "term"),
        forage_cli::format_count(count(EntryKind::Pair), "pair"),
        forage_cli::format_count(count(EntryKind::Triple), "triple"),
    ));
    if core.document_count() < ADVISED_DOCUMENTS {
        io.messages.info(format_args!(
            "a core of {ADVISED_DOCUMENTS} to 150 documents of several hosts gives a better profile"
        ));
    }
}
