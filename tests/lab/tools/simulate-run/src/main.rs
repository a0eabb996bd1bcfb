//! simulate-run: run the loop of corpus-builder in one process.

mod args;
mod classifier;
mod labeller;
mod simulation;

use args::Args;
use forage_cli::Io;
use simulation::Simulation;
use std::process::ExitCode;

fn main() -> ExitCode {
    forage_cli::main::<Args>(run)
}

fn run(args: Args, io: &mut Io) -> anyhow::Result<()> {
    let initial = update_stats::read_initial_documents(&args.init, args.seed_rounds())?;
    let mut simulation = Simulation::new(&args)?;
    for record in initial {
        simulation.add_initial_document(&record)?;
        io.out.write_record(&record);
    }
    simulation.commit()?;
    while simulation.is_below_limits()
        && let Some(records) = simulation.run_step()?
    {
        for record in &records {
            io.out.write_record(record);
        }
        io.out.flush_if_full()?;
    }
    io.messages.debug(simulation.summary());
    Ok(())
}
