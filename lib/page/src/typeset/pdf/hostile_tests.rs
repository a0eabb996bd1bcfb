//! Files that would take memory or time without a bound.

use super::{PdfText, extract_pdf_text};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::Write;

const SHOWN: &str = "BT /F 9 Tf 9 50 Td (Potok tece skozi vas) Tj ET";
const FONT: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

fn zlib(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn stream(entries: &str, data: &[u8]) -> Vec<u8> {
    let start = format!("<<{entries}/Length {}>>\nstream\n", data.len());
    [start.as_bytes(), data, b"\nendstream"].concat()
}

/// Builds a PDF whose first page has the contents `contents`, and the second one shows a text. The
/// further objects have numbers from 8 on, and are the fonts G8 and so on.
fn build_pdf(contents: &str, objects: &[Vec<u8>]) -> Vec<u8> {
    let fonts = (8..8 + objects.len()).map(|number| format!("/G{number} {number} 0 R"));
    let fonts: String = fonts.collect();
    let page = |contents: &str| {
        format!(
            "<</Type/Page/Parent 2 0 R/Resources<</Font<</F 6 0 R{fonts}>>/XObject<</A 8 0 R>>>>\
             /Contents {contents}>>"
        )
    };
    let mut all: Vec<Vec<u8>> = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>",
        &page(contents),
        &page("5 0 R"),
    ]
    .map(|object| object.as_bytes().to_vec())
    .to_vec();
    all.push(stream("", SHOWN.as_bytes()));
    all.push(FONT.into());
    all.push(b"null".to_vec());
    all.extend(objects.iter().cloned());
    let mut file = b"%PDF-1.5\n".to_vec();
    for (number, object) in (1..).zip(all) {
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    file.extend(b"trailer\n<</Root 1 0 R/Size 9>>\nstartxref\n0\n%%EOF\n");
    file
}

fn read(contents: &str, objects: &[Vec<u8>]) -> PdfText {
    extract_pdf_text(&build_pdf(contents, objects)).unwrap()
}

/// Asserts that the second page was read, and whether the text is said to be partial.
fn assert_read(text: &PdfText, is_partial: bool) {
    assert!(text.text.contains("Potok"), "{:.99}", text.text);
    assert_eq!(text.is_partial, is_partial, "{:.99}", text.text);
}

#[test]
fn bombs_cost_a_part_of_the_budget() {
    let bomb = zlib(&vec![b' '; 100 << 20]);
    let twice = zlib(&bomb);
    let runs = [[129, b' ']; 1 << 20].concat();
    for (filter, data) in [
        ("/FlateDecode", &bomb),
        ("[/Fl/Fl]", &twice),
        ("/RunLengthDecode", &runs),
    ] {
        let object = stream(&format!("/Filter{filter}"), data);
        assert_read(&read("8 0 R", std::slice::from_ref(&object)), true);
        // Not used by a page, or of no use to a text.
        for subtype in ["Form", "Image"] {
            let object = stream(&format!("/Subtype/{subtype}/Filter{filter}"), data);
            assert_read(&read("5 0 R", &[object]), false);
        }
    }
    // More than the budget, in parts.
    let objects = vec![stream("/Filter/Fl", &bomb); 20];
    let contents: String = (8..28).map(|number| format!("{number} 0 R ")).collect();
    assert_read(&read(&format!("[{contents}]"), &objects), true);
}

#[test]
fn a_stream_that_is_named_often_costs_as_much() {
    let contents = format!("[{}]", "8 0 R ".repeat(100_000));
    let text = read(&contents, &[stream("", &SHOWN.repeat(50).into_bytes())]);
    assert_read(&text, true);
    assert!(text.text.len() < 4 << 20);
    assert_read(&read(&contents, &[stream("", b"q Q")]), false);
    let kids = "3 0 R ".repeat(100_000);
    let mut file = build_pdf(&contents, &[stream("", b"q Q")]);
    file.extend(format!("2 0 obj\n<</Type/Pages/Kids[{kids} 4 0 R]>>\nendobj\n").bytes());
    assert_read(&extract_pdf_text(&file).unwrap(), false);
}

#[test]
fn wide_rows_and_wrong_lengths_are_no_reason_to_reserve_memory() {
    let columns = "/Filter/Fl/DecodeParms<</Predictor 12/Columns 99999999999/Colors 9>>";
    assert_read(
        &read("8 0 R", &[stream(columns, &zlib(SHOWN.as_bytes()))]),
        true,
    );
    let unfinished = |_| b"<</Length 99999999>>\nstream\nq".to_vec();
    assert_read(
        &read("8 0 R", &(0..2000).map(unfinished).collect::<Vec<_>>()),
        false,
    );
    let lengths = |number| format!("<</Length {} 0 R>>\nstream\nq\nendstream", number + 1).into();
    assert_read(
        &read("8 0 R", &(8..100).map(lengths).collect::<Vec<_>>()),
        false,
    );
}

#[test]
fn fonts_share_the_budget() {
    /// Returns the text of a page that shows a glyph of each of 3,000 fonts.
    fn read_fonts(font: impl Fn(usize) -> String, further: Vec<u8>) -> PdfText {
        let fonts = 8..3008;
        let shown = fonts
            .clone()
            .map(|number| format!("/G{number} 9 Tf (a) Tj "));
        let shown: String = shown.collect();
        let content = stream("", format!("BT {shown} ET").as_bytes());
        let mut objects: Vec<Vec<u8>> = fonts.map(|number| font(number).into_bytes()).collect();
        objects.extend([content, further]);
        read("3008 0 R", &objects)
    }
    let simple = "<</Type/Font/Subtype/Type1/Encoding<</BaseEncoding/StandardEncoding>>>>";
    assert_read(&read_fonts(|_| simple.into(), Vec::new()), false);
    let wide =
        "<</Type/Font/Subtype/Type0/Encoding/Identity-H/DescendantFonts[<</W[0 65535 500]>>]>>";
    assert_read(&read_fonts(|_| wide.into(), Vec::new()), true);
    let cmap = "1 beginbfrange <0000> <FFFF> <00410042> endbfrange".repeat(1000);
    let with_cmap = "<</Type/Font/Subtype/Type1/ToUnicode 3009 0 R>>";
    let text = read_fonts(|_| with_cmap.into(), stream("", cmap.as_bytes()));
    assert_read(&text, true);
}

#[test]
fn tables_and_object_streams_are_bounded() {
    let widths = [
        "[0 0 0]",
        "[1 2 99999999999]",
        "% \n[0 0 0]",
        "[1 2]",
        "[1 -2 3]",
    ];
    let names = widths.map(|widths| format!("/W{widths}"));
    for name in names.iter().map(String::as_str).chain(["/#57[0 0 0]"]) {
        let mut file = build_pdf("5 0 R", &[]);
        let start = file.len();
        let table = stream(
            &format!("/Type/XRef/Root 1 0 R/Size 2147483647{name}"),
            b"\x01\x02",
        );
        file.extend(b"99 0 obj\n");
        file.extend(table);
        file.extend(format!("\nendobj\nstartxref\n{start}\n%%EOF\n").bytes());
        assert_read(&extract_pdf_text(&file).unwrap(), false);
    }
    let mut objects = b"99 0 ".to_vec();
    objects.resize(150 << 20, b' ');
    let bomb = stream(
        "/Type/ObjStm/N 1/First 5/Filter/FlateDecode",
        &zlib(&objects),
    );
    assert_read(&read("5 0 R", &[bomb]), true);
}

#[test]
fn the_data_of_a_stream_is_no_table() {
    let content = format!("{SHOWN}\n% /W\0 /#57");
    let text = read("8 0 R", &[stream("", content.as_bytes())]);
    assert_eq!(text.text.matches("Potok").count(), 2);
}
