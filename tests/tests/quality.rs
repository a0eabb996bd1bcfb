//! `quality`: reasons, figures, order, and what it learns from the records before.

use forage_tests::run_tool;
use serde_json::{Value, json};

const PROSE: [&str; 6] = [
    "Zjutraj je bilo še hladno, zato smo ostali doma in pili čaj. Ko se je ogrelo, je oče odprl okno \
     in rekel, da gremo lahko na sprehod do reke, kjer so bili že vsi drugi.",
    "Tumakbo siya papunta sa ilog dahil gusto niyang makita ang mga bangka. Sinabi ng kanyang ina na \
     huwag siyang lalayo, pero hindi na niya narinig iyon dahil sa ingay ng mga tao sa palengke.",
    "早上天气很冷，所以我们都留在家里喝茶。后来太阳出来了，父亲打开窗户说，我们可以去河边走一走，别的人已经在那里等我们了。",
    "เมื่อเช้าอากาศหนาวมาก เราจึงอยู่บ้านและดื่มชา หลังจากนั้นแดดออก พ่อเปิดหน้าต่างแล้วบอกว่าเราไปเดินเล่นริมแม่น้ำกันได้ เพราะคนอื่นรออยู่ที่นั่นแล้ว",
    "सुबह बहुत ठंड थी, इसलिए हम घर पर ही रहे और चाय पीते रहे। जब धूप निकली तो पिता ने खिड़की खोली और कहा कि हम नदी के किनारे घूमने जा सकते हैं, जहाँ बाकी लोग पहले से थे।",
    "كان الجو باردا في الصباح، ولذلك بقينا في البيت وشربنا الشاي. ثم طلعت الشمس ففتح أبي النافذة وقال إننا نستطيع أن نذهب إلى النهر، حيث كان الآخرون ينتظروننا منذ ساعة.",
];

/// Verse, a dialogue, a recipe and verses of scripture: prose in another form.
const OTHER_FORMS: [&str; 4] = [
    "Žive naj vsi narodi,\nki hrepene dočakat dan,\nda, koder sonce hodi,\nprepir iz sveta bo pregnan,\n\
     da rojak\nprost bo vsak,\nne vrag, le sosed bo mejak!",
    "– Kam greš?\n– Domov.\n– Zakaj pa tako zgodaj?\n– Ker me čaka mama.\n– Pa jutri?\n– Jutri pridem spet.",
    "Skleda za štiri osebe\n500 g moke\n3 jajca\nščepec soli\nMoko presejemo v skledo in naredimo jamico, v katero \
     ubijemo jajca. Dodamo sol in gnetemo tako dolgo, da se testo ne prijema več rok. Pokrijemo ga in pustimo počivati \
     pol ure, nato ga razvaljamo na pomokani deski.",
    "1 V začetku je Bog ustvaril nebo in zemljo. 2 Zemlja pa je bila pusta in prazna in tema je bila nad breznom. 3 In \
     Bog je rekel: »Bodi svetloba!« In bila je svetloba. 4 In Bog je videl, da je svetloba dobra.",
];

fn qualities(records: &[Value]) -> Vec<Value> {
    let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
    let output = run_tool("quality", [""; 0], lines).expect_exit(0);
    output
        .records()
        .into_iter()
        .map(|record| record["quality"].clone())
        .collect()
}

