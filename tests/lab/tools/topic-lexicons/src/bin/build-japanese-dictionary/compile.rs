//! Compiles the source files of IPADIC, or of another dictionary for MeCab with IPADIC's parts of
//! speech, into a dictionary of ours.

use anyhow::{anyhow, ensure};
use forage_topic::keyphrases::japanese::format::{Category, MAX_CATEGORIES, Sections, Word};
use std::collections::BTreeMap;

/// The source files of a dictionary for MeCab, in UTF-8.
#[derive(Debug, Default)]
pub struct DictionarySources {
    /// The words: the files `*.csv`, one after the other.
    pub words: String,
    /// Costs of connections: `matrix.def`.
    pub matrix: String,
    /// Categories of characters: `char.def`.
    pub characters: String,
    /// Kinds of unknown words: `unk.def`.
    pub unknown: String,
}

/// Returns the dictionary file for these sources. The same sources give the same bytes.
///
/// # Errors
/// If a source has a line that is not as described in MeCab's manual.
pub fn compile_dictionary(sources: &DictionarySources) -> anyhow::Result<Vec<u8>> {
    let mut numbers = Numbers::default();
    let (surfaces, words) = compile_words(&sources.words, &mut numbers)?;
    let names = read_category_names(&sources.characters);
    ensure!(
        (1..=MAX_CATEGORIES).contains(&names.len()),
        "char.def: no category, or too many"
    );
    let (unknown, ranges) = compile_unknown(&sources.unknown, &names, &mut numbers)?;
    let categories = compile_categories(&sources.characters, &names, &ranges)?;
    let (parts, endings) = (numbers.parts.to_lines(), numbers.endings.to_lines());
    let (characters, matrix) = (
        compile_characters(&sources.characters, &names)?,
        compile_matrix(&sources.matrix)?,
    );
    let sections = Sections {
        parts: parts.as_bytes(),
        endings: endings.as_bytes(),
        categories: &categories,
        characters: &characters,
        unknown: &unknown,
        words: &words,
        matrix: &matrix,
        surfaces: &surfaces,
    };
    Ok(sections.to_bytes()?)
}

fn error(file: &str, line: &str) -> anyhow::Error {
    anyhow!("{file}: {line}")
}

/// Different values, numbered in order of first occurrence.
#[derive(Debug, Default)]
struct Numbering(BTreeMap<String, u16>);

impl Numbering {
    /// Returns the number of `value`; `None` if there are too many.
    fn number_of(&mut self, value: String) -> Option<u16> {
        let next = u16::try_from(self.0.len()).ok()?;
        Some(*self.0.entry(value).or_insert(next))
    }

    /// Returns the values in the order of their numbers, one a line.
    fn to_lines(&self) -> String {
        let mut values: Vec<_> = self.0.iter().collect();
        values.sort_by_key(|(_, number)| **number);
        values
            .iter()
            .map(|(value, _)| format!("{value}\n"))
            .collect()
    }
}

/// The numbers of parts of speech and of endings.
#[derive(Debug, Default)]
struct Numbers {
    parts: Numbering,
    endings: Numbering,
}

impl Numbers {
    /// Returns the surface form and the word of a line of CSV.
    fn read_word<'a>(&mut self, line: &'a str) -> Option<(&'a str, Word)> {
        let fields: Vec<&str> = line.split(',').collect();
        let surface = *fields
            .first()
            .filter(|s| !s.is_empty() && !s.contains('"'))?;
        let part = fields.get(4..10)?.join(",");
        let base = fields.get(10).copied().filter(|&base| base != "*");
        let word = Word {
            left: fields.get(1)?.parse().ok()?,
            right: fields.get(2)?.parse().ok()?,
            cost: fields.get(3)?.parse().ok()?,
            part: self.parts.number_of(part)?,
            ending: self
                .endings
                .number_of(describe_ending(surface, base.unwrap_or(surface)))?,
        };
        Some((surface, word))
    }
}

/// Returns the rule that makes `base` from `surface`: number of bytes to cut, tab, text to append.
fn describe_ending(surface: &str, base: &str) -> String {
    let common: usize = surface
        .chars()
        .zip(base.chars())
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum();
    format!("{}\t{}", surface.len() - common, &base[common..])
}

