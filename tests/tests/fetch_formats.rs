//! fetch-extract with documents that are not HTML: PDF and PostScript, valid and hostile ones.

use forage_tests::{ToolOutput, run_tool, temp_folder};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

/// Builds a PDF of these objects. The first one is the catalog. Objects refer to each other by
/// their number, from 1.
fn build_pdf(objects: &[String]) -> Vec<u8> {
    let mut file = String::from("%PDF-1.4\n");
    let mut offsets = String::new();
    for (number, object) in objects.iter().enumerate() {
        offsets += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{} 0 obj\n{object}\nendobj\n", number + 1);
    }
    let xref_offset = file.len();
    let size = objects.len() + 1;
    file += &format!(
        "xref\n0 {size}\n0000000000 65535 f \n{offsets}trailer\n<</Size {size}/Root 1 0 R>>\n"
    );
    file += &format!("startxref\n{xref_offset}\n%%EOF\n");
    file.into_bytes()
}

/// Builds a stream object.
fn pdf_stream(fields: &str, content: &str) -> String {
    format!(
        "<<{fields}/Length {}>>\nstream\n{content}\nendstream",
        content.len()
    )
}

/// Builds a PDF of one page with this content and these resources. `objects` are numbered from 5.
fn build_page(content: &str, resources: &str, objects: &[String]) -> Vec<u8> {
    let first = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/\
             Resources<<{resources}>>>>"
        ),
        pdf_stream("", content),
    ];
    build_pdf(&[&first, objects].concat())
}

/// Returns a content stream that shows these lines in the codes of [`build_font`], with a wider gap
/// between paragraphs.
fn show_lines(paragraphs: &[&[&str]]) -> String {
    let mut content = String::from("BT /F 10 Tf 50 700 Td 12 TL\n");
    for paragraph in paragraphs {
        for line in *paragraph {
            let codes: String = line
                .chars()
                .map(|c| format!("{:02X}", code_of(c)))
                .collect();
            content += &format!("<{codes}> Tj T*\n");
        }
        content += "0 -20 Td\n";
    }
    content + "ET"
}

/// Letters of the font that are not in ASCII, with the codes from 128.
const LETTERS: &str = "čšžćłßµŋ\u{FB01}ждщйяёαβγ한국어הנחלבכפר";

/// Returns the code of a character in [`build_font`].
fn code_of(c: char) -> u8 {
    let index = LETTERS.chars().position(|letter| letter == c);
    index.map_or_else(|| u8::try_from(c).unwrap(), |index| 128 + index as u8)
}

/// Builds a font whose codes have a meaning only by its ToUnicode map, which lacks the question
/// mark.
fn build_font() -> [String; 2] {
    let mapped = (0x20..0x7F)
        .filter(|&code| code != u32::from('?'))
        .map(|code| (code, code));
    let letters = LETTERS
        .chars()
        .zip(128..)
        .map(|(letter, code)| (code, u32::from(letter)));
    let mapped: Vec<String> = mapped
        .chain(letters)
        .map(|(code, character)| format!("<{code:02X}> <{character:04X}>"))
        .collect();
    let blocks = mapped.chunks(100).map(|chunk| {
        format!(
            "{} beginbfchar\n{}\nendbfchar\n",
            chunk.len(),
            chunk.join("\n")
        )
    });
    let to_unicode = format!(
        "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n/CMapName /A def\n\
         /CMapType 2 def\n1 begincodespacerange\n<00> <FF>\nendcodespacerange\n{}endcmap\nend\nend",
        blocks.collect::<String>()
    );
    let widths = "500 ".repeat(256);
    let font = format!(
        "<</Type/Font/Subtype/TrueType/BaseFont/AAAAAA+Own/FirstChar 0/LastChar 255/\
         Widths[{widths}]/ToUnicode 6 0 R>>"
    );
    [font, pdf_stream("", &to_unicode)]
}

/// Runs the tool on a document in a file. Returns its record and the output.
fn extract(document: &[u8]) -> (Value, ToolOutput) {
    let dir = temp_folder();
    let file = dir.path().join("document");
    std::fs::write(&file, document).unwrap();
    let output =
        run_tool("fetch-extract", ["--html".as_ref(), file.as_os_str()], "").expect_exit(0);
    (output.records().pop().unwrap(), output)
}

#[test]
fn the_text_of_a_pdf_is_split_into_paragraphs_in_any_script() {
    let paragraphs: [&[&str]; 3] = [
        &[
            "Čebela je za-".strip_prefix('Č').unwrap(),
            "letela v \u{FB01}no šćeć? Kje je čas, ko smo bi-",
            "li mladi.",
        ],
        &["ждщ йяё αβγ µ łß ŋ"],
        &["한국어"],
    ];
    let document = build_page(&show_lines(&paragraphs), "/Font<</F 5 0 R>>", &build_font());
    let (record, output) = extract(&document);
    let text = "ebela je zaletela v fino šćeć? Kje je čas, ko smo bili mladi.\n\
                ждщ йяё αβγ µ łß ŋ\n한국어";
    assert_eq!(record["text"], text, "{record} {}", output.stderr);
    assert_eq!(record["fetch"]["media_type"], "application/pdf");
}

