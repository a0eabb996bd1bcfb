//! The text of the man page after the options. Its list of engines is that of the registry.

use forage_engines::{EngineInfo, engines};

/// Width of the text on a terminal.
const COLUMNS: usize = 80;
/// Indentation of what is said of an engine.
const INDENT: &str = "          ";

/// Returns the sections.
pub(crate) fn sections() -> String {
    let text = include_str!("sections.txt").trim_ascii_end();
    // The embedded index has a section of its own.
    let on_the_web: Vec<String> = engines().skip(1).map(|engine| describe(&engine)).collect();
    text.replace("{engines}", &on_the_web.join("\n"))
}

/// Returns the entry of an engine: its form, and below it options, key and capabilities.
fn describe(engine: &EngineInfo) -> String {
    let mut entry = engine.spec_form.to_owned();
    for (name, value) in [
        ("options", engine.options),
        ("key", &engine.key),
        ("capabilities", &engine.capabilities.to_string()),
    ] {
        let mut column = COLUMNS;
        for word in format!("{name}: {value}").split(' ') {
            let width = word.chars().count() + 1;
            if column + width > COLUMNS {
                entry += &format!("\n{INDENT}{word}");
                column = INDENT.len() + width - 1;
            } else {
                entry += &format!(" {word}");
                column += width;
            }
        }
    }
    entry
}
