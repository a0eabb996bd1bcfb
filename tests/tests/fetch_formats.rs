//! fetch-extract and documents that are no HTML: PDF and PostScript, good ones and hostile ones.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::Value;
use std::process::Command;

/// A PDF of these objects; the first one is the catalogue, and each knows the others by their
/// numbers, from 1.
fn pdf(objects: &[String]) -> Vec<u8> {
    let (mut file, mut places) = (String::from("%PDF-1.4\n"), String::new());
    for (number, object) in objects.iter().enumerate() {
        places += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file += &format!(
        "xref\n0 {size}\n0000000000 65535 f \n{places}trailer\n<</Size {size}/Root 1 0 R>>\n"
    );
    file += &format!("startxref\n{start}\n%%EOF\n");
    file.into_bytes()
}

fn stream(fields: &str, content: &str) -> String {
    format!(
        "<<{fields}/Length {}>>\nstream\n{content}\nendstream",
        content.len()
    )
}

/// A PDF of one page with this content and these resources; its objects from 5 on are given.
fn page(content: &str, resources: &str, objects: &[String]) -> Vec<u8> {
    let first = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<{resources}>>>>"
        ),
        stream("", content),
    ];
    pdf(&[&first, objects].concat())
}

/// Lines one below the other, in the codes of [`font`]; a wider gap between paragraphs.
fn lines(paragraphs: &[&[&str]]) -> String {
    let mut content = String::from("BT /F 10 Tf 50 700 Td 12 TL\n");
    for paragraph in paragraphs {
        for line in *paragraph {
            let codes: String = line.chars().map(|c| format!("{:02X}", code(c))).collect();
            content += &format!("<{codes}> Tj T*\n");
        }
        content += "0 -20 Td\n";
    }
    content + "ET"
}

/// Letters beyond ASCII that the font has, from code 128 on.
const LETTERS: &str = "čšžćłßµŋ\u{FB01}ждщйяёαβγ한국어הנחלבכפר";

fn code(c: char) -> u8 {
    let place = LETTERS.chars().position(|letter| letter == c);
    place.map_or_else(|| u8::try_from(c).unwrap(), |place| 128 + place as u8)
}

/// A font whose codes mean something only by its map to Unicode, which lacks the question mark.
fn font() -> [String; 2] {
    let mapped = (0x20..0x7F)
        .filter(|&code| code != u32::from('?'))
        .map(|code| (code, code));
    let letters = LETTERS
        .chars()
        .zip(128..)
        .map(|(letter, code)| (code, u32::from(letter)));
    let mapped: Vec<String> = mapped
        .chain(letters)
        .map(|(code, to)| format!("<{code:02X}> <{to:04X}>"))
        .collect();
    let blocks = mapped
        .chunks(100)
        .map(|it| format!("{} beginbfchar\n{}\nendbfchar\n", it.len(), it.join("\n")));
    let map = format!(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /A def\n/CMapType 2 def\n\
         1 begincodespacerange\n<00> <FF>\nendcodespacerange\n{}endcmap\nend\nend",
        blocks.collect::<String>()
    );
    let widths = "500 ".repeat(256);
    let font = format!(
        "<</Type/Font/Subtype/TrueType/BaseFont/AAAAAA+Own/FirstChar 0/LastChar 255/Widths[{widths}]/ToUnicode 6 0 R>>"
    );
    [font, stream("", &map)]
}

/// What the tool makes of a document that lies in a file.
fn extract(document: &[u8]) -> (Value, ToolOutput) {
    let dir = temp_folder();
    let file = dir.path().join("document");
    std::fs::write(&file, document).unwrap();
    let done = run_tool("fetch-extract", ["--html".as_ref(), file.as_os_str()], "").expect_exit(0);
    (done.records().pop().unwrap(), done)
}

#[test]
fn a_pdf_gives_its_text_by_paragraphs_in_any_script() {
    let paragraphs: [&[&str]; 3] = [
        &[
            "Čebela je za-".strip_prefix('Č').unwrap(),
            "letela v \u{FB01}no šćeć? Kje je čas, ko smo bi-",
            "li mladi.",
        ],
        &["ждщ йяё αβγ µ łß ŋ"],
        &["한국어"],
    ];
    let document = page(&lines(&paragraphs), "/Font<</F 5 0 R>>", &font());
    let (record, done) = extract(&document);
    let text =
        "ebela je zaletela v fino šćeć? Kje je čas, ko smo bili mladi.\nждщ йяё αβγ µ łß ŋ\n한국어";
    assert_eq!(record["text"], text, "{record} {}", done.stderr);
    assert_eq!(record["fetch"]["media_type"], "application/pdf");
}

