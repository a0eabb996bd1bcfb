use crate::typeset::extract_pdf_text;

/// Builds a PDF of a page with this content, and the forms A, B and so on, which have these
/// contents and no resources of their own. Form Z is missing.
fn build_pdf(content: &str, forms: &[&str]) -> Vec<u8> {
    let stream = |fields: &str, content: &str| {
        let length = content.len();
        format!("<<{fields}/Length {length}>>\nstream\n{content}\nendstream")
    };
    let names = ('A'..).zip(6..).take(forms.len());
    let named = names.map(|(name, number)| format!("/{name} {number} 0 R "));
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        format!(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/\
             Resources<</Font<</F 5 0 R>>/XObject<<{}/Z {} 0 R>>>>>>",
            named.collect::<String>(),
            6 + forms.len()
        ),
        stream("", content),
        "<</Type/Font/Subtype/Type1/BaseFont/Times-Roman>>".to_owned(),
    ];
    objects.extend(forms.iter().map(|form| stream("/Subtype/Form", form)));
    let mut file = String::from("%PDF-1.4\n");
    let mut offsets = String::new();
    for (number, object) in (1..).zip(&objects) {
        offsets += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let (start, size) = (file.len(), objects.len() + 1);
    file += &format!(
        "xref\n0 {size}\n0000000000 65535 f \n{offsets}trailer\n<</Size {size}/Root 1 0 R>>\n\
         startxref\n{start}\n%%EOF\n"
    );
    file.into_bytes()
}

#[test]
fn a_form_that_includes_itself_is_read_once() {
    let page = "BT /F 10 Tf 9 9 Td (page) Tj ET /A Do";
    let text = |forms: &[&str]| extract_pdf_text(&build_pdf(page, forms)).unwrap().text;
    let shows = |text: &str, name: &str| format!("BT /F 9 Tf 9 50 Td ({text}) Tj ET {name}");
    for forms in [
        vec![shows("form", "/A Do")],
        vec![
            shows("form", "/B Do"),
            shows("other", "/C Do"),
            shows("third", "/A Do"),
        ],
    ] {
        let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
        let text = text(&forms);
        assert_eq!(text.matches("form").count(), 1, "{text}");
        assert!(text.contains("page"), "{text}");
    }
}

#[test]
fn forms_that_are_included_exponentially_are_bounded() {
    let page = "BT /F 10 Tf 9 9 Td (page) Tj ET /A Do";
    let names = ('A'..='Z').take(20);
    let mut forms: Vec<String> = names
        .map(|name| format!("/{0} Do /{0} Do", char::from_u32(name as u32 + 1).unwrap()))
        .collect();
    forms.push("BT /F 9 Tf 9 50 Td (form) Tj ET".into());
    let forms: Vec<&str> = forms.iter().map(String::as_str).collect();
    let text = extract_pdf_text(&build_pdf(page, &forms)).unwrap();
    assert!(text.text.starts_with("page") || text.text.contains("page"));
    assert!(text.is_partial && text.text.len() < 4 << 20);
    let text = extract_pdf_text(&build_pdf(page, &forms[12..])).unwrap();
    assert!(!text.is_partial, "it is included 256 times");
}

#[test]
fn the_rewritten_content_of_a_page_does_not_become_a_missing_form() {
    let page = "BT /F 10 Tf 12 TL 9 9 Td (page) ' ET /Z Do";
    let text = extract_pdf_text(&build_pdf(page, &[])).unwrap();
    assert_eq!(text.text.trim(), "page");
}
