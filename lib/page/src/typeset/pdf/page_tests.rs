//! Pages as programs draw them.

use super::{PdfText, extract_pdf_text};

const HELVETICA: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

/// Builds a PDF of a page with this content, font 5, and further objects from number 6 on.
fn build_pdf(content: &str, font: &str, objects: &[String]) -> String {
    let objects = (6..).zip(objects);
    let objects = objects.map(|(number, object)| format!("{number} 0 obj\n{object}\nendobj\n"));
    format!(
        "%PDF-1.5\n3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R\
         /Resources<</Font<</F 5 0 R>>/Properties<</L 6 0 R>>>>/Annots[7 0 R]>>\nendobj\n\
         4 0 obj\n{}\nendobj\n5 0 obj\n{font}\nendobj\n{}\
         2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n\
         1 0 obj\n<</Type/Catalog/Pages 2 0 R\
         /OCProperties<</OCGs[6 0 R]/D<</OFF[6 0 R]>>>>>>\nendobj\n\
         trailer\n<</Size 9/Root 1 0 R>>\nstartxref\n0\n%%EOF\n",
        stream(content),
        objects.collect::<String>()
    )
}

fn stream(content: &str) -> String {
    format!(
        "<</Length {}>>\nstream\n{content}\nendstream",
        content.len()
    )
}

fn read(content: &str, font: &str, objects: &[String]) -> PdfText {
    extract_pdf_text(build_pdf(content, font, objects).as_bytes()).unwrap()
}

