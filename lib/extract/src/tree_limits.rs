//! Parsing of a page into a tree, within limits that hold for any page.
//!
//! The tree builder of html5ever takes quadratic time if many elements are open, or if many
//! formatting elements are reopened in each paragraph; libraries recurse over the tree. The limits
//! apply to the tree builder's own state, since its rules decide which tags open and close an
//! element: an end tag in a comment, a script, an attribute, or a table closes none.

use crate::html_tokens::{MAX_ATTRIBUTES, send_tokens};
use crate::shadow_roots::show_shadow_roots;
use dom_query::{Document, NodeId};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::{
    ElementFlags, NodeOrText, QuirksMode, Tracer, TreeBuilder, TreeBuilderOpts, TreeSink,
};
use html5ever::{Attribute, QualName};
use memchr::{memchr_iter, memmem};
use std::borrow::Cow;
use std::cell::{Cell, Ref};

/// Largest page, in bytes, that is parsed into a tree. Set by judgement; the costs of large pages
/// are in BENCHMARKS.md, "Main text".
const MAX_BYTES: usize = 8 << 20;
/// Maximum number of tags of a page that is parsed into a tree, which bounds its time and memory.
const MAX_TAGS: usize = 300_000;
/// Maximum depth of a tree; browsers have the same limit.
pub(crate) const MAX_DEPTH: usize = 512;
/// Tags between two counts of the open elements.
const TAGS_PER_COUNT: usize = 32;
/// Maximum number of open elements and of formatting elements that the tree builder may reopen.
/// With more, text at that point would be deeper than [`MAX_DEPTH`].
const MAX_OPEN: usize = 2 * MAX_DEPTH;
/// Maximum number of elements and attributes in a tree, which bounds its memory.
const MAX_PARTS: usize = 1_000_000;
/// Maximum number of times that the tree builder looks at an element, which bounds its time to
/// about a second. Set by judgement: 700 pages need 21 per tag in the median, and at most 54.
const MAX_STEPS: usize = 100_000_000;

/// Attributes of an element whose comparison is not counted as steps. Set by judgement.
const FEW_ATTRIBUTES: usize = 8;
/// Steps for the comparison of an attribute, which is copied and sorted. Set by judgement.
const STEPS_PER_ATTRIBUTE: usize = 16;

/// Parses a page into a tree, which takes about 20 times its size, and a kilobyte per tag. Returns
/// `None` if the page exceeds a limit.
pub(crate) fn parse_within_limits(html: &str) -> Option<Document> {
    if html.len() > MAX_BYTES || memchr_iter(b'<', html.as_bytes()).count() > MAX_TAGS {
        return None;
    }
    let sink = LimitedSink::default();
    // As `Document::from` does: the content of `<noscript>` is markup.
    let options = TreeBuilderOpts {
        scripting_enabled: false,
        ..TreeBuilderOpts::default()
    };
    let builder = LimitedTreeBuilder {
        builder: TreeBuilder::new(sink, options),
        tags: Cell::new(0),
    };
    send_tokens(html, &builder);
    let sink = builder.builder.sink;
    if memmem::find(html.as_bytes(), b"shadowroot").is_some() {
        show_shadow_roots(&sink.document);
    }
    if sink.exceeds_limit() || is_too_deep(&sink.document) {
        return None;
    }
    let has = |part: &str| memmem::find(html.as_bytes(), part.as_bytes()).is_some();
    if has("foreignObject") {
        show_html_of_drawings(&sink.document);
    }
    for (_, toolbar) in ARCHIVE_TOOLBARS.iter().filter(|(mark, _)| has(mark)) {
        sink.document.select(toolbar).remove();
    }
    Some(sink.document)
}

/// What web archives put into a page: a mark of it, and the elements. Wayback (also that of
/// Archive-It and other libraries), pywb and OpenWayback, archive.today, whose field has the
/// address of the page, Arquivo.pt, the UK Government Web Archive, and the cache of Google.
const ARCHIVE_TOOLBARS: [(&str, &str); 7] = [
    ("wm-ipp", "[id^=wm-ipp], #donato"),
    ("wm-disclaim-banner", "#wm-disclaim-banner"),
    ("webArchiveInfobox", "#webArchiveInfobox"),
    ("_wb_", "[id^=_wb_], [id^=__wb_]"),
    ("SHARE_LONGLINK", "#HEADER"),
    ("arquivo-web-header", "#arquivo-web-header"),
    ("google-cache-hdr", "[id$=google-cache-hdr]"),
];

