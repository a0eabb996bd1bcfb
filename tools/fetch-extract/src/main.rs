//! fetch-extract: fetches the page of each record's URL and extracts its main text.

/// Pages are trees of many small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    fetch_extract::main()
}
