use super::{Budget, MAX_CONTENT_BYTES, MAX_SAVED_STATES, repair_content};
use pdf_extract::content::Content;
use proptest::prelude::*;

fn repaired(content: &[u8]) -> String {
    let repaired = repair_content(content, &mut Budget::new(1 << 20));
    String::from_utf8_lossy(&repaired).replace('\n', " ")
}

#[test]
fn replaces_quote_operators_by_supported_ones() {
    let content = b"BT /F 9 Tf (a)' 1 .5 <62>\" [(c) 3 (d)] TJ ET";
    assert_eq!(
        repaired(content),
        "BT /F 9 Tf T* (a) Tj 1 Tw .5 Tc T* <62> Tj [(c) 3 (d) ] TJ ET "
    );
}

#[test]
fn keeps_what_text_depends_on() {
    assert_eq!(
        repaired(b"q 1 0 0 -1 0. +.5 cm /P <</MCID 0/A[1 2]>> BDC (say \" this ' \\) (so) ) Tj Q"),
        "q 1 0 0 -1 0. +.5 cm (say \" this ' \\) (so) ) Tj Q "
    );
    assert_eq!(
        repaired(b"/Cs1 cs true false null 0.1 scn 500 0 d0 0 0 m S"),
        ""
    );
}

#[test]
fn content_is_bounded() {
    let states = repaired("q ".repeat(5000).as_bytes());
    assert_eq!(states.matches('q').count(), MAX_SAVED_STATES);
    let mut budget = Budget::new(1 << 30);
    assert_eq!(
        repair_content("1 ".repeat(1 << 20).as_bytes(), &mut budget),
        b""
    );
    assert!(!budget.is_exceeded);
    for shown in ["(Potok) Tj ", "[", "[(a) "] {
        let content = shown.repeat(4 << 20);
        let repaired = repair_content(content.as_bytes(), &mut budget);
        assert!(repaired.len() <= MAX_CONTENT_BYTES, "{shown}");
    }
    assert!(std::mem::take(&mut budget.is_exceeded));
    // Each is read to the end in vain, as long as the budget allows.
    for open in ["(", "BI ID ", "[(", "<", "[<<"] {
        let content = open.repeat(1 << 20);
        assert_eq!(
            repair_content(content.as_bytes(), &mut budget),
            b"",
            "{open}"
        );
    }
    assert!(budget.is_exceeded);
}

#[test]
fn a_fault_costs_at_most_its_operation() {
    for (faulty, expected) in [
        ("] (a) Tj", "(a) Tj "),
        ("(a) Tj ) } >> { (b) Tj", "(a) Tj (b) Tj "),
        ("--5 5.0.1 Td 7-3 . Td", "-5 5.0 Td 7 .0 Td "),
        ("123456789012345678901 0 Td", "123456789012345 0 Td "),
        ("1 Td (a) Tj", "(a) Tj "),
        (
            "/x 9 Td 9 1 2 Td (a) TJ [(b)] Tj",
            "1 2 Td (a) Tj [(b) ] TJ ",
        ),
        ("[(a) 3 (b) TJ (c) Tj", "[(a) 3 (b) ] TJ (c) Tj "),
        ("<6 z1> Tj (b) Tj", "<61> Tj (b) Tj "),
        ("<6 1 Tj (b) Tj", "<61> Tj (b) Tj "),
        ("(a ( b) Tj", "( b) Tj "),
        ("(a)\0Tj\x0cET", "(a) Tj ET "),
        ("1 % one\n 2 Td", "1 2 Td "),
        ("/a#b 9 Tf (a) Tj", "/a#23b 9 Tf (a) Tj "),
        ("/F Tf \u{e9} (a) Tj", "(a) Tj "),
        ("BI /W 1 ID \u{1}(\u{2} EI (a) Tj", "(a) Tj "),
        ("BI /W 1 (a) Tj", "(a) Tj "),
    ] {
        assert_eq!(repaired(faulty.as_bytes()), expected, "{faulty}");
    }
}

proptest! {
    #[test]
    fn what_follows_any_fault_is_read(
        fault in r"[\[\]<>(){}/%#.+0-9a-zA-Z \x00\x0c\n*'-]{0,20}",
    ) {
        // What may comprise the text is left out.
        prop_assume!(!fault.contains(['(', '%', '<']) && !fault.contains("BI"));
        let content = format!("BT {fault}\n ET (Potok) Tj");
        let repaired = repair_content(content.as_bytes(), &mut Budget::new(1 << 20));
        let operations = Content::decode(&repaired).unwrap().operations;
        prop_assert_eq!(&operations.last().unwrap().operator, "Tj");
    }

    #[test]
    fn arbitrary_bytes_never_cause_a_panic(content in prop::collection::vec(any::<u8>(), 0..99)) {
        let _ = repair_content(&content, &mut Budget::new(50));
    }
}
