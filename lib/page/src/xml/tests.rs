use super::{OPEN_DOCUMENT, WORD, XmlFormat, read_document, read_text, tdm_reservation};
use std::collections::HashSet;

/// Returns the lines of a document that are not empty, separated by `/`.
fn lines(styles: &str, format: XmlFormat, content: &str) -> String {
    let mut hidden_styles = HashSet::new();
    read_text(styles, format, &mut hidden_styles);
    let text = read_text(content, format, &mut hidden_styles).text;
    join(&text)
}

fn join(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("/")
}

/// Word 16: each element is as Word writes it.
#[test]
fn a_paragraph_of_word_has_what_its_reader_sees() {
    let styles = "<w:styles><w:style w:styleId='H'><w:rPr><w:vanish/></w:rPr></w:style>\
         <w:style w:styleId='I'><w:basedOn w:val='H'/></w:style></w:styles>";
    for (content, expected) in [
        // Tracked changes: a moved text, and two paragraphs that a deletion joins.
        (
            "<w:moveFrom w:id='1'><w:r><w:t>x</w:t></w:r></w:moveFrom><w:t>a</w:t>",
            "a",
        ),
        (
            "<w:moveTo><w:r><w:t>a</w:t></w:r></w:moveTo><w:del><w:t>x</w:t></w:del>",
            "a",
        ),
        (
            "<w:pPr><w:rPr><w:del w:id='1'/></w:rPr></w:pPr><w:t>a </w:t></w:p><w:p><w:t>b</w:t>",
            "a b",
        ),
        // Hidden text, by the run or its style; not by what the run was before.
        (
            "<w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r><w:r><w:t>a</w:t></w:r>",
            "a",
        ),
        (
            "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>a</w:t></w:r>",
            "a",
        ),
        (
            "<w:r><w:rPr><w:rStyle w:val='I'/></w:rPr><w:t>x</w:t></w:r><w:r><w:t>a</w:t></w:r>",
            "a",
        ),
        (
            "<w:pPr><w:pStyle w:val='H'/></w:pPr><w:r><w:t>x</w:t></w:r></w:p><w:p><w:t>a</w:t>",
            "a",
        ),
        (
            "<w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:t>a</w:t></w:r>",
            "a",
        ),
        (
            "<w:r><w:rPr><w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange></w:rPr><w:t>a</w:t></w:r>",
            "a",
        ),
        // Furigana.
        (
            "<w:r><w:ruby><w:rt><w:r><w:t>みず</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>水</w:t>\
             </w:r></w:rubyBase></w:ruby></w:r><w:r><w:t>が</w:t></w:r>",
            "水が",
        ),
        // The mark of a note that is not a number.
        (
            "<w:t>a</w:t><w:r><w:footnoteReference w:customMarkFollows='1' w:id='2'/><w:t>*</w:t></w:r>\
             <w:r><w:t>.</w:t></w:r>",
            "a.",
        ),
        (
            "<w:r><w:t>a</w:t><w:endnoteReference w:id='2'/><w:t>.</w:t></w:r>",
            "a.",
        ),
        // Symbols.
        (
            "<w:t>a</w:t><w:sym w:font='Wingdings' w:char='F0FC'/><w:t>b</w:t>",
            "a b",
        ),
        (
            "<w:sym w:font='Arial' w:char='0259'/><w:sym w:font='Doulos' w:char='F161'/>",
            "ə\u{f161}",
        ),
        // A text box in a sentence, which programs of 2010 and later write twice.
        (
            "<w:r><w:t>a </w:t></w:r><w:r><mc:AlternateContent><mc:Choice><w:txbxContent><w:p><w:t>c</w:t></w:p>\
             <w:p/></w:txbxContent></mc:Choice><mc:Fallback><w:p><w:t>x</w:t></w:p></mc:Fallback>\
             </mc:AlternateContent></w:r><w:r><w:t>b</w:t></w:r>",
            "a b/c",
        ),
    ] {
        let body = format!("<w:document><w:body><w:p>{content}</w:p></w:body></w:document>");
        assert_eq!(lines(styles, WORD, &body), expected, "{content}");
    }
}