#[test]
fn right_to_left_scripts_are_in_reading_order() {
    // The characters in visual order, from left to right.
    let document = build_page(
        &show_lines(&[&["12 רפכב לחנה"]]),
        "/Font<</F 5 0 R>>",
        &build_font(),
    );
    assert_eq!(extract(&document).0["text"], "הנחל בכפר 12");
}

#[test]
fn fonts_with_faulty_tables_are_read() {
    let unicode = "1 beginbfrange <0000> <ffff> <0000> endbfrange";
    let extract_text = |map: &str, widths: &str, content: &str| {
        let fonts = [
            concat!(
                "<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/",
                "DescendantFonts[6 0 R]/ToUnicode 7 0 R>>"
            )
            .into(),
            format!(
                "<</Type/Font/Subtype/CIDFontType2/BaseFont/A/FontDescriptor<<>>/DW 0/\
                 W[{widths}]>>"
            ),
            pdf_stream("", map),
        ];
        let content = format!("BT /F 10 Tf 50 700 Td {content} ET");
        extract(&build_page(&content, "/Font<</F 5 0 R>>", &fonts)).0["text"].clone()
    };
    // The map declares more entries than it has, and one character has five digits.
    let map = "9 beginbfchar <0001> <0061> <0002> <1f431> endbfchar";
    assert_eq!(extract_text(map, "", "<00010002> Tj"), "a🐱");
    // The widths of a range show that there is no gap.
    assert_eq!(
        extract_text(
            unicode,
            "97 99 500",
            "[<0061>]TJ 5 0 Td [<0062>]TJ 10 0 Td [<0063>]TJ"
        ),
        "ab c"
    );
}

#[test]
fn an_unreadable_page_does_not_affect_other_pages() {
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        concat!(
            "<</Type/Pages/Kids[3 0 R 7 0 R]/Count 2/MediaBox[0 0 600 800]/",
            "Resources<</Font<</F 5 0 R>>>>>>"
        )
        .to_owned(),
        "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>".to_owned(),
        // An operator without its operands.
        pdf_stream("", "BT /F 10 Tf 1 Td (x) Tj ET /N gs"),
        build_font()[0].clone(),
        build_font()[1].clone(),
        "<</Type/Page/Parent 2 0 R/Contents 8 0 R>>".to_owned(),
        pdf_stream("", &show_lines(&[&["potok"]])),
    ];
    let (record, _) = extract(&build_pdf(&objects));
    assert!(
        record["text"]
            .as_str()
            .is_some_and(|text| text.ends_with("potok")),
        "{record}"
    );
}

const HELVETICA_FONT: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";

/// Builds a page of three lines, the second one with these codes in another font.
fn page_with_second_font(codes: &str, font: &str) -> Vec<u8> {
    let content = format!(
        "BT /F 9 Tf 12 TL 50 700 Td (reka) Tj /Z 9 Tf T* {codes} Tj /F 9 Tf T* (potok) Tj ET"
    );
    build_page(
        &content,
        "/Font<</F 5 0 R/Z 6 0 R>>",
        &[HELVETICA_FONT.to_owned(), font.to_owned()],
    )
}

