use super::sample::BLOCK_BYTES;
use super::{open_sample, read_text};
use std::fmt::Write as _;
use std::io::{Cursor, Read};

/// Reads a text as a whole and as a stream, which must give the same lines.
fn read(text: &str) -> Result<String, &'static str> {
    let whole = read_text(text);
    match open_sample(Box::new(Cursor::new(text.to_owned()))) {
        Ok(mut reader) => {
            let mut stream = String::new();
            reader.read_to_string(&mut stream).unwrap();
            assert_eq!(whole.as_ref(), Ok(&stream));
        }
        Err(e) => assert_eq!(whole.clone().unwrap_err().to_string(), e.to_string()),
    }
    whole.map_err(|e| e.name)
}

#[test]
fn conllu_is_its_forms() {
    // A multiword token, an empty node, `SpaceAfter`, a form `_`, and a comment of a translator.
    let text = "# newdoc id = a\n# newpar\n# sent_id = 1\n1-2\tvámonos\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n\
        1\tvamos\tir\tVERB\t_\tMood=Imp\t0\troot\t_\t_\n2\tnos\tnosotros\tPRON\t_\t_\t1\tobj\t_\t_\n\
        2.1\tya\tya\tADV\t_\t_\t_\t_\t1:advmod\t_\n3\t,\t,\tPUNCT\t_\t_\t1\tpunct\t_\tX=1|SpaceAfter=No\n\
        4\t_\t_\tSYM\t_\t_\t1\tdep\t_\t_\n5\tal mar\t_\tNOUN\t_\t_\t1\tobl\t_\t_\n\n\
        # text = Sí .\n1\tSí\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No\n2\t.\t_\t_\t_\t_\t_\t_\t_\t_\n\n\
        # newpar\n1\tNo\t_\t_\t_\t_\t_\t_\t_\t_\n";
    assert_eq!(read(text).unwrap(), "vámonos,_ al mar Sí .\nNo ");
    assert_eq!(read(&text.replace('\n', "\r\n")), read(text));
    // Tags that are signs, as in CoNLL-X of the treebank TIGER.
    let signs = "1\tNe\tne\t$,\t$,\t_\t2\t--\t_\t_\n2\tda\tda\tNN\tNN\t_\t0\tROOT\t_\t_\n";
    assert_eq!(read(signs).unwrap(), "Ne da\n");
    // The task of 2009 has more columns.
    let task = "1\tDa\tda\tda\tR\tR\t_\t_\t2\t2\tA\tA\t_\t_\n2\tne\tne\tne\tR\tR\t_\t_\t0\t0\tR\tR\tY\tne.01\t_\n";
    assert_eq!(read(task).unwrap(), "Da ne\n");
    let plus = "# global.columns = FORM ID LEMMA\nDa\t1\tda\nne\t2\tne\n\nVem\t1\tvedeti\n";
    assert_eq!(read(plus).unwrap(), "Da ne\nVem\n");
}

#[test]
fn vertical_is_its_first_column() {
    let text = "<?xml version='1.0'?>\n<corpus>\n<doc id=\"x\" title=\"Dan &lt;b&gt;\">\n<p>\n<s>\nLep\tA\tlep\n\
        <name type=\"x\">\nR&amp;D\tN\tdan\n</name>\n<g/>\n.\tZ\t.\n</s>\n<s>\nRes\tR\tres\n</s>\n</p>\n<p>\n<s>\n<\tZ\t<\n</s>\n</p>\n</doc>\n";
    assert_eq!(read(text).unwrap(), "Lep R&D. Res\n<\n");
    assert_eq!(
        read("<s>\nDa\n<g/>\n!\n</s>\n<s>\nNe\n</s>\n").unwrap(),
        "Da!\nNe\n"
    );
    assert_eq!(read("<p>\nDa\n</p>\n").unwrap(), "Da\n");
    // With elements that HTML has, too.
    let chapter = "<div type=\"chapter\">\n<s id=\"1\">\nDa\tL\n<g />\n.\tZ\n</s>\n</div>\n";
    assert_eq!(read(chapter).unwrap(), "Da.\n");
    // As Korp has it.
    let korp = "<!-- #vrt positional-attributes: word pos -->\n<text id=\"x\">\n<paragraph>\n<sentence id=\"1\">\nDa\tL\n</sentence>\n<sentence>\nNe\tL\n</sentence>\n</paragraph>\n<paragraph>\n<sentence>\nTa\tL\n</sentence>\n</paragraph>\n</text>\n";
    assert_eq!(read(korp).unwrap(), "Da Ne\nTa\n");
    let tagged = "<text id=\"1\">\nLep dan\tN\tlep dan\nje\tV\tbiti\n</text>\n";
    assert_eq!(read(tagged).unwrap(), "Lep dan je\n");
}

