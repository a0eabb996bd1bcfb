use super::{Outline, build_outline, text_size};
use crate::hints::MarkupHints;
use crate::metadata::PageMetadata;
use dom_query::Document;

pub(crate) fn outline_from_html(html: &str) -> Outline {
    build_outline(&Document::from(html), &mut PageMetadata::default())
}

/// Returns the texts of the blocks of a document.
pub(crate) fn texts_of(document: &Document) -> Vec<String> {
    let outline = build_outline(document, &mut PageMetadata::default());
    outline.blocks.into_iter().map(|block| block.text).collect()
}

fn texts(html: &str) -> Vec<String> {
    texts_of(&Document::from(html))
}

#[test]
fn block_elements_and_empty_lines_end_blocks() {
    assert_eq!(
        texts("a<p>b\nc<i>d</i></p>e<br>f<table><tr><td>g<td>h"),
        ["a", "b cd", "e\nf", "g", "h"]
    );
    assert_eq!(texts("<pre>a\nb</pre><p>*</p>"), ["a\nb"]);
    assert_eq!(
        texts("a<br>b<br> \n<br>c<pre>d<br><br>e</pre>"),
        ["a\nb", "c", "d\ne"]
    );
}

#[test]
fn keeps_words_whole_and_omits_ruby() {
    assert_eq!(
        texts("ri<wbr>ver<ruby>丘<rp>(</rp><rt>おか</rt><rp>)</rp></ruby>に"),
        ["river丘に"]
    );
}

#[test]
fn what_is_drawn_between_words_separates_them() {
    for tag in [
        "svg", "iframe", "object", "video", "audio", "canvas", "textarea", "x-icon",
    ] {
        let html = format!("<p>teče<{tag} a=b></{tag}>skozi<i>vas</i>, <b>v</b>ode");
        assert_eq!(texts(&html), ["teče skozivas, vode"], "{tag}");
    }
    for (html, text) in [
        ("a<img>b (<embed>c) d<img>, e", "a b (c) d, e"),
        ("<x-a>Lipa</x-a><x-a>Bukev</x-a>.", "Lipa Bukev."),
        ("a<x-a style='display: inline'>b</x-a>c", "abc"),
        ("a<span style='color:red; DISPLAY:block'>b</span>c", "a b c"),
        ("a<span style='display:inline-block'>b</span>c", "abc"),
        (
            "<span style='display:block;float:left'>P</span>otok",
            "Potok",
        ),
        ("za <math><mi>n</mi></math>-ti člen", "za n-ti člen"),
        ("水<img>磨<x-a>車</x-a>", "水磨車"),
        (
            "a<svg><text>x</text></svg>b<video><i>y</i></video>c",
            "a b c",
        ),
    ] {
        assert_eq!(texts(html), [text], "{html}");
    }
}

#[test]
fn line_breaks_of_the_source_between_ideographs_are_no_blanks() {
    assert_eq!(
        texts("<p>小溪，\n <b>\n推</b>动<p>voda\nteče<pre>水\n火</pre>"),
        ["小溪，推动", "voda teče", "水\n火"]
    );
}

#[test]
fn what_a_text_processor_adds_is_no_text() {
    for html in [
        "<math><semantics><mi>v</mi><annotation encoding='application/x-tex'>{\\v}\
         </annotation><annotation-xml><ci>v</ci></annotation-xml></semantics></math>",
        "v<sup id=cite_ref-1 class='reference'><a href='#n'>[1]</a></sup>",
        "v<a role=doc-noteref href='p.xhtml#n'>1</a>",
        "v<span class='mw-editsection'>[<a href=/w>uredi</a>]</span>",
        "<math><mi>v</mi></math><span class=katex-html aria-hidden=true>v</span>",
    ] {
        assert_eq!(texts(html), ["v"], "{html}");
    }
    assert_eq!(texts("m<sup class=unit>2</sup>"), ["m2"]);
}

#[test]
fn scripts_and_titles_are_not_blocks() {
    let mut metadata = PageMetadata::default();
    let html = "<title>A &amp; B</title><script>x</script><style>y</style>\
                <script type='application/ld+json'>{\"articleBody\": \"z\"}</script>c";
    let outline = build_outline(&Document::from(html), &mut metadata);
    assert_eq!(
        outline
            .blocks
            .iter()
            .map(|block| block.text.as_str())
            .collect::<Vec<_>>(),
        ["c"]
    );
    assert_eq!(
        (metadata.title.as_str(), metadata.json_ld.longest_body()),
        ("A & B", "z")
    );
}

#[test]
fn sums_the_text_and_the_linked_text_of_an_element() {
    let page = outline_from_html("<div class=sidebar><p>abcd <a href=x>ef</a><p>gh</div>");
    let element = &page.elements[page.elements[page.blocks[0].element].parent];
    assert_eq!(
        (
            element.size,
            element.linked,
            element.end_block - element.first_block
        ),
        (8, 2, 2)
    );
    assert!(
        page.elements[page.blocks[1].element]
            .inherited_hints
            .has_any(MarkupHints::SIDE)
    );
}

#[test]
fn marks_hidden_and_scriptless_elements() {
    let page = outline_from_html("<div style='display: none'>a</div><noscript><p>b</p></noscript>");
    let hints: Vec<MarkupHints> = page
        .blocks
        .iter()
        .map(|block| page.elements[block.element].inherited_hints)
        .collect();
    assert!(hints[0].has_any(MarkupHints::INVISIBLE) && hints[1].has_any(MarkupHints::SCRIPTLESS));
}

#[test]
fn an_ideograph_has_the_size_of_three_letters() {
    assert_eq!(
        (text_size("ab č"), text_size("水"), text_size("ж ω")),
        (3, 3, 2)
    );
}