/// LibreOffice 7.4.
#[test]
fn a_paragraph_of_open_document_has_what_its_reader_sees() {
    let styles = "<office:styles><style:style style:name='H'><style:text-properties text:display='none'/>\
         </style:style><style:style style:name='P1' style:parent-style-name='H'/></office:styles>\
         <office:master-styles><text:p>x</text:p></office:master-styles>";
    for (content, expected) in [
        (
            "<draw:frame><draw:image><office:binary-data>iVBO</office:binary-data></draw:image>\
             <svg:title>x</svg:title><svg:desc>x</svg:desc></draw:frame>a <text:title>b</text:title>",
            "a b",
        ),
        (
            "a <draw:frame><draw:text-box><text:p>c</text:p></draw:text-box></draw:frame>b",
            "a b/c",
        ),
        (
            "a<text:span text:style-name='H'>x</text:span><text:span text:style-name='P1'>x</text:span>",
            "a",
        ),
        (
            "</text:p><text:section text:display='none'><text:p>x</text:p></text:section><text:p>a",
            "a",
        ),
        (
            "</text:p><text:section text:condition='x' text:display='condition' text:is-hidden='true'>\
             <text:p>x</text:p></text:section><text:p>a",
            "a",
        ),
        (
            "a<text:hidden-text text:is-hidden='true' text:string-value='x'>x</text:hidden-text>",
            "a",
        ),
        (
            "<text:ruby><text:ruby-base>水</text:ruby-base><text:ruby-text>みず</text:ruby-text></text:ruby>",
            "水",
        ),
        (
            "a<text:note-ref text:note-class='footnote'>1</text:note-ref>.",
            "a.",
        ),
        ("a<text:s text:c='3'/>b\n c<text:line-break/>d", "a b\r c/d"),
        (
            "a<draw:object><math:math><math:mi>x</math:mi></math:math></draw:object>b",
            "ab",
        ),
    ] {
        let body = format!("<office:text><text:p>{content}</text:p></office:text>");
        assert_eq!(lines(styles, OPEN_DOCUMENT, &body), expected, "{content}");
    }
}

#[test]
fn documents_in_one_file_are_read_by_their_root() {
    for (xml, title, text) in [
        (
            "<?xml version='1.0'?><FictionBook><description><title-info><book-title>Mlin</book-title>\
             <lang>sl</lang></title-info><id>x</id></description><body><title><p>Mlin</p></title>\
             <p>Potok<a type='note'>[1]</a> teče.</p><empty-line/><v>Lipa</v><v>gaj</v></body>\
             <body name='notes'><section><p>x</p></section></body><binary>iVBO</binary></FictionBook>",
            Some("Mlin"),
            "Mlin/Potok teče./Lipa/gaj",
        ),
        (
            "<office:document office:mimetype='application/vnd.oasis.opendocument.text'><office:meta>\
             <dc:title>Mlin</dc:title></office:meta><office:settings><config:config-item>1</config:config-item>\
             </office:settings><office:master-styles><style:header><text:p>x</text:p></style:header>\
             </office:master-styles><office:body><text:h>Potok</text:h><text:p>teče</text:p></office:body>\
             </office:document>",
            Some("Mlin"),
            "Potok/teče",
        ),
        (
            "<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><title>Mlin</title><p>x</p></teiHeader>\
             <text><body><div><head>Potok</head><p>teče <choice><sic>cez</sic><corr>čez</corr></choice>\n \
             vas<note>x</note>.<lb/>In</p><lg><l>Lipa</l>\n<l>gaj</l></lg><sp><speaker>Ana</speaker>\
             <p><w>Ne</w>\n<w join='right'>hodi</w>\n<pc>,</pc> <w>Bor</w>\n<pc join='left'>!</pc></p></sp>\
             </div></body></text></TEI>",
            Some("Mlin"),
            "Potok/teče cez\r vas.\rIn/Lipa/gaj/Ana/Ne\rhodi, Bor!",
        ),
        (
            "<pkg:package><pkg:part><w:comments><w:comment><w:p><w:t>x</w:t></w:p></w:comment></w:comments>\
             </pkg:part><pkg:part><w:document><w:p><w:t>Potok</w:t></w:p></w:document></pkg:part></pkg:package>",
            None,
            "Potok",
        ),
        (
            "<w:wordDocument><w:body><w:p><w:r><w:t>Potok</w:t></w:r></w:p><w:sectPr><w:hdr><w:p><w:t>x</w:t>\
             </w:p></w:hdr></w:sectPr></w:body></w:wordDocument>",
            None,
            "Potok",
        ),
    ] {
        let document = read_document(xml).unwrap();
        assert_eq!(document.title.as_deref(), title, "{xml}");
        assert_eq!(join(&document.text), text, "{xml}");
    }
}