fn reasons(text: &str) -> Vec<String> {
    let quality = &qualities(&[json!({"text": text, "label": "slv"})])[0];
    let reasons = quality["reasons"]
        .as_array()
        .unwrap_or_else(|| panic!("{quality}"));
    reasons
        .iter()
        .map(|reason| reason.as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn prose_in_any_language_and_form_has_no_reasons() {
    for text in PROSE.iter().chain(&OTHER_FORMS) {
        let quality = &qualities(&[json!({"text": text})])[0];
        assert_eq!(quality["reasons"], json!([]), "{text}: {quality}");
    }
}

#[test]
fn each_kind_of_text_that_is_no_prose_has_its_reason() {
    let numbered: String = (0..40)
        .map(|n| format!("Marija Kovač {n}, tel. 0{n} 123 456\n"))
        .collect();
    let doorway: String = ["Kranj", "Celje", "Koper", "Ptuj", "Bled", "Piran"]
        .map(|town| format!("Iščete vodovodarja v kraju {town}? Naši mojstri pridejo takoj, tudi ponoči in ob praznikih. "))
        .concat();
    let letters: String = (0..90_u32)
        .map(|n| {
            format!(
                "xq{}zk ",
                n.pow(3).to_string().replace(char::is_numeric, "w") + &"vbdfghj"[n as usize % 6..]
            )
        })
        .collect();
    for (text, reason) in [
        ("Preberi več »\n".repeat(40), "repeated_lines"),
        (numbered, "repeated_lines"),
        (doorway, "repeated_words"),
        ("klik ".repeat(100), "repeated_words"),
        (
            "function f(a){return a.b[0]+=1;}\nvar x={y:[1,2],z:f(3)};\nif(x.y>2){f(x.z);}\n"
                .into(),
            "symbols",
        ),
        (
            "Na prvo stran | Domov | Novice | Šport | Kultura | Vreme | Kontakt | Oglasi | Arhiv"
                .into(),
            "items",
        ),
        (
            "Novak\nKovač\nHribar\nZupan\nPotočnik\nMlakar\nKos\nVidmar\nGolob\nTurk".into(),
            "items",
        ),
        (
            "torba, čevlji, plašč, rokavice, šal, kapa, jopa, srajca, krilo, pas".into(),
            "items",
        ),
        (letters, "uncommon_words"),
    ] {
        let reasons = reasons(&text);
        assert!(
            reasons.iter().any(|found| found == reason),
            "{text}: {reasons:?}, not {reason}"
        );
    }
}

#[test]
fn lines_that_recur_over_a_host_are_found_from_the_fourth_page_on() {
    let footer = "To spletno mesto uporablja piškotke, da vam lahko ponudi boljšo storitev, in jih deli s partnerji.";
    let page = |host: &str, n: usize| {
        json!({"url": format!("http://{host}.test/{n}"), "label": "slv",
            "text": format!("Novica številka {n}: danes je bilo lepo.\n{footer}").replace(char::is_numeric, ["a", "b", "c", "č", "d"][n])})
    };
    let pages: Vec<Value> = (0..5).map(|n| page("a", n)).chain([page("b", 0)]).collect();
    let shares: Vec<f64> = qualities(&pages)
        .iter()
        .map(|quality| quality["host_lines"].as_f64().unwrap())
        .collect();
    assert_eq!(shares[..3], [0.0; 3]);
    assert!(
        shares[3] > 0.5 && shares[4] > 0.5 && shares[5] == 0.0,
        "{shares:?}"
    );
}

#[test]
fn paragraphs_in_other_languages_are_a_reason() {
    let langid = json!({"code": "slv", "score": 1, "margin": 1, "top": [], "share": {"slv": 0.5, "eng": 0.5}});
    let quality = &qualities(&[json!({"text": PROSE[0], "langid": langid})])[0];
    assert_eq!(quality["reasons"], json!(["other_languages"]));
}

#[test]
fn the_own_language_of_a_text_is_that_of_its_label_if_there_is_one() {
    let langid = json!({"code": "slv", "share": {"slv": 0.75, "hrv": 0.25}});
    for (label, share) in [
        (json!("hrv"), json!(0.75)),
        (json!("slv"), json!(0.25)),
        (json!("eng"), json!(1.0)),
        // Labels of other filters are no languages.
        (json!("relevant"), json!(0.25)),
        (Value::Null, json!(0.25)),
    ] {
        let record = json!({"text": PROSE[0], "langid": langid, "label": label});
        let quality = &qualities(&[record])[0];
        assert_eq!(quality["other_languages"], share, "{label}: {quality}");
    }
    let quality = &qualities(&[json!({"text": PROSE[0], "label": "slv"})])[0];
    assert_eq!(quality.get("other_languages"), None);
}

#[test]
fn empty_and_strange_texts_have_figures_too() {
    for text in [
        "",
        "Dober dan",
        " \n\t",
        "a",
        "\u{300}",
        "😀😀",
        "\u{0}",
        "…\n…\n…",
    ] {
        let quality = &qualities(&[json!({"text": text})])[0];
        assert!(quality["reasons"].is_array(), "{text:?}: {quality}");
    }
}