#[test]
fn all_operators_that_show_text_are_read() {
    let form = "/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</Font<</F 5 0 R>>>>";
    let form = pdf_stream(form, "BT /F 9 Tf 12 TL 50 500 Td (voda) Tj (breg) ' ET");
    let content =
        "BT /F 9 Tf 12 TL 50 700 Td (reka) Tj (potok) ' 2 1 (struga) \" T* (jez) Tj ET /X Do";
    let objects = [HELVETICA_FONT.to_owned(), form];
    let (record, _) = extract(&build_page(
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
fn an_unreadable_font_affects_its_own_text_only() {
    let simple = |base: &str, encoding: &str| {
        format!("<</Type/Font/Subtype/Type1/BaseFont/{base}/Encoding{encoding}>>")
    };
    let composite = |encoding: &str| {
        let descendant = "<</Type/Font/Subtype/CIDFontType0/BaseFont/Song>>";
        format!(
            "<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/{encoding}/\
             DescendantFonts[{descendant}]>>"
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
        ("<C4E3BAC3>", composite("GBK-EUC-H"), "你好"),
        // These codes are unknown, and are not replaced by other letters.
        ("<C4E3BAC3>", composite("Own-H"), ""),
    ];
    for (codes, font, expected) in cases {
        let (record, output) = extract(&page_with_second_font(codes, &font));
        let lines = ["reka", expected, "potok"]
            .into_iter()
            .filter(|line| !line.is_empty())
            .collect::<Vec<_>>();
        assert_eq!(record["text"], lines.join("\n"), "{font} {record}");
        assert_eq!(output.stderr, "");
    }
}

#[test]
fn a_pdf_without_text_is_reported() {
    let image = pdf_stream(
        "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray",
        "x",
    );
    let (record, _) = extract(&build_page(
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
fn a_pdf_with_damaged_tables_is_read() {
    let font =
        "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>>>";
    let body = build_page(
        "BT /F 12 Tf 72 700 Td (The stream runs on.) Tj ET",
        font,
        &[],
    );
    let is_read = |body: &[u8]| extract(body).0["text"] == "The stream runs on.";
    assert!(is_read(&body));
    let text = String::from_utf8(body).unwrap();
    let (objects, tables) = text.split_at(text.find("xref").unwrap());
    for damaged in [
        // Truncated, as by a broken connection.
        objects.to_owned(),
        format!("{objects}{}", tables.replace("startxref\n", "startxref\n9")),
        format!(
            "HTTP/1.1 200 OK\r\n\r\n{}",
            text.replacen('\n', "\n%\u{1}\n", 1)
        ),
        // A page tree without pages, and one with a cycle.
        text.replace("/Kids[3 0 R]", "/Sons[3 0 R]"),
        text.replace("/Kids[3 0 R]", "/Kids[2 0 R 3 0 R]"),
    ] {
        assert!(is_read(damaged.as_bytes()), "{damaged}");
    }
    // An object with contents is read as a page, as by hayro-syntax 0.9.
    let without_pages = text
        .replace("/Kids[3 0 R]", "/Sons[3 0 R]")
        .replace("/Type/Page/", "/Type/Leaf/")
        .replace("/Contents", "/Content");
    let (record, _) = extract(without_pages.as_bytes());
    assert_eq!(
        record["error"]["message"],
        "the PDF cannot be read: it has no pages"
    );
}

#[test]
fn a_hostile_pdf_causes_an_error_record() {
    let recursive_form = pdf_stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R>>>>",
        "/F Do",
    );
    let cyclic_pages = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1/Parent 3 0 R>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/Contents 4 0 R>>".to_owned(),
        pdf_stream("", "BT ET"),
    ];
    let documents = [
        build_page("/F Do", "/XObject<</F 5 0 R>>", &[recursive_form]),
        build_pdf(&cyclic_pages),
        build_pdf(&["<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]>>".to_owned()]),
        b"%PDF-1.7\n".repeat(9999),
    ];
    for document in documents {
        let (record, output) = extract(&document);
        let kind = record["error"]["kind"].as_str().unwrap_or_default();
        assert!(
            ["bad-body", "no-text"].contains(&kind),
            "{record} {}",
            output.stderr
        );
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    }
}

#[test]
fn postscript_is_read_if_ps2pdf_is_installed() {
    let has_reader = Command::new("sh")
        .args(["-c", "command -v ps2pdf"])
        .output()
        .unwrap()
        .status
        .success();
    let document = "%!PS\n/Helvetica findfont 12 scalefont setfont\n\
                 72 700 moveto (The stream runs through the vil-) show\n\
                 72 686 moveto (lage and waters the fields.) show\nshowpage\n";
    let (record, _) = extract(document.as_bytes());
    let kind = record["error"]["kind"].as_str();
    if has_reader {
        assert_eq!(
            record["text"], "The stream runs through the village and waters the fields.",
            "{record}"
        );
        // Ghostscript 10.00 permits all in $TMPDIR.
        let folder = tempfile::Builder::new().prefix("forage").tempdir().unwrap();
        fs::write(folder.path().join("private"), "The private notes.").unwrap();
        let (folder, notes) = (folder.path(), folder.path().join("private"));
        for program in [
            "(/etc/passwd) (r) file 999 string readstring pop show".into(),
            format!(
                "({}) (r) file 99 string readstring pop show",
                notes.display()
            ),
            format!("({}) (a) file (more) writestring", notes.display()),
            format!("({}) deletefile", notes.display()),
            format!(
                "({}/*) {{ show }} 999 string filenameforall",
                folder.display()
            ),
            "(*) { show } 999 string filenameforall".into(),
        ] {
            let start = "%!PS\n/Helvetica findfont 12 scalefont setfont 72 700 moveto ";
            let (record, _) = extract(format!("{start} {program} showpage").as_bytes());
            assert!(record.get("text").is_none(), "{program}: {record}");
            assert_eq!(fs::read_to_string(&notes).unwrap(), "The private notes.");
        }
    } else {
        assert_eq!(kind, Some("unsupported-type"));
    }
}

#[test]
fn a_page_without_text_keeps_its_links() {
    let html = "<frameset><frame src=\"/menu.html\"><frame src=\"text.html#top\"></frameset>";
    let page = json!({"url": "http://a.test/", "html": html}).to_string() + "\n";
    let extract = |args: &[&str]| {
        let records = run_tool("fetch-extract", args, &page)
            .expect_exit(0)
            .records();
        records[0].clone()
    };
    let record = extract(&["--links"]);
    assert_eq!(record["error"]["kind"], "no-text");
    let links = record["links"].as_array().unwrap();
    let urls: Vec<&str> = links
        .iter()
        .map(|link| link["url"].as_str().unwrap())
        .collect();
    assert_eq!(urls, ["http://a.test/menu.html", "http://a.test/text.html"]);
    assert!(extract(&[]).get("links").is_none());
}