#[test]
fn a_script_that_is_written_from_right_to_left_is_read_so() {
    // As it stands on the page, from the left end of the line.
    let document = page(&lines(&[&["12 רפכב לחנה"]]), "/Font<</F 5 0 R>>", &font());
    assert_eq!(extract(&document).0["text"], "הנחל בכפר 12");
}

#[test]
fn a_font_whose_tables_the_reader_fails_on_is_read() {
    let unicode = "1 beginbfrange <0000> <ffff> <0000> endbfrange";
    let shown = |map: &str, widths: &str, content: &str| {
        let fonts = [
            "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[6 0 R]/ToUnicode 7 0 R>>".into(),
            format!("<</Type/Font/Subtype/CIDFontType2/BaseFont/A/FontDescriptor<<>>/DW 0/W[{widths}]>>"),
            stream("", map),
        ];
        let content = format!("BT /F 10 Tf 50 700 Td {content} ET");
        extract(&page(&content, "/Font<</F 5 0 R>>", &fonts)).0["text"].clone()
    };
    // More entries are promised than there are, and a character is told by five digits.
    let map = "9 beginbfchar <0001> <0061> <0002> <1f431> endbfchar";
    assert_eq!(shown(map, "", "<00010002> Tj"), "a🐱");
    // The widths of a range tell that there is no gap.
    assert_eq!(
        shown(
            unicode,
            "97 99 500",
            "[<0061>]TJ 5 0 Td [<0062>]TJ 10 0 Td [<0063>]TJ"
        ),
        "ab c"
    );
}

#[test]
fn a_page_that_cannot_be_read_costs_that_page() {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R 7 0 R]/Count 2/MediaBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>>>>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>".to_owned(),
        // An operator without its operands.
        stream("", "BT /F 10 Tf 1 Td (x) Tj ET /N gs"),
        font()[0].clone(),
        font()[1].clone(),
        "<</Type/Page/Parent 2 0 R/Contents 8 0 R>>".to_owned(),
        stream("", &lines(&[&["potok"]])),
    ];
    let (record, _) = extract(&pdf(&objects));
    assert!(
        record["text"]
            .as_str()
            .is_some_and(|text| text.ends_with("potok")),
        "{record}"
    );
}

const HELVETICA: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

/// A page of these lines, the middle one in a font of its own.
fn in_another_font(codes: &str, font: &str) -> Vec<u8> {
    let content = format!(
        "BT /F 9 Tf 12 TL 50 700 Td (reka) Tj /Z 9 Tf T* {codes} Tj /F 9 Tf T* (potok) Tj ET"
    );
    page(
        &content,
        "/Font<</F 5 0 R/Z 6 0 R>>",
        &[HELVETICA.to_owned(), font.to_owned()],
    )
}

#[test]
fn lines_are_shown_by_every_operator_that_shows() {
    let form = "/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>>>";
    let form = stream(form, "BT /F 9 Tf 12 TL 50 500 Td (voda) Tj (breg) ' ET");
    let content =
        "BT /F 9 Tf 12 TL 50 700 Td (reka) Tj (potok) ' 2 1 (struga) \" T* (jez) Tj ET /X Do";
    let objects = [HELVETICA.to_owned(), form];
    let (record, _) = extract(&page(
        content,
        "/Font<</F 5 0 R>>/XObject<</X 6 0 R>>",
        &objects,
    ));
    let words: Vec<&str> = record["text"]
        .as_str()
        .unwrap()
        .split_whitespace()
        .collect();
    assert_eq!(
        words,
        ["reka", "potok", "struga", "jez", "voda", "breg"],
        "{record}"
    );
}

#[test]
fn a_font_that_cannot_be_read_costs_nothing_but_what_it_shows() {
    let simple = |base: &str, encoding: &str| {
        format!("<</Type/Font/Subtype/Type1/BaseFont/{base}/Encoding{encoding}>>")
    };
    let composite = |encoding: &str| {
        let descendant = "<</Type/Font/Subtype/CIDFontType0/BaseFont/Song>>";
        format!(
            "<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/{encoding}/DescendantFonts[{descendant}]>>"
        )
    };
    let cases = [
        ("(l)", simple("ZapfDingbats", "/WinAnsiEncoding"), "●"),
        (
            "(l)",
            simple("ZapfDingbats", "<</Differences[108/a71]>>"),
            "●",
        ),
        ("(l)", simple("Symbol", "/StandardEncoding"), "λ"),
        (
            "(it's \\256t)",
            simple("Slog", "/StandardEncoding"),
            "it’s fit",
        ),
        (
            "(it's B\\320)",
            simple(
                "Slog",
                "<</BaseEncoding/StandardEncoding/Differences[66/A]>>",
            ),
            "it’s A—",
        ),
        (
            "(ABCDx)",
            simple(
                "Slog",
                "<</Differences[65/uni017E/u010D/zcaron.alt/uni00660069]>>",
            ),
            "žčžfix",
        ),
        ("<4F60597D>", composite("UniGB-UCS2-H"), "你好"),
        // Nothing is known of these codes, and no other letters are shown for them.
        ("<C4E3BAC3>", composite("GBK-EUC-H"), ""),
    ];
    for (codes, font, shown) in cases {
        let (record, done) = extract(&in_another_font(codes, &font));
        let lines = ["reka", shown, "potok"]
            .into_iter()
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>();
        assert_eq!(record["text"], lines.join("\n"), "{font} {record}");
        assert_eq!(done.stderr, "");
    }
}