/// Moves the HTML in a drawing before it: it is text, and what the drawing has itself is none.
fn show_html_of_drawings(document: &Document) {
    let root = document.root();
    let nodes = root.descendants_it();
    let inside: Vec<_> = nodes
        .filter(|node| node.has_name("foreignObject"))
        .collect();
    for node in inside {
        let drawings = node
            .ancestors_it(None)
            .filter(|around| around.has_name("svg"));
        if let Some(outermost) = drawings.last() {
            outermost.insert_before(&node);
        }
    }
}

/// Returns `true` if a node is deeper than [`MAX_DEPTH`].
fn is_too_deep(document: &Document) -> bool {
    let mut node = document.root();
    let mut depth = 0;
    loop {
        if let Some(child) = node.first_child() {
            node = child;
            depth += 1;
            if depth > MAX_DEPTH {
                return true;
            }
            continue;
        }
        // The next node is a sibling of this node or of an element around it.
        loop {
            if let Some(sibling) = node.next_sibling() {
                node = sibling;
                break;
            }
            let Some(parent) = node.parent() else {
                return false;
            };
            node = parent;
            depth -= 1;
        }
    }
}

/// A tree builder that ignores the rest of the page once a limit is exceeded.
struct LimitedTreeBuilder {
    builder: TreeBuilder<NodeId, LimitedSink>,
    /// Tags so far.
    tags: Cell<usize>,
}

impl TokenSink for LimitedTreeBuilder {
    type Handle = NodeId;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<NodeId> {
        let sink = &self.builder.sink;
        if matches!(token, Token::TagToken(_)) {
            self.tags.set(self.tags.get() + 1);
            if self.tags.get().is_multiple_of(TAGS_PER_COUNT) {
                sink.open.set(0);
                self.builder.trace_handles(&OpenElementCounter(&sink.open));
            }
        }
        if sink.exceeds_limit() {
            return TokenSinkResult::Continue;
        }
        self.builder.process_token(token, line)
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Counts the elements that the tree builder refers to.
struct OpenElementCounter<'a>(&'a Cell<usize>);

impl Tracer for OpenElementCounter<'_> {
    type Handle = NodeId;

    fn trace_handle(&self, _: &NodeId) {
        self.0.set(self.0.get() + 1);
    }
}

/// A document that counts what the tree builder does with it.
#[derive(Default)]
struct LimitedSink {
    document: Document,
    /// Elements that the tree builder referred to at the last count.
    open: Cell<usize>,
    /// Elements and attributes so far.
    parts: Cell<usize>,
    /// Elements that the tree builder has looked at so far.
    steps: Cell<usize>,
    /// Attributes of repeated `<html>` and `<body>` tags so far.
    repeated_attributes: Cell<usize>,
}

impl LimitedSink {
    fn exceeds_limit(&self) -> bool {
        self.open.get() > MAX_OPEN || self.parts.get() > MAX_PARTS || self.steps.get() > MAX_STEPS
    }

    fn add_steps(&self, steps: usize) {
        self.steps.set(self.steps.get() + steps);
    }
}

