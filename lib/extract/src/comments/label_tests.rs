//! Tests of the authors and dates of comments, and of what is none of their text.

use super::tests::comments;

/// Returns comments by Ana, Bor Z. and Cene, each with its number in the place of `{n}`, and the
/// name in that of `{name}`.
fn three_comments(template: &str) -> String {
    let names = ["Ana", "Bor Z.", "Cene"];
    let comments = names.iter().enumerate().map(|(index, name)| {
        let number = (index + 1).to_string();
        template.replace("{name}", name).replace("{n}", &number)
    });
    format!(
        "<div id=comments><h3>Three</h3>{}</div>",
        comments.collect::<String>()
    )
}

#[test]
fn authors_and_dates_are_found_in_the_lines_of_common_templates() {
    for (template, date) in [
        // Drupal: date, then author.
        (
            "<div class=comment id=comment-{n}><span class=submitted>Mon, 2012-05-0{n} 18:05 — {name}
            </span><p>Text of comment {n}.</div>",
            "Mon, 2012-05-0{n} 18:05",
        ),
        // WordPress, whose element around all is named for a body.
        (
            "<li class=comment id=comment-{n}><div class=comment-body><em>on <a href='#comment-{n}'>
            2012-05-0{n} at 8:03 am</a></em> <cite>{name}</cite><p>Text of comment {n}.</div>",
            "on 2012-05-0{n} at 8:03 am",
        ),
        // Lines of the text with the date alone, and a link alone.
        (
            "<li id=comment-{n}><p>May {n}th, 2012 at 8:38 am<p><strong><a href=//a.test/{n}>{name}
            </a></strong> said,<p>Text of comment {n}.</li>",
            "May {n}th, 2012 at 8:38 am",
        ),
        // A line below the text, within the element that is named for it.
        (
            "<div class=comment id=comment-{n}><div class=comment-body><p>Text of comment {n}.
            <p class=comment-meta>by <a href=//a.test/{n}>{name}</a> on May {n}, 2012 at 8:38 am.
            <a href='?replytocom={n}'>Reply</a></div></div>",
            "May {n}, 2012 at 8:38 am.",
        ),
        // A link to what the author has is not named for the author.
        (
            "<div class=comment id=comment-{n}><p><a class=user_homepage href=//a.test/h{n}>Homepage
            </a></p><p>by <a href=//a.test/{n}>{name}</a> on May {n}, 2012 at 8:38 am</p>
            <div class=comment-body>Text of comment {n}.</div></div>",
            "May {n}, 2012 at 8:38 am",
        ),
        // Only the text is named for comments.
        (
            "<div class=entry{n}><small>written by {name}, May {n}, 2012
            </small><div class=comment-text>Text of comment {n}.</div></div>",
            "May {n}, 2012",
        ),
        // Names and dates between the comments.
        (
            "<dt class=entry>{n}. <a href=//a.test/{n}>{name}</a> - <a href='#comment-{n}'>{n} May,
            2012</a><dd><div class=comment id=div-comment-{n}>Text of comment {n}.</div>",
            "{n} May, 2012",
        ),
    ] {
        let expected: Vec<String> = ["Ana", "Bor Z.", "Cene"]
            .iter()
            .enumerate()
            .map(|(index, name)| {
                let number = (index + 1).to_string();
                format!("{name} | {date} | Text of comment {{n}}.").replace("{n}", &number)
            })
            .collect();
        assert_eq!(comments(&three_comments(template)), expected, "{template}");
    }
}

#[test]
fn lines_that_all_comments_have_are_no_text() {
    let html = three_comments(
        "<div class=comment id=comment-{n}><b class=author>{name}</b><p>Yours, {name}.
        <p>Rating: {n}<p><a href=//a.test/vote>Good</a> or bad?</div>",
    );
    assert_eq!(
        comments(&html),
        [
            "Ana | - | Yours, Ana.",
            "Bor Z. | - | Yours, Bor Z..",
            "Cene | - | Yours, Cene."
        ]
    );
}