#[test]
fn articles_of_wikiextractor_are_their_texts() {
    let text = "<doc id=\"3\" url=\"https://a.test/?curid=3\" title=\"Eau\">\nEau\n\nL&#x27;eau &lt; feu.\n\n</doc>\n\
        <doc id=\"4\" url=\"u\" title=\"Feu\">\nFeu\n</doc>\n";
    assert_eq!(read(text).unwrap(), "Eau\n\nL'eau < feu.\n\nFeu\n");
    // As jusText and SpiderLing write them.
    let prevertical = "<doc title=\"Dan &amp; noč\" url=\"u\">\n<p class=\"good\" heading=\"no\">\nLep &amp; dan\n</p>\n</doc>\n";
    assert_eq!(read(prevertical).unwrap(), "Lep & dan\n");
}

#[test]
fn subtitles_are_the_texts_of_cues() {
    let webvtt = "\u{feff}WEBVTT - Naslov\nKind: captions\n\nNOTE prevedla\nAna\n\nSTYLE\n::cue { color: red }\n\n\
        uvod\n00:01.000 --> 00:02.000 align:start\n<v Ana>Dober\n<i>dan</i> &amp; noč &lrm;</v>\n\n2\n00:00:03.000 --> 00:00:04.000\n\
        <ruby>漢<rt>かん</rt></ruby>字 a < b\n42\n";
    assert_eq!(
        read(webvtt).unwrap(),
        "Dober dan & noč \u{200e}\n漢字 a < b 42\n"
    );
    let subrip = "1\n00:00:01,000 --> 00:00:02,000\n{\\an8}<font color=\"red\">Dober</font>\n\ndan.\n2\n00:00:03,000 --> 00:00:04,000\n7\n\n\n3\n0:00:05,5 --> 0:00:06,000\nNe!\n";
    assert_eq!(read(subrip).unwrap(), "Dober\ndan.\n7\nNe!\n");
    assert_eq!(read(&subrip.replace('\n', "\r")), read(subrip));
    // SubViewer, as YouTube writes it; positions after the times.
    let subviewer = "0:00:00.599,0:00:04.160\nDober\ndan\n\n0:00:05.000,0:00:06.000\n7\n";
    assert_eq!(read(subviewer).unwrap(), "Dober dan\n7\n");
    let placed = "\n\n1\n00:00:01,000 --> 00:00:02,000 X1:100 X2:200\n<i>Da</i>\n";
    assert_eq!(read(placed).unwrap(), "Da\n");
    // As yt-dlp saves the captions of YouTube: each line is in three cues.
    let rolling = "WEBVTT\nKind: captions\nLanguage: sl\n\n00:00.000 --> 00:01.000 position:0%\n \ndober<00:00:00.500><c> dan</c>\n\n\
        00:01.000 --> 00:01.010\ndober dan\n \n\n00:01.010 --> 00:02.000\ndober dan\nin<00:00:01.500><c> noč</c>\n";
    assert_eq!(read(rolling).unwrap(), "dober dan\nin noč\n");
}

#[test]
fn po_is_its_translations() {
    let text = "# Prevod\nmsgid \"\"\nmsgstr \"\"\n\"Language: sl\\n\"\n\n#: a.c:1\n#, c-format\nmsgid \"%d day\"\nmsgid_plural \"%d days\"\n\
        msgstr[0] \"%d dan\"\nmsgstr[1] \"%d \"\n\"dneva\"\n#, fuzzy, c-format\nmsgid \"x\"\nmsgstr \"napak\"\n\n\
        msgctxt \"\"\nmsgid \"\"\nmsgstr \"\\\"Da\\\"\\n\\x4ee \\303\\251 \\č\\\\n\\t\"\n#~ msgid \"old\"\n#~ msgstr \"star\"\nmsgid \"y\"\nmsgstr \"\"\n";
    assert_eq!(read(text).unwrap(), "dan\n  dneva\n\"Da\"\nNe é \\č\\n\n");
    let menu = "msgid \"_Save file_name R&D&nbsp;\"\nmsgstr \"%1$s: Shr_ani <b>R&D</b>&nbsp;%(name)s.\"\nmsgid \"a\"\nmsgstr \"_a\"\n";
    assert_eq!(read(menu).unwrap(), ": Shrani  R&D &nbsp; .\n_a\n");
}

