use super::add_json_ld_comments;
use crate::ExtractionOptions;
use crate::tests::extract_with;
use forage_record::Comment;

/// Returns the comments of a page whose body has an article and then `html`, each as author, date
/// and text.
pub(super) fn comments(html: &str) -> Vec<String> {
    let article = "<p>The stream has its source above the village. ".repeat(12);
    let html = format!("<html><body><article><h1>Stream</h1>{article}</article>{html}");
    let options = ExtractionOptions {
        comments: true,
        ..ExtractionOptions::default()
    };
    let page = extract_with(&html, None, &options);
    assert!(page.text.contains("source above"));
    page.comments.iter().map(as_line).collect()
}

fn as_line(comment: &Comment) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or("-".to_owned());
    let (author, date) = (part(&comment.author), part(&comment.date));
    format!("{author} | {date} | {}", comment.text.replace('\n', " / "))
}

#[test]
fn a_number_is_a_comment_only_with_author_or_date() {
    let html = "<div id=comments><div id=comment-1>104</div><div id=comment-2>Yes.</div>
        <div id=comment-3><b class=author>Ana</b><p>42</div></div>";
    assert_eq!(comments(html), ["- | - | Yes.", "Ana | - | 42"]);
}

#[test]
fn reads_microdata() {
    let html = "<section id=comments><h3>2 comments</h3>
        <div itemprop=comment itemscope itemtype='https://schema.org/Comment'>
          <span itemprop=author itemscope itemtype='https://schema.org/Person'>by
            <span itemprop=name>Ana K.</span></span>
          <meta itemprop=dateCreated content=2020-05-01>
          <div itemprop=text><p>Clear water.<p>And cold.</div><a href='#'>Reply</a>
          <div itemscope itemtype='http://schema.org/Comment'>
            <b itemprop=creator>Bor</b> <time itemprop=dateCreated datetime='2020-05-02T08:00'>
            yesterday</time><div itemprop=text>It is.</div></div>
        </div></section>";
    assert_eq!(
        comments(html),
        [
            "Ana K. | 2020-05-01 | Clear water. / And cold.",
            "Bor | 2020-05-02T08:00 | It is."
        ]
    );
}

#[test]
fn reads_wordpress_with_replies() {
    let comment = |number: u8, author: &str, text: &str, replies: &str| {
        format!(
            "<li class='comment even thread-even depth-1' id=comment-{number}>
            <article id=div-comment-{number} class=comment-body><footer class=comment-meta>
            <div class='comment-author vcard'><img class=avatar src=a.png>
            <b class=fn><a href=http://a.test rel='external nofollow' class=url>{author}</a></b>
            <span class=says>says:</span></div><div class=comment-metadata>
            <a href='#comment-{number}'><time datetime=2019-01-0{number}T10:00:00+00:00>day
            {number}</time></a></div></footer><div class=comment-content><p>{text}</p></div>
            <div class=reply><a class=comment-reply-link href='?replytocom={number}'>Reply</a></div>
            </article>{replies}</li>"
        )
    };
    let reply = comment(2, "Bor", "No.", "");
    let html = format!(
        "<div id=comments class=comments-area><h2 class=comments-title>3 thoughts</h2>
        <ol class=comment-list>{}{}</ol><div id=respond class=comment-respond>
        <h3 id=reply-title>Leave a Reply</h3><form class=comment-form><p>Your e-mail address
        </p><textarea>x</textarea></form></div></div>",
        comment(
            1,
            "Ana",
            "Is it deep?",
            &format!("<ol class=children>{reply}</ol>")
        ),
        comment(3, "Cene", "Perhaps in spring.", "")
    );
    assert_eq!(
        comments(&html),
        [
            "Ana | 2019-01-01T10:00:00+00:00 | Is it deep?",
            "Bor | 2019-01-02T10:00:00+00:00 | No.",
            "Cene | 2019-01-03T10:00:00+00:00 | Perhaps in spring."
        ]
    );
}