#[test]
fn sentences_with_numbers_or_emphasis_are_text() {
    for (author, texts) in [
        // No date of these has the form of another one.
        (
            "<b class=author>{name}</b>",
            [
                "It was closed from 1939 to 1945.",
                "In 2010, 3 bridges went.",
                "The 2.0.1 works.",
            ],
        ),
        // Each line has other words beside the emphasis, or is text.
        (
            "<b class=author>{name}</b>",
            [
                "<b>Never</b> again.",
                "<a href=//a.test>This</a> is better.",
                "<cite>Dune</cite>!",
            ],
        ),
        (
            "<i class=date>{n} May 2012</i>",
            [
                "<b>Never</b> again.",
                "<b>This article</b> says it.",
                "<b>Why</b> not?",
            ],
        ),
    ] {
        let comment = |(index, text): (usize, &str)| {
            let names = ["Ana", "Bor", "Cene"];
            let byline = author.replace("{name}", names[index]).replace("{n}", "1");
            format!(
                "<div class=comment id=comment-{index}>{byline}<p>{text}<p>So says {}.</div>",
                names[index]
            )
        };
        let html: String = texts.into_iter().enumerate().map(comment).collect();
        let found = comments(&format!("<div id=comments>{html}</div>"));
        assert_eq!(found.len(), 3, "{texts:?}");
        for (found, text) in found.iter().zip(texts) {
            let text = text.rsplit(['<', '>']).next().unwrap();
            assert!(found.contains(text) && found.contains("So says"), "{found}");
        }
    }
}

#[test]
fn a_comment_has_the_author_before_it_and_not_that_of_its_replies() {
    let comment = |name: &str, text: &str, replies: &str| {
        format!(
            "<dt class=comment><span class=comment_author>{name}</span><dd class=comment>
            <div class=format_text id=comment-body-{name}1>{text}</div>{replies}</dd>"
        )
    };
    let reply = format!(
        "<dl class=children>{}</dl>",
        comment("Bor", "Not at all.", "")
    );
    let html = format!(
        "<dl id=comment_list>{}{}</dl>",
        comment("Ana", "Is it deep?", &reply),
        comment("Cene", "Perhaps in spring.", "")
    );
    assert_eq!(
        comments(&html),
        [
            "Ana | - | Is it deep?",
            "Bor | - | Not at all.",
            "Cene | - | Perhaps in spring."
        ]
    );
}

#[test]
fn the_text_of_a_reply_is_not_that_of_its_comment() {
    let html = three_comments(
        "<ul class=comment id=comment-{n}><li class=author>{name}<li class=post-text>Yes, {name}.
        <li class=reply-text>Thank you for your visit, and for the photographs.</ul>",
    );
    assert_eq!(
        comments(&html),
        [
            "Ana | - | Yes, Ana.",
            "Bor Z. | - | Yes, Bor Z..",
            "Cene | - | Yes, Cene."
        ]
    );
}

#[test]
fn names_of_microformats_are_kept_as_they_are() {
    let comment = |name: &str, text: &str| {
        format!(
            "<li class=comment><cite class=fn>{name}</cite><time datetime=2020-05-01></time><p>{text}"
        )
    };
    let html = ["Dr. Ana Novak", "Dr. Bor Novak", "Dr. Cene Novak"]
        .map(|name| comment(name, &format!("I know {name}.")))
        .concat();
    let names: Vec<String> = comments(&format!("<ol id=comments>{html}</ol>"));
    assert!(names[0].starts_with("Dr. Ana Novak | ") && names[2].starts_with("Dr. Cene Novak | "));
    let anonymous = [1, 2, 3].map(|number| comment("Anonymous", &format!("Comment {number}.")));
    let names = comments(&format!("<ol id=comments>{}</ol>", anonymous.concat()));
    assert!(
        names.iter().all(|line| line.starts_with("Anonymous | ")),
        "{names:?}"
    );
}

#[test]
fn counts_links_and_requests_to_log_in_are_no_comments() {
    for html in [
        "<div id=comments><div class=comment>Be the first to write what you think of it all.</div>
        </div>",
        "<div id=comments><div class=comment>4 comments</div><div class=comment>4 comments</div>
        </div>",
        "<ul id=comments><li class=comment><time>1 May 2012</time><a href=//a.test/1>How the stream
        got its name</a><li class=comment><time>2 May 2012</time><a href=//a.test/2>Why it is dry
        </a></ul>",
        "<div id=comments><div class=comment-login><b class=user>Log in</b> to tell us what you
        think</div></div>",
        // A script loads the comments into an empty element, and what follows is something else.
        "<div><a id=comments></a><div id=commentsContainer></div><div><h4>More</h4><p class=date>1
        May 2012<p>Some text that is long enough for a comment.<p class=date>2 May 2012<p>Some more
        text, which is as long as the first one.</div></div>",
    ] {
        assert!(comments(html).is_empty(), "{html}: {:?}", comments(html));
    }
}