#[test]
fn other_formats_are_refused_by_name() {
    for (text, name) in [
        ("\\id GEN - a\n\\c 1\n\\p\n\\v 1 Da.", "USFM"),
        ("\\c 1\n\\p\n\\v 1 Da.\n\\v 2 Ne.", "USFM"),
        ("\\mt Mojzes\n\\c 1 \\p \\v 1 Da. \\v 2 Ne.", "USFM"),
        (
            "\\_sh v3.0  400  MDF 4.0\n\n\\lx dan\n\\ps n\n\\ge day\n",
            "Toolbox (SFM)",
        ),
        ("\\lx dan\n\\ps n\n\\ge day\n", "Toolbox (SFM)"),
        ("\\ref a.1\n\\tx Da.\n\\mb da\n\\ge yes\n", "Toolbox (SFM)"),
        ("\\id Dan\n\\t da\n\\m da\n\\g yes\n", "Toolbox (SFM)"),
        (
            "@UTF8\n@Begin\n@Languages:\tslv\n*CHI:\tda .\n%mor:\tco|da .\n@End\n",
            "CHAT",
        ),
        ("*CHI:\tda\n\tdan .\n*MOT:\tne .\n", "CHAT"),
        ("3\ndan/A\tpo:noun\nin\n", "a Hunspell dictionary"),
        (
            "2\npotok/NmPl po:noun is:sg\nmlin\n",
            "a Hunspell dictionary",
        ),
        ("__label__sl Da.\n__label__en __label__x Yes.\n", "fastText"),
        (
            "-DOCSTART- -X- O O\n\nV IN B-PP O\nLjubljani NNP B-NP B-LOC\nje V O O\ndan N I-NP O\n",
            "CoNLL-2003",
        ),
        ("Ana\tB-PER\nNovak\tI-PER\nje\tO\ntu\tO\n", "CoNLL-2003"),
        ("Dan\tNcmsn\tdan\nje\tVa\tbiti\n.\tSENT\t.\n", "TreeTagger"),
        (
            "The_DT day_NN is_VBZ fine_JJ and_CC the_DT sun_NN shines_VBZ ._.\n",
            "tagged text",
        ),
        (
            "[ti:Pesem]\n[ar:Ana]\n\n[00:12.00]Dober dan\n[00:15.30]lepa <00:16.10>Ana\n",
            "LRC",
        ),
        ("% glava\n\\documentclass{article}\n", "LaTeX"),
        (
            "/* Naslov */\n\"title\" = \"Dober dan\";\n\n\"end\" = \"Konec\";\n",
            "iOS strings",
        ),
        (
            "<?xml version=\"1.0\"?>\n<!-- a\n<b> -->\n<ANNOTATION_DOCUMENT AUTHOR=\"\">",
            "ELAN",
        ),
        ("<?xml version=\"1.0\"?><words>\n<w>da</w></words>", "XML"),
        (
            "<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx version=\"1.4\">",
            "TMX",
        ),
        ("<tt:tt xmlns:tt=\"http://www.w3.org/ns/ttml\">", "TTML"),
        ("<?xml version=\"1.0\"?><usx version=\"3.0\">", "USX"),
        (
            "<document version=\"2\">\n<interlinear-text guid=\"x\">",
            "FLEx (flextext)",
        ),
        (
            "<?xml version=\"1.0\"?><document><p>da</p></document>",
            "XML",
        ),
        (
            "<!DOCTYPE topic PUBLIC \"a\">\n<topic>\n<p>da</p></topic>",
            "XML",
        ),
        // Elements, one a line, are no tokens.
        (
            "<?xml version=\"1.0\"?>\n<text>\n<s>\n<w>da</w>\n<w>ne</w>\n</s>\n</text>\n",
            "XML",
        ),
        ("<trans xmlns=\"http://a.test\">\n<w>da</w></trans>", "XML"),
        ("[Script Info]\nTitle: a\n", "SubStation Alpha"),
        (
            "File type = \"ooTextFile\"\nObject class = \"TextGrid\"\n",
            "a TextGrid of Praat",
        ),
    ] {
        assert_eq!(read(text), Err(name), "{text}");
    }
    let dictionary = format!("20000\n{}bi/AB\n", "beseda\n".repeat(20_000));
    assert_eq!(read(&dictionary), Err("a Hunspell dictionary"));
}

