//! The comment threads of a page as a flat tree: nodes in document order, each with the end of its
//! subtree, so that every walk is a loop.

use super::roles::ElementRoles;
use crate::attributes::tag_class_hash;
use crate::comment_threads::CommentThread;
use crate::element_kind::ElementKind;
use crate::outline::{Outline, text_size};
use dom_query::{Document, Element, NodeData, NodeId, NodeRef};
use std::collections::HashMap;
use std::ops::Range;

/// An element or a text.
#[derive(Debug)]
pub(super) struct ThreadNode {
    /// Number of the node around it; that of the root is its own.
    pub parent: usize,
    /// Number of the first node after its subtree.
    pub end: usize,
    /// [`ElementKind::Inline`] for a text.
    pub kind: ElementKind,
    /// The text; empty for an element.
    pub text: String,
    /// Size of all text in it.
    pub size: usize,
    /// A hash of tag and class, which similar siblings share; 0 for a text.
    pub tag_class_hash: u64,
    /// The tag; empty for a text.
    pub tag: String,
    /// True for a form with a field for texts of several lines.
    pub has_text_field: bool,
    /// True for a list of replies, in a comment or beside it.
    pub is_reply_list: bool,
    /// Size of the text in the lists of replies among its children.
    pub replies_size: usize,
    pub roles: ElementRoles,
}

/// All threads of a page, in document order. Node 0 is a root above them, which has no role.
#[derive(Debug)]
pub(super) struct ThreadTree {
    pub nodes: Vec<ThreadNode>,
}

impl ThreadTree {
    /// Reads the threads of a document with this outline.
    pub fn new(document: &Document, outline: &Outline, threads: &[CommentThread]) -> ThreadTree {
        let root = ThreadNode::new(0, ElementKind::Other);
        let mut builder = TreeBuilder {
            nodes: vec![root],
            open: vec![0],
            outline,
            numbers: outline.nodes.iter().copied().collect(),
            threads,
            has_started: false,
        };
        builder.walk(document);
        let mut tree = ThreadTree {
            nodes: builder.nodes,
        };
        tree.nodes[0].end = tree.nodes.len();
        tree.sum_sizes();
        tree.clear_forms();
        tree.sum_sizes();
        tree
    }

    /// Sets the sizes of the elements. An element precedes its descendants.
    fn sum_sizes(&mut self) {
        for node in &mut self.nodes {
            node.size = text_size(&node.text);
        }
        for number in (1..self.nodes.len()).rev() {
            let (parent, size) = (self.nodes[number].parent, self.nodes[number].size);
            self.nodes[parent].size += size;
        }
    }

    /// Removes the text and the roles of what has no comments: lists of the latest comments of a
    /// site, and forms, unless most of the text is in a form without a field for text, or comments
    /// are in what is only named for a form.
    fn clear_forms(&mut self) {
        let mut number = 0;
        while number < self.nodes.len() {
            let node = &self.nodes[number];
            let (end, is_small) = (node.end, node.size * 2 <= self.nodes[0].size);
            let is_form = node.kind == ElementKind::Form && (is_small || node.has_text_field);
            let is_named_form = node.roles.is_named_form && !self.has_comment(number);
            if !is_form && !is_named_form && !node.roles.is_list_of_latest {
                number += 1;
                continue;
            }
            for node in &mut self.nodes[number..end] {
                node.text.clear();
                node.roles = ElementRoles::default();
            }
            number = end;
        }
    }

    /// Returns `true` if an element is a comment or contains one, by microdata or by a numbered id.
    fn has_comment(&self, element: usize) -> bool {
        let mut nodes = self.nodes[element..self.nodes[element].end].iter();
        nodes.any(|node| node.roles.is_comment || node.roles.has_numbered_id)
    }

    /// Returns the tree with an element around each of these ranges of siblings, which are disjoint
    /// and in document order, and the numbers of the added elements.
    pub fn wrap(self, ranges: &[Range<usize>]) -> (ThreadTree, Vec<usize>) {
        // The number of elements that are added before a node, or at it.
        let added = |number: usize| ranges.partition_point(|range| range.start <= number);
        let mut nodes = Vec::with_capacity(self.nodes.len() + ranges.len());
        let mut wrappers = Vec::with_capacity(ranges.len());
        for (number, mut node) in self.nodes.into_iter().enumerate() {
            let count = added(number);
            let range = count.checked_sub(1).map(|index| &ranges[index]);
            let outer_parent = node.parent + added(node.parent);
            let old_parent = node.parent;
            node.parent = outer_parent;
            // An end is that of an element that is added at it, too.
            node.end += ranges.partition_point(|range| range.start < node.end);
            if let Some(range) = range.filter(|range| range.contains(&number)) {
                if range.start == number {
                    let mut wrapper = ThreadNode::new(outer_parent, ElementKind::Other);
                    wrapper.tag = "div".to_owned();
                    wrapper.end = range.end + count;
                    wrappers.push(nodes.len());
                    nodes.push(wrapper);
                }
                if !range.contains(&old_parent)
                    && let Some(&wrapper) = wrappers.last()
                {
                    node.parent = wrapper;
                }
            }
            nodes.push(node);
        }
        let mut tree = ThreadTree { nodes };
        tree.sum_sizes();
        (tree, wrappers)
    }