/// Returns the sections of surface forms and of words.
fn compile_words(csv: &str, numbers: &mut Numbers) -> anyhow::Result<(Vec<u8>, Vec<u8>)> {
    let mut by_surface: BTreeMap<&str, Vec<Word>> = BTreeMap::new();
    for line in csv.lines().filter(|line| !line.is_empty()) {
        let (surface, word) = numbers.read_word(line).ok_or_else(|| error("csv", line))?;
        by_surface.entry(surface).or_default().push(word);
    }
    let mut surfaces = fst::MapBuilder::memory();
    let mut bytes = Vec::new();
    for (surface, words) in by_surface {
        let first = (bytes.len() / Word::LENGTH) as u64;
        let count = u8::try_from(words.len()).map_err(|_| error("csv", surface))?;
        surfaces
            .insert(surface, first << 8 | u64::from(count))
            .map_err(|e| error(surface, &e.to_string()))?;
        bytes.extend(words.into_iter().flat_map(Word::to_bytes));
    }
    let surfaces = surfaces
        .into_inner()
        .map_err(|e| error("csv", &e.to_string()))?;
    Ok((surfaces, bytes))
}

/// Returns the lines of a `.def` file as fields, without comments and empty lines.
fn definitions(file: &str) -> impl Iterator<Item = Vec<&str>> {
    file.lines()
        .map(|line| line.split('#').next().unwrap_or_default())
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|fields| !fields.is_empty())
}

/// Returns whether the line gives characters their categories; the others define categories.
fn is_mapping(fields: &[&str]) -> bool {
    fields[0].starts_with("0x")
}

/// Returns the names of the categories, `DEFAULT` first.
fn read_category_names(characters: &str) -> Vec<&str> {
    let mut names: Vec<&str> = definitions(characters)
        .filter(|fields| !is_mapping(fields))
        .map(|fields| fields[0])
        .collect();
    names.sort_by_key(|&name| name != "DEFAULT");
    names
}

/// The first of some unknown words, and their number.
type Span = (u16, u16);

/// Returns the section of unknown words, and for each category its first word and their number.
fn compile_unknown(
    csv: &str,
    names: &[&str],
    numbers: &mut Numbers,
) -> anyhow::Result<(Vec<u8>, Vec<Span>)> {
    let mut by_category = vec![Vec::new(); names.len()];
    for line in csv.lines().filter(|line| !line.is_empty()) {
        let (name, mut word) = numbers
            .read_word(line)
            .ok_or_else(|| error("unk.def", line))?;
        // An unknown word is its own base form.
        word.ending = numbers
            .endings
            .number_of(describe_ending("", ""))
            .ok_or_else(|| error("unk.def", line))?;
        let category = names.iter().position(|other| *other == name);
        by_category[category.ok_or_else(|| error("unk.def", line))?].push(word);
    }
    let mut first = 0;
    let mut ranges = Vec::new();
    for words in &by_category {
        ranges.push((first, words.len() as u16));
        first += words.len() as u16;
    }
    let words = by_category.into_iter().flatten();
    Ok((words.flat_map(Word::to_bytes).collect(), ranges))
}

/// Returns the section of categories.
fn compile_categories(
    characters: &str,
    names: &[&str],
    ranges: &[Span],
) -> anyhow::Result<Vec<u8>> {
    let mut categories = vec![Category::default(); names.len()];
    for fields in definitions(characters).filter(|fields| !is_mapping(fields)) {
        let fail = || error("char.def", &fields.join(" "));
        let [name, invoke, group, length] = fields[..] else {
            return Err(fail());
        };
        let index = names
            .iter()
            .position(|other| *other == name)
            .ok_or_else(fail)?;
        let (first, count) = ranges[index];
        categories[index] = Category {
            invoke: invoke == "1",
            group: group == "1",
            length: length.parse().map_err(|_| fail())?,
            first,
            count,
        };
    }
    Ok(categories
        .into_iter()
        .flat_map(Category::to_bytes)
        .collect())
}

/// Returns the section of characters.
fn compile_characters(characters: &str, names: &[&str]) -> anyhow::Result<Vec<u8>> {
    // The first category, `DEFAULT`, alone.
    let mut kinds = vec![1u16; 0x1_0000];
    for fields in definitions(characters).filter(|fields| is_mapping(fields)) {
        let fail = || error("char.def", &fields.join(" "));
        let (first, last) = fields[0].split_once("..").unwrap_or((fields[0], fields[0]));
        let code = |text: &str| usize::from_str_radix(text.trim_start_matches("0x"), 16).ok();
        let range = code(first).ok_or_else(fail)?..=code(last).ok_or_else(fail)?;
        let mut categories = Vec::new();
        for name in &fields[1..] {
            categories.push(
                names
                    .iter()
                    .position(|other| other == name)
                    .ok_or_else(fail)?,
            );
        }
        let base = *categories.first().ok_or_else(fail)? as u16;
        let set = categories
            .iter()
            .fold(0, |set, category| set | 1 << category);
        kinds
            .get_mut(range)
            .ok_or_else(fail)?
            .fill(base << 12 | set);
    }
    // IPADIC takes the interpunct for katakana, so that two words with one between them are one
    // unknown word (バラク・オバマ). It is a sign like the slash.
    kinds['・' as usize] = kinds['/' as usize];
    Ok(kinds.into_iter().flat_map(u16::to_le_bytes).collect())
}