#[test]
fn other_xml_is_refused_by_the_name_of_its_root() {
    for (xml, name) in [
        ("<?xml version='1.0'?><!-- a --><rss version='2.0'/>", "rss"),
        ("<package xmlns='http://www.idpf.org/2007/opf'/>", "package"),
        ("<svg:svg xmlns:svg='http://www.w3.org/2000/svg'>", "svg"),
        (
            "<office:document office:mimetype='application/vnd.oasis.opendocument.spreadsheet'/>",
            "document",
        ),
        ("<?xml version='1.0'?>", "missing"),
    ] {
        assert_eq!(read_document(xml), Err(name.to_owned()));
    }
}

#[test]
fn deep_xml_and_end_tags_without_a_start_are_read_in_linear_time() {
    let faulty = format!("<w:p><w:t>a{}b</w:t></w:p>", "</x>".repeat(100_000));
    assert_eq!(lines("", WORD, &faulty), "ab");
    let deep = format!(
        "<w:p><w:t>a{}",
        "<b>".repeat(100_000) + &"</c>".repeat(100_000)
    );
    assert_eq!(lines("", WORD, &deep), "a");
}

/// TDM Reservation Protocol, 2024: EPUB 2 and 3, and XMP of a PDF.
#[test]
fn metadata_reserve_a_document_in_each_form() {
    for (metadata, expected) in [
        ("<meta name='tdm:reservation' content='1'/>", Some(true)),
        (
            "<meta content='0' name=\"tdm:reservation\"/><a/>",
            Some(false),
        ),
        ("<meta property='tdm:reservation'>1</meta>", Some(true)),
        ("<tdm:reservation> 1\n</tdm:reservation>2024", Some(true)),
        ("<rdf:Description tdm:reservation='1'/>", Some(true)),
        (
            "<tdm:reservation>0</tdm:reservation><tdm:reservation>1</tdm:reservation>",
            Some(true),
        ),
        ("<meta name='TDM-Reservation' content='1'/>", Some(true)),
        (
            "<meta property='tdm:reservation'><![CDATA[1]]></meta>",
            Some(true),
        ),
        (
            "<a>R&D</b><meta property='tdm:reservation'>&#49;</meta>",
            Some(true),
        ),
        (
            "<tdm:reservation><rdf:Bag><rdf:li>1</rdf:li></rdf:Bag></tdm:reservation>",
            Some(true),
        ),
        (
            "<x prefix='a: http://a.test/ t: http://www.w3.org/ns/tdmrep#'>\
             <meta property='t:reservation'>1</meta></x>",
            Some(true),
        ),
        (
            "<x xmlns:T='http://www.w3.org/ns/tdmrep/' T:reservation='1'/>",
            Some(true),
        ),
        (
            "<reservation xmlns='http://www.w3.org/ns/tdmrep/'>1</reservation>",
            Some(true),
        ),
        // Those of other vocabularies.
        (
            "<x xmlns:h='http://hotel.test/'><h:reservation>1</h:reservation></x>",
            None,
        ),
        ("<meta property='hotel:reservation'>1</meta>", None),
        (
            "<meta name='tdm:policy' content='1'/><dc:title>1</dc:title>",
            None,
        ),
    ] {
        let xml = format!("<?xml version='1.0'?><metadata>{metadata}</metadata>");
        assert_eq!(tdm_reservation(&xml), expected, "{metadata}");
    }
}