/// Returns the text of a page in Helvetica, its lines separated by one blank.
fn text_of(content: &str) -> String {
    let text = read(&format!("BT /F 10 Tf {content} ET"), HELVETICA, &[]);
    assert!(!text.is_partial, "{content}");
    text.text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the operators that show lines at these places.
fn show(lines: &[(f64, f64, &str)]) -> String {
    let lines = lines.iter();
    lines
        .map(|(x, y, line)| format!("1 0 0 1 {x} {y} Tm ({line}) Tj\n"))
        .collect()
}

const LEFT: [&str; 4] = [
    "The pears are ripe on the old tree",
    "behind the house of our neighbour",
    "and every evening grandmother told",
    "stories about three young brothers",
];
const RIGHT: [&str; 4] = [
    "In winter the lake is all frozen",
    "and the children skate over it but",
    "the miller knows every grain there",
    "by the smell and by the colour",
];

#[test]
fn columns_are_read_one_after_the_other_however_they_are_drawn() {
    let expected = [LEFT, RIGHT].concat().join(" ");
    let place = |x, lines: [&'static str; 4]| {
        let places = lines.into_iter().zip(0..);
        places
            .map(|(line, number)| (x, 700.0 - 12.0 * f64::from(number), line))
            .collect::<Vec<_>>()
    };
    let (left, right) = (place(50.0, LEFT), place(300.0, RIGHT));
    let by_row = left
        .iter()
        .zip(&right)
        .flat_map(|(left, right)| [*left, *right]);
    assert_eq!(text_of(&show(&by_row.collect::<Vec<_>>())), expected);
    assert_eq!(text_of(&show(&[right, left].concat())), expected);
    // A table is read row by row.
    let rows = [
        (50.0, 700.0, "pear"),
        (300.0, 700.0, "12"),
        (50.0, 688.0, "plum"),
        (300.0, 688.0, "7"),
    ];
    assert_eq!(text_of(&show(&rows)), "pear 12 plum 7");
}

#[test]
fn a_word_is_rejoined_across_columns_and_page_numbers() {
    let column = |x, lines: [&'static str; 4], last| {
        let lines = lines.into_iter().take(3).chain([last]).zip(0..);
        lines
            .map(|(line, number)| (x, 700.0 - 12.0 * f64::from(number), line))
            .collect::<Vec<_>>()
    };
    let left = column(50.0, LEFT, "stories about three young bro-");
    let right = column(
        300.0,
        ["thers. In winter the lake is", RIGHT[1], RIGHT[2], ""],
        "and",
    );
    let text = text_of(&show(&[left, right].concat()));
    assert!(text.contains("young brothers. In winter"), "{text}");
}

#[test]
fn what_is_outside_of_the_page_is_not_read() {
    let lines = [
        (50.0, 700.0, "Ripe pears"),
        (50.0, -200.0, "below"),
        (2000.0, 700.0, "beside"),
    ];
    assert_eq!(text_of(&show(&lines)), "Ripe pears");
}

#[test]
fn lines_in_any_direction_are_whole() {
    let lines = LEFT.iter().zip(0..);
    let turned = lines
        .clone()
        .map(|(line, n)| format!("0 1 -1 0 {} 50 Tm ({line}) Tj\n", 100 + 12 * n));
    assert_eq!(text_of(&turned.collect::<String>()), LEFT.join(" "));
    let tilted =
        lines.map(|(line, n)| format!(".999 .035 -.035 .999 50 {} Tm ({line}) Tj\n", 700 - 12 * n));
    assert_eq!(text_of(&tilted.collect::<String>()), LEFT.join(" "));
}

#[test]
fn what_is_printed_twice_for_a_bold_look_is_read_once() {
    let lines = [
        (50.0, 700.0, "Ripe pears"),
        (50.3, 700.0, "Ripe pears"),
        (50.0, 680.0, "Ripe pears"),
    ];
    assert_eq!(text_of(&show(&lines)), "Ripe pears Ripe pears");
}

#[test]
fn gaps_are_blanks_unless_all_letters_have_them() {
    for (content, text) in [
        ("50 700 Td [(ripe) -300 (pears)] TJ", "ripe pears"),
        ("50 700 Td [(ri) 30 (pe) -30 (ned)] TJ", "ripened"),
        ("3 Tc 50 700 Td (ripened) Tj", "ripened"),
        ("3 Tc 50 700 Td (ripe pears) Tj", "ripe pears"),
        ("3 Tc 50 700 Td (on it: 12) Tj", "on it: 12"),
        (
            "50 700 Td [(o) -250 (n) -250 ( ) -250 (i) -250 (t) -250 ( ) -250 (m) -250 (y)] TJ",
            "on it my",
        ),
        // The blank is the spacing of a letter.
        ("3 Tc 50 700 Td [(as) 300 (e) 300 (a)] TJ", "a sea"),
        (
            "50 700 Td (rip) Tj 3 Tc (e) Tj 0 Tc (pears) Tj",
            "ripe pears",
        ),
    ] {
        assert_eq!(text_of(content), text);
    }
    let raised = |word: &str| text_of(&format!("50 700 Td ({word}) Tj /F 6 Tf 4 Ts (2) Tj"));
    assert_eq!(raised("pears"), "pears 2", "the mark of a note");
    assert_eq!(raised("x"), "x2", "a formula");
}

#[test]
fn accents_join_their_letter() {
    // As TeX draws them: the accent over the place of the letter, then the letter.
    let text = text_of("50 700 Td (na) Tj [-83 (\\317) 416 (c)] TJ (as) Tj");
    assert_eq!(text, "načas");
}

#[test]
fn hidden_layers_are_not_read_and_stated_texts_replace_glyphs() {
    let layer = "<</Type/OCG/Name(Draft)>>".to_owned();
    let content = "BT /F 10 Tf 50 700 Td /OC /L BDC (draft) Tj EMC (pears) Tj ET";
    assert_eq!(read(content, HELVETICA, &[layer]).text.trim(), "pears");
    assert_eq!(
        text_of("50 700 Td /Span <</ActualText(plums)>> BDC (p1s) Tj EMC"),
        "plums"
    );
}

#[test]
fn values_of_fields_without_an_appearance_are_read() {
    let null = "null".to_owned();
    let field = "<</Subtype/Widget/FT/Tx/Rect[50 50 150 70]/V(Babica)>>".to_owned();
    let text = read("q Q", HELVETICA, &[null, field]);
    assert_eq!((text.text.trim(), text.is_partial), ("Babica", false));
}

#[test]
fn glyphs_without_letters_are_said_but_not_the_rest_of_a_cluster() {
    let font = "<</Type/Font/Subtype/Type0/BaseFont/S/Encoding/Identity-H/ToUnicode 6 0 R\
        /DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/S/DW 500\
        /CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>";
    // WeasyPrint 69 states an empty text; another section has a fault.
    let cmap = "/CMapName /Own> def 2 beginbfchar <0001> <09150940> <0002> <> endbfchar\n\
        1 beginbfchar <0003> <0061> endbfchar 1 beginbfrange <0008> nonsense endbfrange";
    let objects = [stream(cmap)];
    let show = |codes: &str| {
        read(
            &format!("BT /F 10 Tf 50 700 Td <{codes}> Tj ET"),
            font,
            &objects,
        )
    };
    let text = show("0001000200010003");
    assert_eq!((text.text.trim(), text.is_partial), ("कीकीa", false));
    assert!(show("00030009").is_partial);
}

#[test]
fn a_document_that_ends_before_its_catalog_has_the_text_so_far() {
    let pdf = build_pdf("BT /F 10 Tf 50 700 Td (Ripe pears) Tj ET", HELVETICA, &[]);
    let cut = &pdf[..pdf.find("2 0 obj").unwrap()];
    let text = extract_pdf_text(cut.as_bytes()).unwrap();
    assert_eq!((text.text.trim(), text.is_partial), ("Ripe pears", true));
    assert!(extract_pdf_text(b"%PDF-1.5\n").is_err());
}

/// TDM Reservation Protocol, 2024: XMP in the metadata of the catalog (ISO 32000-1, 14.3.2).
#[test]
fn metadata_reserve_a_pdf() {
    let xmp = "<x:xmpmeta><rdf:Description><tdm:reservation>1</tdm:reservation>";
    let objects = [xmp, "x"].map(stream);
    let pdf = build_pdf("BT /F 10 Tf (Potok) Tj ET", HELVETICA, &objects);
    for (metadata, expected) in [
        ("/Metadata 6 0 R", true),
        ("/Metadata 7 0 R", false),
        ("", false),
    ] {
        let pdf = pdf.replace("/Catalog", &format!("/Catalog{metadata}"));
        let text = extract_pdf_text(pdf.as_bytes()).unwrap();
        assert_eq!((text.text.trim(), text.is_reserved), ("Potok", expected));
        assert_eq!(PdfText::from_output(&text.to_output()), text);
    }
}