/// Returns the section of connections, with those before one word side by side.
fn compile_matrix(matrix: &str) -> anyhow::Result<Vec<u8>> {
    let mut lines = matrix.lines();
    let fail = |line: &str| error("matrix.def", line);
    let read = |line: &str| -> Option<[i32; 3]> {
        let mut fields = line.split_whitespace().map(|field| field.parse().ok());
        Some([
            fields.next()??,
            fields.next()??,
            fields.next().unwrap_or(Some(0))?,
        ])
    };
    let sizes = lines
        .next()
        .and_then(read)
        .ok_or_else(|| fail("no sizes"))?;
    let [Ok(rights), Ok(lefts)] = [u16::try_from(sizes[0]), u16::try_from(sizes[1])] else {
        return Err(fail("sizes"));
    };
    let mut costs = vec![0i16; usize::from(rights) * usize::from(lefts)];
    for line in lines.filter(|line| !line.is_empty()) {
        let [right, left, cost] = read(line).ok_or_else(|| fail(line))?;
        let is_valid =
            (0..i32::from(rights)).contains(&right) && (0..i32::from(lefts)).contains(&left);
        let cost = i16::try_from(cost).ok().filter(|_| is_valid);
        let index = left as usize * usize::from(rights) + right as usize;
        costs[if is_valid { index } else { 0 }] = cost.ok_or_else(|| fail(line))?;
    }
    let sizes = [rights, lefts].into_iter();
    let numbers = sizes.chain(costs.into_iter().map(i16::cast_unsigned));
    Ok(numbers.flat_map(u16::to_le_bytes).collect())
}

#[cfg(test)]
mod tests {
    use super::{DictionarySources, compile_dictionary};
    use forage_topic::keyphrases::Tagger;
    use forage_topic::keyphrases::japanese::JapaneseTagger;

    /// A dictionary of two words, to compute costs by hand.
    fn small_sources() -> DictionarySources {
        let noun = "名詞,一般,*,*,*,*";
        DictionarySources {
            words: format!("東,0,0,5,{noun},東\n東京,0,0,9,{noun},東京\n京,0,0,5,{noun},京\n"),
            matrix: "1 1\n0 0 1\n".to_owned(),
            characters: "DEFAULT 0 1 0\n".to_owned(),
            unknown: "DEFAULT,0,0,100,記号,一般,*,*,*,*\n".to_owned(),
        }
    }

    #[test]
    fn the_division_has_the_lowest_cost() {
        let words = |sources: &DictionarySources| {
            let bytes = compile_dictionary(sources).expect("a dictionary");
            let tagger = JapaneseTagger::of_bytes(bytes).expect("a tagger");
            let mut lengths = Vec::new();
            tagger.tag_words("東京", &mut |word| lengths.push(word.range.len()));
            lengths
        };
        // 1 + 9 + 1 = 11 against 1 + 5 + 1 + 5 + 1 = 13
        let mut sources = small_sources();
        assert_eq!(words(&sources), [6]);
        // Without a cost of connections 9 against 10, with one that is worth its while 9 - 9 against 10 - 18
        sources.matrix = "1 1\n0 0 -6\n".to_owned();
        assert_eq!(words(&sources), [3, 3]);
    }

    #[test]
    fn bad_sources_are_errors() {
        let changes: [fn(&mut DictionarySources); 6] = [
            |s| s.words.push_str("東,0,0\n"),
            |s| s.words.push_str("東,0,0,70000,名詞,一般,*,*,*,*,東\n"),
            |s| s.matrix.push_str("0 1 1\n"),
            |s| s.matrix.clear(),
            |s| s.characters.push_str("0x3042 KANA\n"),
            |s| s.unknown.push_str("KANA,0,0,1,名詞,一般,*,*,*,*\n"),
        ];
        for change in changes {
            let mut sources = small_sources();
            change(&mut sources);
            assert!(compile_dictionary(&sources).is_err(), "{sources:?}");
        }
        // Contexts that the matrix lacks are found when the dictionary is opened.
        let mut sources = small_sources();
        sources.words.push_str("南,7,0,5,名詞,一般,*,*,*,*,南\n");
        let bytes = compile_dictionary(&sources).expect("a dictionary");
        assert!(JapaneseTagger::of_bytes(bytes).is_err());
    }
}