    /// Returns the children of a node.
    pub fn children(&self, parent: usize) -> impl Iterator<Item = usize> + '_ {
        let end = self.nodes[parent].end;
        let mut next = parent + 1;
        std::iter::from_fn(move || {
            let number = next;
            next = self.nodes.get(number).filter(|_| number < end)?.end;
            Some(number)
        })
    }

    /// Marks the lists of replies: those in a comment that have comments as children, and those
    /// with comments that follow a comment in the element around it.
    pub fn mark_reply_lists(&mut self, items: &[usize]) {
        let is_item = self.mark_nodes(items);
        // The ends of the comments around a node, and of the elements around these.
        let mut ends: Vec<usize> = Vec::new();
        let mut parent_ends: Vec<usize> = Vec::new();
        for &item in items {
            for ends in [&mut ends, &mut parent_ends] {
                while ends.pop_if(|end| *end <= item).is_some() {}
            }
            let list = self.list_around(item, &is_item);
            let is_after_comment = |list: usize| {
                let parent = self.nodes[list].parent;
                parent_ends.last() == Some(&self.nodes[parent].end)
            };
            if let Some(list) = list.filter(|&list| !ends.is_empty() || is_after_comment(list))
                && !self.nodes[list].is_reply_list
            {
                let (parent, size) = (self.nodes[list].parent, self.nodes[list].size);
                self.nodes[list].is_reply_list = true;
                self.nodes[parent].replies_size += size;
            }
            ends.push(self.nodes[item].end);
            let parent_end = self.nodes[self.nodes[item].parent].end;
            if parent_ends.last() != Some(&parent_end) {
                parent_ends.push(parent_end);
            }
        }
    }

    /// Returns the innermost list around a comment, within the comment around it.
    fn list_around(&self, item: usize, is_item: &[bool]) -> Option<usize> {
        let mut element = self.nodes[item].parent;
        while element > 0 && !is_item[element] && self.nodes[element].kind != ElementKind::List {
            element = self.nodes[element].parent;
        }
        (self.nodes[element].kind == ElementKind::List && !is_item[element]).then_some(element)
    }

    /// Returns for each node if it is one of these.
    fn mark_nodes(&self, numbers: &[usize]) -> Vec<bool> {
        let mut marks = vec![false; self.nodes.len()];
        for &number in numbers {
            marks[number] = true;
        }
        marks
    }

    /// Returns the text of an element on one line.
    pub fn text_on_one_line(&self, element: usize) -> String {
        self.nodes_on_one_line(element..self.nodes[element].end)
    }

    /// Returns the text of nodes on one line.
    pub fn nodes_on_one_line(&self, nodes: Range<usize>) -> String {
        let mut line = String::new();
        for node in &self.nodes[nodes] {
            if node.kind != ElementKind::Inline && node.kind != ElementKind::Link {
                line.push(' ');
            }
            line.push_str(&node.text);
        }
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Elements of a tree that are its comments, or may be.
#[derive(Debug)]
pub(super) struct CommentItems<'a> {
    pub tree: &'a ThreadTree,
    /// The numbers of the elements, in document order.
    pub numbers: Vec<usize>,
    /// For each node if it is one of them.
    pub is_item: Vec<bool>,
}

impl CommentItems<'_> {
    pub fn new(tree: &ThreadTree, numbers: Vec<usize>) -> CommentItems<'_> {
        CommentItems {
            is_item: tree.mark_nodes(&numbers),
            tree,
            numbers,
        }
    }

    /// Returns the numbers of the nodes in an element, itself excluded, without the subtrees of
    /// other items and of lists of replies.
    pub fn own_nodes(&self, element: usize) -> impl Iterator<Item = usize> + '_ {
        let nodes = &self.tree.nodes;
        let end = nodes[element].end;
        let mut next = element + 1;
        std::iter::from_fn(move || {
            while next < end && (self.is_item[next] || nodes[next].is_reply_list) {
                next = nodes[next].end;
            }
            let number = next;
            next += 1;
            (number < end).then_some(number)
        })
    }

    /// Returns the size of the text in an element, without that of other items in it.
    pub fn own_size(&self, element: usize) -> usize {
        let own = self.own_nodes(element);
        let own = own.map(|number| &self.tree.nodes[number]);
        own.filter(|node| node.tag.is_empty())
            .map(|node| node.size)
            .sum()
    }
}

impl ThreadNode {
    fn new(parent: usize, kind: ElementKind) -> ThreadNode {
        ThreadNode {
            parent,
            end: 0,
            kind,
            text: String::new(),
            size: 0,
            tag_class_hash: 0,
            tag: String::new(),
            has_text_field: false,
            is_reply_list: false,
            replies_size: 0,
            roles: ElementRoles::default(),
        }
    }
}