#[test]
fn reads_old_wordpress_without_an_element_for_the_text() {
    let html = "<h3 id=comments>Two Responses</h3><ol class=commentlist>
        <li class=alt id=comment-5><cite class=fn><a href=http://a.test>Ana</a></cite> Says:<br>
        <small class=commentmetadata><a href='#comment-5'>May 1st, 2008 at 3:04 pm</a></small>
        <p>I like the stream very much.</p><p>Truly.</p></li>
        <li id=comment-6><cite class=fn>Bor</cite> Says:<br>
        <small class=commentmetadata><a href='#comment-6'>May 2nd, 2008 at 3:04 pm</a></small>
        <p>So do I, whatever the season.</p></li></ol>";
    assert_eq!(
        comments(html),
        [
            "Ana | May 1st, 2008 at 3:04 pm | I like the stream very much. / Truly.",
            "Bor | May 2nd, 2008 at 3:04 pm | So do I, whatever the season."
        ]
    );
}

/// Asserts that the comments are these texts, by Ana and Bor on the first two days of May 2012.
fn assert_by_ana_and_bor(html: &str, [first, second]: [&str; 2]) {
    let expected = [
        format!("Ana | 1 May 2012 07:00 | {first}"),
        format!("Bor | 2 May 2012 07:00 | {second}"),
    ];
    assert_eq!(comments(html), expected);
}

#[test]
fn reads_blogger_in_both_of_its_forms() {
    let new = |number: u8, author: &str, text: &str| {
        format!(
            "<li class=comment id=c{number}><div class=avatar-image-container><img src=a.png></div>
            <div class=comment-block><div class=comment-header><cite class=user>
            <a href=http://a.test>{author}</a></cite><span class='datetime secondary-text'>
            <a href='#c{number}'>{number} May 2012 07:00</a></span></div>
            <p class=comment-content>{text}</p><span class=comment-actions><a href='#'>Reply</a>
            </span></div></li>"
        )
    };
    let html = format!(
        "<div class=comments id=comments><div id=comment-holder><ol>{}{}</ol></div></div>",
        new(1, "Ana", "One."),
        new(2, "Bor", "Two.")
    );
    assert_by_ana_and_bor(&html, ["One.", "Two."]);

    let old = |number: u8, author: &str, text: &str| {
        format!(
            "<dt class=comment-author id=c{number}><a rel=nofollow href=http://a.test>{author}</a>
            said...</dt><dd class=comment-body><p>{text}</p></dd><dd class=comment-footer>
            <span class=comment-timestamp><a href='#c{number}'>{number} May 2012 07:00</a></span>
            </dd>"
        )
    };
    let html = format!(
        "<div id=comments><h4>2 comments:</h4><dl id=comments-block>{}{}</dl></div>",
        old(1, "Ana", "One of the last."),
        old(2, "Bor", "Two of them.")
    );
    assert_by_ana_and_bor(&html, ["One of the last.", "Two of them."]);
}

#[test]
fn a_line_with_a_date_in_a_sibling_before_the_text_is_no_line_of_it() {
    let comment = |number: u8| {
        format!(
            "<dt class=comment-data><span class=when>x</span><span class=date>{number} May</span>
            </dt><dd class=comment-text>Comment {number}.</dd>"
        )
    };
    let html = format!(
        "<dl id=comments>{}{}{}</dl>",
        comment(1),
        comment(2),
        comment(3)
    );
    assert_eq!(
        comments(&html),
        [
            "- | 1 May | Comment 1.",
            "- | 2 May | Comment 2.",
            "- | 3 May | Comment 3."
        ]
    );
}

#[test]
fn a_reply_does_not_get_the_date_of_the_comment_around_it() {
    let html = "<ol id=comments><li class=comment id=comment-1><cite class=fn>Ana</cite>
        <time datetime=2020-05-01>May</time><p>Is it deep?<ol><li class=comment id=comment-2>
        <p>No.</ol></ol>";
    assert_eq!(
        comments(html),
        ["Ana | 2020-05-01 | Is it deep?", "- | - | No."]
    );
}

#[test]
fn reads_movable_type() {
    let comment = |number: u8, text: &str| {
        format!(
            "<div class=comment id=comment-{number}><div class=inner><div class=comment-header>
            <div class=asset-meta><span class=byline><span class='vcard author'>Ana</span></span> |
            <abbr class=published title=2010-05-0{number}T10:00:00>May {number}</abbr></div></div>
            <div class=comment-content><p>{text}</p></div></div></div>"
        )
    };
    let html = format!(
        "<div id=comments class=comments><div class=comments-content>{}{}</div></div>",
        comment(1, "One."),
        comment(2, "Two.")
    );
    assert_eq!(
        comments(&html),
        [
            "Ana | 2010-05-01T10:00:00 | One.",
            "Ana | 2010-05-02T10:00:00 | Two."
        ]
    );
}