impl TreeSink for LimitedSink {
    type ElemName<'a> = Ref<'a, QualName>;
    type Output = Self;
    type Handle = NodeId;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        self.document.get_document()
    }

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.document.get_template_contents(target)
    }

    fn set_quirks_mode(&self, mode: QuirksMode) {
        self.document.set_quirks_mode(mode);
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        self.add_steps(1);
        x == y
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Ref<'a, QualName> {
        self.add_steps(1);
        self.document.elem_name(target)
    }

    fn create_element(
        &self,
        name: QualName,
        attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> NodeId {
        self.parts.set(self.parts.get() + 1 + attributes.len());
        // A formatting element is compared with the open ones by copies of all attributes.
        let many = attributes.len().saturating_sub(FEW_ATTRIBUTES);
        self.add_steps(many * self.open.get() * STEPS_PER_ATTRIBUTE);
        self.document.create_element(name, attributes, flags)
    }

    fn create_comment(&self, text: StrTendril) -> NodeId {
        self.document.create_comment(text)
    }

    fn create_pi(&self, target: StrTendril, data: StrTendril) -> NodeId {
        self.document.create_pi(target, data)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.document.append(parent, child);
    }

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        self.document.append_before_sibling(sibling, child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        self.document
            .append_based_on_parent_node(element, previous, child);
    }

    fn append_doctype_to_document(
        &self,
        name: StrTendril,
        public_id: StrTendril,
        system_id: StrTendril,
    ) {
        self.document
            .append_doctype_to_document(name, public_id, system_id);
    }

    /// Adds the attributes of a repeated `<html>` or `<body>`. Each is compared with all that the
    /// element has, so that only as many are added as one tag may have.
    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        let repeated = self.repeated_attributes.get() + attributes.len();
        self.repeated_attributes.set(repeated);
        if repeated <= MAX_ATTRIBUTES {
            self.document.add_attrs_if_missing(target, attributes);
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.document.remove_from_parent(target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        self.document.reparent_children(node, new_parent);
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &NodeId) -> bool {
        self.document
            .is_mathml_annotation_xml_integration_point(handle)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_ATTRIBUTES, MAX_DEPTH, parse_within_limits};
    use crate::outline::tests::texts_of;

    fn is_refused(html: &str) -> bool {
        parse_within_limits(html).is_none()
    }

    fn texts(html: &str) -> String {
        texts_of(&parse_within_limits(html).unwrap()).join("/")
    }

    /// The markup of web.archive.org in 2012 and 2024, pywb 2.7, archive.today in 2023, and Google
    /// in 2019, whose id begins with letters that change.
    #[test]
    fn toolbars_of_web_archives_are_no_text() {
        for toolbar in [
            "<div id=wm-ipp style='display:none'><p>x</div>",
            "<div id=wm-ipp-base><div id=wm-ipp>x</div></div><div id=donato>x</div>",
            "<div id=_wb_frame_top_banner>x</div><div id=__wb_banner_div>x</div>",
            "<div id=HEADER><input id=SHARE_LONGLINK>x</div>",
            "<div id=bN015htcoyT__google-cache-hdr><span>x</span></div>",
        ] {
            assert_eq!(texts(&format!("{toolbar}<p>voda")), "voda", "{toolbar}");
        }
        assert_eq!(texts("<div id=HEADER>a</div><p>voda"), "a/voda");
    }

    #[test]
    fn html_in_a_drawing_is_text() {
        for (html, expected) in [
            ("<svg><text>x</text></svg><p>a", "a"),
            (
                "<p>a</p><svg><g><text>x</text><foreignObject><p>b</p><p>c</p></foreignObject></g></svg>d",
                "a/b/c/d",
            ),
            (
                "<svg><foreignObject>a<svg><foreignObject>b</foreignObject></svg></foreignObject>\
                 <text>x</text></svg>",
                "a/b",
            ),
        ] {
            assert_eq!(texts(html), expected, "{html}");
        }
    }

    #[test]
    fn refuses_trees_that_are_too_deep() {
        // Above the elements are the document, `<html>` and `<body>`.
        let deepest = MAX_DEPTH - 2;
        for tag in ["<div>", "<span>", "<b>", "<svg>", "<p><object>"] {
            let elements = tag.matches('<').count();
            assert!(!is_refused(&tag.repeat(deepest / elements)), "{tag}");
            assert!(is_refused(&tag.repeat(deepest / elements + 1)), "{tag}");
        }
        assert!(!is_refused(&"<div><p>a<p>b<br></DIV>".repeat(5000)));
        assert!(!is_refused(&"1 < 2 <> </".repeat(5000)));
    }

    #[test]
    fn end_tags_that_close_nothing_hide_no_depth() {
        for tags in [
            "<div><table></div></table>",
            "<div><!--</div>-->",
            "<div><?</div>",
            "<div><script></div></script>",
            "<div><style></div></style>",
            "<div><textarea></div></textarea>",
            "<div><title></div></title>",
            "<div><xmp></div></xmp>",
            "<div><iframe></div></iframe>",
            "<div><select></div></select>",
            "<div><object></div></object>",
            "<div><template></div></template>",
            "<div><svg><![CDATA[</div>]]></svg>",
            "<svg><g><!--</g></svg>-->",
            "<template><div>",
            "<span a='</span>'>",
            "<span a=\"'></span>\">",
            "<span/>",
            "<a-b></a-c>",
            "<optgroup></x>",
            "<table><tr><td>",
        ] {
            assert!(is_refused(&tags.repeat(1000)), "{tags}");
        }
    }

    #[test]
    fn refuses_formatting_elements_that_each_paragraph_reopens() {
        let fonts: String = (0..1500)
            .map(|n| format!("<p><font size={n}></p>"))
            .collect();
        assert!(is_refused(&fonts));
        let attributes: String = (0..900).map(|n| format!(" a{n}=1")).collect();
        let page = format!("<p><b{attributes}>{}", "x</p><p>".repeat(1200));
        assert!(is_refused(&page));
    }

    #[test]
    fn limits_the_attributes_of_repeated_tags() {
        let bodies: String = (0..5000).map(|n| format!("<body a{n}=1>")).collect();
        let document = parse_within_limits(&bodies).unwrap();
        assert_eq!(document.body().unwrap().attrs().len(), 1 + MAX_ATTRIBUTES);
    }
}