struct TreeBuilder<'a> {
    nodes: Vec<ThreadNode>,
    /// Numbers of the open nodes, the root included.
    open: Vec<usize>,
    outline: &'a Outline,
    /// The numbers of the block elements, by node.
    numbers: HashMap<NodeId, usize>,
    /// The threads whose end is not reached, in document order.
    threads: &'a [CommentThread],
    /// True if a block element of the first of them has been added.
    has_started: bool,
}

/// A node of the document that is being visited.
struct OpenNode<'a> {
    next_child: Option<NodeRef<'a>>,
    /// Number of the innermost block element.
    block_element: usize,
    /// True if a node of the tree is to be closed at its end.
    is_added: bool,
}

impl TreeBuilder<'_> {
    /// Visits all nodes depth first, without recursion.
    fn walk(&mut self, document: &Document) {
        let mut stack = vec![OpenNode {
            next_child: document.root().first_child(),
            block_element: 0,
            is_added: false,
        }];
        while let Some(top) = stack.last_mut() {
            let Some(node) = top.next_child.take() else {
                if top.is_added {
                    self.close_node();
                }
                stack.pop();
                continue;
            };
            top.next_child = node.next_sibling();
            let around = top.block_element;
            let number = self.numbers.get(&node.id).copied();
            let block_element = number.unwrap_or(around);
            let is_in_thread = self.open.len() > 1
                || match number {
                    Some(_) => self.is_block_in_thread(block_element),
                    None => self.is_inline_in_thread(block_element),
                };
            let is_added = is_in_thread && self.enter_node(&node);
            if is_added || !is_in_thread {
                stack.push(OpenNode {
                    next_child: node.first_child(),
                    block_element,
                    is_added,
                });
            }
        }
    }

    /// Returns `true` if a block element is in a thread, with all of its text.
    fn is_block_in_thread(&mut self, number: usize) -> bool {
        let element = &self.outline.elements[number];
        let is_in_thread = self.current_thread(number).is_some_and(|thread| {
            element.first_block >= thread.first_block
                && element.end_block <= thread.end_block
                && number >= thread.element
                && element.end_block > element.first_block
        });
        self.has_started |= is_in_thread;
        is_in_thread
    }

    /// Returns `true` if an inline element or a text is in a thread, between block elements.
    /// `around` is the block element around it.
    fn is_inline_in_thread(&mut self, around: usize) -> bool {
        let thread = self.current_thread(around);
        thread.is_some_and(|thread| around >= thread.element) && self.has_started
    }

    /// Returns the first thread that has not ended before a block element.
    fn current_thread(&mut self, number: usize) -> Option<CommentThread> {
        let element = &self.outline.elements[number];
        while let Some(thread) = self.threads.first()
            && thread.end_block <= element.first_block
        {
            self.threads = &self.threads[1..];
            self.has_started = false;
        }
        self.threads.first().copied()
    }

    /// Adds a node to the tree. Returns `true` if it is an element whose children are visited.
    fn enter_node(&mut self, node: &NodeRef) -> bool {
        let parent = self.open.last().copied().unwrap_or_default();
        node.query_or(false, |inner| match &inner.data {
            NodeData::Text { contents } => {
                let mut added = ThreadNode::new(parent, ElementKind::Inline);
                added.text = contents.to_string();
                added.end = self.nodes.len() + 1;
                self.nodes.push(added);
                false
            }
            NodeData::Element(element) => self.open_element(parent, element),
            _ => false,
        })
    }

    fn open_element(&mut self, parent: usize, element: &Element) -> bool {
        let tag: &str = &element.name.local;
        let kind = match ElementKind::new(tag, &element.attrs) {
            ElementKind::Apart => ElementKind::Inline,
            kind => kind,
        };
        if is_left_out(tag, kind) {
            if tag == "textarea" {
                self.mark_form();
            }
            return false;
        }
        let mut added = ThreadNode::new(parent, kind);
        added.tag_class_hash = tag_class_hash(element);
        tag.clone_into(&mut added.tag);
        added.roles = ElementRoles::new(tag, kind, &element.attrs);
        if kind == ElementKind::Gap {
            added.end = self.nodes.len() + 1;
            self.nodes.push(added);
            return false;
        }
        self.open.push(self.nodes.len());
        self.nodes.push(added);
        true
    }

    /// Marks the innermost open form.
    fn mark_form(&mut self) {
        let open = self.open.iter().rev();
        let form = open
            .copied()
            .find(|&number| self.nodes[number].kind == ElementKind::Form);
        if let Some(number) = form {
            self.nodes[number].has_text_field = true;
        }
    }

    fn close_node(&mut self) {
        if let Some(number) = self.open.pop() {
            self.nodes[number].end = self.nodes.len();
        }
    }
}

/// Returns `true` for elements whose text is not that of a comment: scripts, and the controls of a
/// form.
fn is_left_out(tag: &str, kind: ElementKind) -> bool {
    let is_control =
        kind == ElementKind::Control && tag != "label" || matches!(tag, "dialog" | "textarea");
    is_control
        || matches!(
            kind,
            ElementKind::Void | ElementKind::Script | ElementKind::Title
        )
}