#[test]
fn reads_repeated_siblings_without_names() {
    let html = "<div id=comments><div><span class=author>Ana</span> <span class=date>1 May</span>
        <p>The path is closed.</div><div><span class=author>Bor</span>
        <p>Since when?</div><p>Join in</div>";
    assert_eq!(
        comments(html),
        ["Ana | 1 May | The path is closed.", "Bor | - | Since when?"]
    );
}

#[test]
fn reads_a_single_comment_of_a_thread() {
    let html = "<div id=comments class=comments><h3>1 comment</h3><ul class=commentlist>
        <li class=comment><span class=author>Ana</span><time datetime=2020-05-01>May</time>
        <div class=comment-text>Quiet here.</div></li></ul></div>";
    assert_eq!(comments(html), ["Ana | 2020-05-01 | Quiet here."]);
}

#[test]
fn reads_comments_that_begin_at_the_targets_of_links_to_them() {
    let comment = |number: u8, byline: &str, text: &str| {
        format!("<a id=c{number}></a><p>{text}</p><p class=posted>Posted by: {byline}</p>")
    };
    let html = format!(
        "<div><h2><a id=comments></a>Comments</h2>{}{}{}<h2>Join in</h2><p>Be polite.</div>",
        comment(
            1,
            "<a href=http://a.test>Ana K.</a> | 1 May 2008",
            "One.<p>And more."
        ),
        comment(2, "Bor | 2 May 2008", "Two."),
        comment(3, "Cene | 3 May 2008", "Three.")
    );
    assert_eq!(
        comments(&html),
        [
            "Ana K. | 1 May 2008 | One. / And more.",
            "Bor | 2 May 2008 | Two.",
            "Cene | 3 May 2008 | Three."
        ]
    );
}

#[test]
fn reads_comments_that_end_or_begin_with_a_line_with_the_date() {
    let texts = ["One.", "Two.", "Three."];
    let line = |number: usize| format!("<p class=date>{number} May 2008</p>");
    let ends: String = texts
        .iter()
        .enumerate()
        .map(|(number, text)| format!("<p>{text}</p>{}", line(number)))
        .collect();
    let begins: String = texts
        .iter()
        .enumerate()
        .map(|(number, text)| format!("{}<p>{text}</p>", line(number)))
        .collect();
    for lines in [ends, begins] {
        assert_eq!(
            comments(&format!("<div id=comments><h3>3 replies</h3>{lines}</div>")),
            [
                "- | 0 May 2008 | One.",
                "- | 1 May 2008 | Two.",
                "- | 2 May 2008 | Three."
            ],
            "{lines}"
        );
    }
}

#[test]
fn authors_in_a_line_are_what_differs_between_the_comments() {
    let html = |line: fn(&str, usize) -> String| {
        let authors = ["Ana", "Bor Z.", "Cene", "Dora"];
        let comments = authors.iter().enumerate().map(|(number, author)| {
            let line = line(author, number + 1);
            format!("<li id=comment-{number}>{line}<div class=commenttext>Yes, {number}.</div>")
        });
        format!("<ol id=comments>{}</ol>", comments.collect::<String>())
    };
    for line in [
        |author: &str, day: usize| format!("{author} le {day} mai 2008"),
        |author: &str, day: usize| format!("No. {day} de {author} le {day} mai 2008"),
        |author: &str, day: usize| format!("De {author} le <i class=date>{day} mai 2008</i>"),
        |author: &str, day: usize| format!("<p class=date>De {author} le {day} mai 2008</p>"),
    ] {
        assert_eq!(
            comments(&html(line)),
            [
                "Ana | 1 mai 2008 | Yes, 0.",
                "Bor Z. | 2 mai 2008 | Yes, 1.",
                "Cene | 3 mai 2008 | Yes, 2.",
                "Dora | 4 mai 2008 | Yes, 3."
            ]
        );
    }
}