#[test]
fn plain_text_stays_plain_text() {
    for text in [
        "",
        "\u{3b1}",
        "1984\nIt was a bright cold day in April.\nand/or\n",
        "3\nena\ndve\ntri\n",
        "12\nvas\tin\tmesto\n",
        "1\tdan\t12\n2\tnoč\t9\n",
        "1\tAna\tKranj\tSI\t12\t3\t4\t5\t6\t7\n2\tBor\tPtuj\tSI\t12\t3\t4\t5\t6\t7\n",
        "\\ pot čez polje \\\n\\ in nazaj \\\n",
        "\\begin{document}\nDan \\v{s}ole.\n\\end{document}\n",
        "\\chapter{Dan}\nLep dan.\n\\p\n",
        "WEBVTT je zapis podnapisov.\n",
        "00:10 --> prihod\nA --> B\n",
        "Dan --> noč\n1\n00:10 - 00:12\n",
        "1\nPrvi verz\n2\nDrugi verz\n",
        "<?php echo 1;",
        "<b>Naslov</b>\nDober dan.\n",
        "<tt>ls</tt> izpiše datoteke.\n",
        "<refren>\nHej brigade\n</refren>\n",
        "<Ana> dober dan\n<Bor> dan\n",
        "<doc>\nVečer je lep.\n</doc>\n",
        "*ANA: Dober dan.\nBOR: Dan.\n",
        "*ANA:\tDober dan.\nVstopi Bor.\n",
        "@ana dober dan\n@bor dan\n",
        "# Naslov\n\n1. ena\n2. dve\n",
        "msgid je ključ, msgstr pa prevod\n",
        "__label__ je predpona fastTexta.\nTo je besedilo.\n",
        "- ena\n- dve\n",
        "dog\tpes\tHund\ncat\tmačka\tKatze\n",
        "Da O ne O\nin O\n",
        "in/ali da/ne AC/DC TCP/IP km/h in/ali da/ne in/ali da/ne\n",
        "[12:30] Kosilo\nob [15:00] čaj\n",
        "pred-\nprav\nmlin\n",
        "kraj\u{2028}čas\n",
    ] {
        assert_eq!(read(text).as_deref(), Ok(text));
    }
}

#[test]
fn a_stream_of_several_blocks_is_the_whole_text() {
    let mut vertical = String::from("<doc>\n<p>\n<s>\n");
    let mut plain = String::new();
    for n in 0..BLOCK_BYTES / 4 {
        let _ = writeln!(vertical, "čas{n}\tN");
        let _ = write!(plain, "be-\nseda{n}\n");
    }
    vertical += "</s>\n</p>\n</doc>\n";
    for text in [&vertical, &plain, &"dan ".repeat(BLOCK_BYTES)] {
        let words = |text: &str| text.split_whitespace().count();
        let whole = read_text(text).unwrap();
        let mut stream = String::new();
        let mut reader = open_sample(Box::new(Cursor::new(text.clone()))).unwrap();
        reader.read_to_string(&mut stream).unwrap();
        assert!(whole == stream || words(&whole) == words(&stream));
    }
}

const PIECES: [&str; 24] = [
    "WEBVTT",
    "\n",
    "\n\n",
    "\r",
    "1\tDa\t_\tX\t_\t_\t0\t_\t_\t_",
    "1-2\tDa\t_\t_\t_\t_\t_\t_\t_\t_",
    "# global.columns = FORM ID",
    "# newpar",
    "<doc id=\"1\">",
    "<s>",
    "<g/>",
    "msgid \"_a",
    "msgstr \"\\303",
    "\\x4\"",
    "00:01 --> 00:02",
    "&#x;",
    "&amp;",
    "é",
    "\u{301}",
    "be-",
    "\u{feff}",
    "3",
    "a/b",
    "__label__",
];

proptest::proptest! {
    #[test]
    fn any_text_is_read_as_a_whole_and_as_a_stream(
        pieces in proptest::collection::vec(proptest::sample::select(&PIECES[..]), 0..30),
    ) {
        let _ = read(&pieces.concat());
    }
}
