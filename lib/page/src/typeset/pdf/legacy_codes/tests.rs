use crate::typeset::extract_pdf_text;
use encoding_rs::{BIG5, EUC_JP, EUC_KR, Encoding, GB18030, GBK, SHIFT_JIS};

/// Returns the text that these operators show in a composite font with this encoding, of this
/// character collection, with further objects from number 7 on.
fn extract(encoding: &str, ordering: &str, operators: &str, objects: &str) -> String {
    let body = format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n\
         2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
         3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R\
         /Resources<</Font<</F 5 0 R/L 6 0 R>>/XObject<</X 8 0 R>>>>>>endobj\n\
         4 0 obj<</Length {}>>stream\n{operators}\nendstream endobj\n\
         5 0 obj<</Type/Font/Subtype/Type0/BaseFont/S/Encoding {encoding}\
         /DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/S/W[1 95 500]\
         /CIDSystemInfo<</Registry(Adobe)/Ordering({ordering})/Supplement 2>>>>]>>endobj\n\
         6 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\n{objects}",
        operators.len()
    );
    let text = extract_pdf_text(body.as_bytes());
    text.map_or_else(|e| e.to_string(), |text| text.text.trim().to_owned())
}

fn show(codes: &[u8]) -> String {
    let digits: String = codes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("BT /F 12 Tf 20 700 Td <{digits}> Tj ET")
}

#[test]
fn reads_text_in_each_legacy_charset() {
    let cases: [(&'static Encoding, &str, &str, &str); 7] = [
        (
            GBK,
            "GB1",
            "GB-EUC GBpc-EUC GBK-EUC GBKp-EUC GBK2K",
            "小溪Ab1流过",
        ),
        (GBK, "GB1", "GBK-EUC GBKp-EUC GBK2K", "鎔匯，龍"),
        (GB18030, "GB1", "GBK2K", "小㐀㳠溪"),
        (
            SHIFT_JIS,
            "Japan1",
            "90ms-RKSJ 90msp-RKSJ Add-RKSJ Ext-RKSJ",
            "この小川はﾊﾝ村x",
        ),
        (EUC_JP, "Japan1", "EUC", "小川はABC村"),
        (
            EUC_KR,
            "Korea1",
            "KSC-EUC KSCms-UHC KSCms-UHC-HW",
            "시냇물이 마을12을",
        ),
        (
            BIG5,
            "CNS1",
            "B5pc ETen-B5 ETenms-B5 HKscs-B5",
            "小溪流過村莊ab。",
        ),
    ];
    for (charset, ordering, names, text) in cases {
        let (codes, _, had_errors) = charset.encode(text);
        assert!(!had_errors);
        for name in names
            .split(' ')
            .flat_map(|name| ["H", "V"].map(|mode| format!("/{name}-{mode}")))
        {
            assert_eq!(extract(&name, ordering, &show(&codes), ""), text, "{name}");
        }
    }
    let uhc = EUC_KR.encode("똠방각하").0;
    assert_eq!(
        extract("/KSCms-UHC-H", "Korea1", &show(&uhc), ""),
        "똠방각하"
    );
    let hong_kong = [0x9D, 0xCF];
    assert_eq!(extract("/HKscs-B5-H", "CNS1", &show(&hong_kong), ""), "嘢");
    for (name, codes, text) in [
        ("83pv-RKSJ-H", "8FAC90EC", "小川"),
        ("90pv-RKSJ-H", "8FAC90EC", "小川"),
    ] {
        let operators = format!("BT /F 9 Tf <{codes}> Tj ET");
        assert_eq!(extract(&format!("/{name}"), "Japan1", &operators, ""), text);
    }
    let jis: Vec<u8> = EUC_JP
        .encode("小川")
        .0
        .iter()
        .map(|byte| byte & 0x7F)
        .collect();
    assert_eq!(extract("/H", "Japan1", &show(&jis), ""), "小川");
    assert_eq!(
        extract("/CNS-EUC-H", "CNS1", &show(&[0x41, 0xC4, 0xE3]), ""),
        "A中"
    );
}

#[test]
fn reads_unicode_and_glyph_numbers_of_a_collection() {
    let utf16: Vec<u8> = "小川𠮷".encode_utf16().flat_map(u16::to_be_bytes).collect();
    assert_eq!(
        extract("/UniJIS-UTF16-H", "Japan1", &show(&utf16), ""),
        "小川𠮷"
    );
    assert_eq!(
        extract("/UniGB-UCS2-V", "GB1", &show(&utf16[..4]), ""),
        "小川"
    );
    // CIDs of あ and い, and of Latin letters.
    let cids = [0x03, 0x4B, 0x03, 0x4D, 0x00, 0x22];
    for encoding in ["/Identity-H", "/Identity-V"] {
        assert_eq!(extract(encoding, "Japan1", &show(&cids), ""), "あいA");
        let failure = extract(encoding, "Identity", &show(&cids), "");
        assert!(failure.ends_with("do not tell the text of 3 glyphs"));
    }
}

#[test]
fn reads_codes_of_an_embedded_cmap() {
    let embedded = |entries: &str| {
        let cmap = format!(
            "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n\
             /CMapName /Own def\n{entries}\nendcmap\n"
        );
        format!(
            "7 0 obj<</Length {}>>stream\n{cmap}endstream endobj\n",
            cmap.len()
        )
    };
    let own = embedded(
        "1 begincodespacerange <00> <FF> endcodespacerange\n\
         1 begincidrange <61> <63> 843 endcidrange",
    );
    assert_eq!(extract("7 0 R", "Japan1", &show(b"abc"), &own), "あぃい");
    let based = embedded("/90ms-RKSJ-H usecmap\n1 begincidrange <61> <61> 843 endcidrange");
    let codes = SHIFT_JIS.encode("a小b").0;
    assert_eq!(extract("7 0 R", "Japan1", &show(&codes), &based), "あ小b");
}

#[test]
fn reads_codes_in_arrays_in_forms_and_beside_unknown_ones() {
    let form = "8 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 31>>stream\n\
        BT /F 12 Tf <A455A4E9> Tj ET   \nendstream endobj\n";
    let operators = "BT /F 12 Tf 20 700 Td [<A455> -20 <41A4E9>] TJ 0 -40 Td /L 12 Tf \
        (reka \\244) Tj 0 -40 Td /F 12 Tf <A455FEFFA4E9> Tj ET 1 0 0 1 20 500 cm /X Do";
    let text = extract("/ETen-B5-H", "CNS1", operators, form);
    let lines: Vec<&str> = text.split_whitespace().collect();
    assert_eq!((lines[0], lines.last()), ("下A日", Some(&"下日")), "{text}");
    assert!(lines.contains(&"下日") && lines.contains(&"reka"), "{text}");
}

#[test]
fn an_unknown_encoding_costs_no_other_text() {
    let operators = "BT /L 12 Tf 20 700 Td (reka) Tj /F 12 Tf <4142> Tj /L 12 Tf ( dan) Tj ET";
    for encoding in ["/Unknown-H", "7 0 R", "/WinAnsiEncoding"] {
        let text = extract(
            encoding,
            "GB1",
            operators,
            "7 0 obj<</Length 3>>stream\n(((\nendstream endobj\n",
        );
        assert!(
            text.contains("reka") && text.contains("dan"),
            "{encoding}: {text}"
        );
    }
}
