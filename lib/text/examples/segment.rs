//! Prints the words, or with `--terms` the terms, of each line of standard input, separated by |.

#![expect(clippy::print_stdout, reason = "a program")]

use std::io::BufRead;

fn main() -> std::io::Result<()> {
    let prints_terms = std::env::args().any(|argument| argument == "--terms");
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let mut words: Vec<String> = Vec::new();
        if prints_terms {
            words.extend(forage_text::terms(&line).iter().map(str::to_string));
        } else {
            forage_text::for_each_word(&forage_text::normalise(&line), |word| {
                words.push(word.to_string());
            });
        }
        println!("{}", words.join("|"));
    }
    Ok(())
}