#[test]
fn words_after_names_and_labels_of_links_are_no_authors() {
    let comment = |number: u8, author: &str| {
        format!(
            "<li id=comment-{number}><span class=user-links><a href=/u{number}>Profile</a></span>
            <p class=author>{author}</p><div class=comment-body>Yes, {number}.</div>"
        )
    };
    let html = format!(
        "<ol id=comments>{}{}{}</ol>",
        comment(1, "<a href=http://a.test>Ana</a> said..."),
        comment(2, "Bor said..."),
        comment(3, "<a href=http://c.test>Cene</a> said...")
    );
    assert_eq!(
        comments(&html),
        [
            "Ana | - | Yes, 1.",
            "Bor | - | Yes, 2.",
            "Cene | - | Yes, 3."
        ]
    );
}

#[test]
fn a_review_has_comments_and_the_name_of_its_category_is_no_forum() {
    for class in ["hreview", "post category-forum tag-questions"] {
        let html = format!(
            "<div class='{class}'><p>{}</div><div id=comments><div class=comment id=comment-1>
            <b class=author>Ana</b><p>I have seen it, too.</div></div>",
            "The stream has its source above the village. ".repeat(40)
        );
        assert_eq!(comments(&html), ["Ana | - | I have seen it, too."]);
    }
}

#[test]
fn forms_and_lists_of_the_latest_comments_are_left_out() {
    let html = "<div id=comments><form id=commentform><p class=comment-notes>2 fields are
        required</p><textarea name=comment></textarea></form></div>
        <ul id=recentcomments><li class=recentcomments>Ana on Rivers</li>
        <li class=recentcomments>Bor on Lakes</li></ul>";
    assert!(comments(html).is_empty());
}

#[test]
fn a_page_of_a_forum_has_no_comments() {
    let post = "<div class=forum-post><p>How deep is the stream in spring, and who has measured \
                it since the mill was built? I have looked for a table of its levels in three \
                libraries and did not find any that goes back before the war.</div>";
    let html = format!("<body>{post}<div id=comments><div class=comment>Ask Ana.</div></div>");
    let options = ExtractionOptions {
        comments: true,
        ..ExtractionOptions::default()
    };
    assert!(extract_with(&html, None, &options).comments.is_empty());
}

#[test]
fn json_ld_completes_the_comments_of_the_page() {
    let comment = |text: &str, author: Option<&str>| Comment {
        text: text.to_owned(),
        author: author.map(str::to_owned),
        date: None,
    };
    let mut known = vec![comment("One.", None), comment("Two.", Some("Bor"))];
    let declared = vec![
        comment("two", Some("B. Zupan")),
        comment("One", Some("Ana")),
        comment("Three", None),
        comment("Three", Some("Cene")),
    ];
    add_json_ld_comments(&mut known, declared);
    let lines: Vec<String> = known.iter().map(as_line).collect();
    assert_eq!(
        lines,
        ["Ana | - | One.", "Bor | - | Two.", "Cene | - | Three"]
    );
}

#[test]
fn reads_json_ld_but_not_the_answers_to_a_question() {
    let script = |kind: &str| {
        format!(
            r#"<script type="application/ld+json">{{"@type":"{kind}","comment":[{{
            "@type":"Comment","text":"Deep &amp; cold.<br>Yes.","author":{{"name":"Ana"}},
            "dateCreated":"2020-05-01"}}]}}</script>"#
        )
    };
    assert_eq!(
        comments(&script("Article")),
        ["Ana | 2020-05-01 | Deep & cold. / Yes."]
    );
    assert!(comments(&script("Question")).is_empty());
}

#[test]
fn reads_deeply_nested_replies_and_ignores_trees_that_are_too_deep() {
    let replies = |count: usize| -> String {
        let reply = |number: usize| {
            format!("<div class=comment><b class=author>A{number}</b><p>{number} and so on.</p>")
        };
        (0..count).map(reply).collect()
    };
    let html = format!("<div id=comments>{}</div>", replies(400));
    assert_eq!(comments(&html).len(), 400);
    let article = "<p>The stream has its source above the village. ".repeat(12);
    let html = format!("<body>{article}<div id=comments>{}", replies(10_000));
    let options = ExtractionOptions {
        comments: true,
        ..ExtractionOptions::default()
    };
    assert!(extract_with(&html, None, &options).comments.is_empty());
}