#[test]
fn a_pdf_without_text_says_so() {
    let image = stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray",
        "x",
    );
    let (record, _) = extract(&page(
        "600 0 0 800 0 0 cm /I Do",
        "/XObject<</I 5 0 R>>",
        &[image],
    ));
    assert_eq!(record["error"]["kind"], "no-text");
    assert_eq!(
        record["error"]["message"],
        "the PDF has no text; its pages may be scanned"
    );
}

#[test]
fn a_pdf_whose_tables_are_damaged_gives_what_is_left() {
    let font =
        "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>>>";
    let body = page(
        "BT /F 12 Tf 72 700 Td (The stream runs on.) Tj ET",
        font,
        &[],
    );
    let is_read = |body: &[u8]| extract(body).0["text"] == "The stream runs on.";
    assert!(is_read(&body));
    let text = String::from_utf8(body).unwrap();
    let (objects, tables) = text.split_at(text.find("xref").unwrap());
    for damaged in [
        // Cut, as by a connection that broke off.
        objects.to_owned(),
        format!("{objects}{}", tables.replace("startxref\n", "startxref\n9")),
        format!(
            "HTTP/1.1 200 OK\r\n\r\n{}",
            text.replacen('\n', "\n%\u{1}\n", 1)
        ),
        // A tree that has no pages, and one that goes on for ever.
        text.replace("/Kids[3 0 R]", "/Sons[3 0 R]"),
        text.replace("/Kids[3 0 R]", "/Kids[2 0 R 3 0 R]"),
    ] {
        assert!(is_read(damaged.as_bytes()), "{damaged}");
    }
    let none = text
        .replace("/Kids[3 0 R]", "/Sons[3 0 R]")
        .replace("/Type/Page/", "/Type/Leaf/");
    let (record, _) = extract(none.as_bytes());
    assert_eq!(
        record["error"]["message"],
        "the PDF can't be read: it has no pages"
    );
}

#[test]
fn a_hostile_pdf_ends_in_an_error_and_takes_nothing_down() {
    let within_itself = stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>",
        "/F Do",
    );
    let own_parent = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1/Parent 3 0 R>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>".to_owned(),
        stream("", "BT ET"),
    ];
    let hostile = [
        page("/F Do", "/XObject<</F 5 0 R>>", &[within_itself]),
        pdf(&own_parent),
        pdf(&["<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]>>".to_owned()]),
        b"%PDF-1.7\n".repeat(9999),
    ];
    for document in hostile {
        let (record, done) = extract(&document);
        let kind = record["error"]["kind"].as_str().unwrap_or_default();
        assert!(
            ["bad-body", "no-text"].contains(&kind),
            "{record} {}",
            done.stderr
        );
        assert_eq!(done.stderr, "", "what its reader says is in the record");
    }
}

#[test]
fn postscript_gives_its_text_where_its_reader_is_installed() {
    let has_reader = Command::new("sh")
        .args(["-c", "command -v ps2ascii"])
        .output()
        .unwrap()
        .status
        .success();
    let shown = "%!PS\n/Helvetica findfont 12 scalefont setfont\n72 700 moveto (The stream runs through the vil-) show\n\
                 72 686 moveto (lage and waters the fields.) show\nshowpage\n";
    let (record, _) = extract(shown.as_bytes());
    let kind = record["error"]["kind"].as_str();
    if has_reader {
        assert_eq!(
            record["text"], "The stream runs through the village and waters the fields.",
            "{record}"
        );
        let (record, _) =
            extract(b"%!PS\n(/etc/passwd) (r) file 999 string readstring pop show showpage");
        assert!(record.get("text").is_none(), "{record}");
    } else {
        assert_eq!(kind, Some("unsupported-type"));
    }
}
