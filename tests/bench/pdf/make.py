#!/usr/bin/env -S python3 -X utf8
"""Writes PDFs whose text is known: paragraphs in several languages and scripts, each written by four
programs, and damaged copies of some.

    make.py SENTENCES FONTS OUT

SENTENCES is the folder `dev` of the sentences with which langid is evaluated (files
CODE_Script.SOURCE.txt, one sentence per line). FONTS has Noto Sans by script and Droid Sans
Fallback. OUT gets NAME.pdf and NAME.txt. Needs typst, fpdf2 with uharfbuzz, PyMuPDF and weasyprint.
"""
import glob, html, os, pathlib, random, re, sys

LANGUAGES = {  # code: (ISO 639-1 code, font, True if written from right to left)
    "eng_Latn": ("en", "NotoSans", False), "slv_Latn": ("sl", "NotoSans", False), "ces_Latn": ("cs", "NotoSans", False),
    "lit_Latn": ("lt", "NotoSans", False), "vie_Latn": ("vi", "NotoSans", False), "rus_Cyrl": ("ru", "NotoSans", False),
    "ell_Grek": ("el", "NotoSans", False), "heb_Hebr": ("he", "NotoSansHebrew", True), "ara_Arab": ("ar", "NotoSansArabic", True),
    "fas_Arab": ("fa", "NotoSansArabic", True), "hin_Deva": ("hi", "NotoSansDevanagari", False), "tha_Thai": ("th", "NotoSansThai", False),
    "zho_Hani": ("zh", "DroidSansFallbackFull", False),
}
FAMILY = {"NotoSans": "Noto Sans", "NotoSansHebrew": "Noto Sans Hebrew", "NotoSansArabic": "Noto Sans Arabic",
          "NotoSansDevanagari": "Noto Sans Devanagari", "NotoSansThai": "Noto Sans Thai", "DroidSansFallbackFull": "Droid Sans Fallback"}


def paragraphs(folder, code):
    """Returns twelve paragraphs of five sentences that only have characters of the fonts: letters,
    digits and common punctuation."""
    lines = [s for f in sorted(glob.glob(f"{folder}/{code}.*.txt"), key=os.path.getsize, reverse=True) for s in open(f).read().splitlines()]
    min_length = 12 if code[4:] in ("Hani", "Thai") else 40
    lines = [s for s in dict.fromkeys(lines) if len(s) >= min_length and not re.search(r"[<>{}\[\]\\|@#$%^*_=+~`/&\"„“”»«›‹–—…’‘]", s)]
    if code[4:] not in ("Latn",):  # one script per document, because each font has one script
        lines = [s for s in lines if not re.search(r"[A-Za-z0-9(),:-]" if code == "zho_Hani" else r"[A-Za-z]", s)]
    lines = lines[:60]
    return [" ".join(lines[start:start + 5]) for start in range(0, len(lines), 5)]


def write_by_typst(text, path, lang, font, fonts, is_rtl):
    import typst
    source = f'#set page(paper: "a4")\n#set text(font: "{FAMILY[font]}", lang: "{lang}", size: 11pt, hyphenate: true)\n#set par(justify: true)\n'
    source += "\n\n".join(re.sub(r"([\\#$*_`<>@=\-+/~\[\]])", r"\\\1", p) for p in text)
    typst.compile(source.encode(), output=path, font_paths=[fonts])


def write_by_fpdf(text, path, lang, font, fonts, is_rtl):
    import fpdf
    pdf = fpdf.FPDF()
    pdf.add_page()
    pdf.add_font("own", fname=font_file(fonts, font))
    pdf.set_font("own", size=11)
    if lang != "zh":
        pdf.set_text_shaping(True, direction="rtl" if is_rtl else "ltr")
    for p in text:
        pdf.multi_cell(0, 6, p, align="R" if is_rtl else "J")
        pdf.ln(4)
    pdf.output(path)


def write_by_mupdf(text, path, lang, font, fonts, is_rtl):
    import fitz
    css = f"@font-face {{font-family: own; src: url({os.path.basename(font_file(fonts, font))});}} * {{font-family: own; font-size: 11pt}}"
    page = "".join(f'<p{" dir=rtl" if is_rtl else ""}>{html.escape(p)}</p>' for p in text)
    story = fitz.Story(page, user_css=css, archive=fitz.Archive(os.path.dirname(font_file(fonts, font))))
    writer, box, more = fitz.DocumentWriter(path), fitz.paper_rect("a4"), 1
    while more:
        device = writer.begin_page(box)
        more, _ = story.place(box + (72, 72, -72, -72))
        story.draw(device)
        writer.end_page()
    writer.close()


def write_by_weasyprint(text, path, lang, font, fonts, is_rtl):
    import weasyprint
    css = f'@font-face {{font-family: own; src: url("file://{font_file(fonts, font)}")}} body {{font: 11pt own; text-align: justify; hyphens: auto}}'
    page = "".join(f"<p>{html.escape(p)}" for p in text)
    whole = f'<html lang={lang} dir={"rtl" if is_rtl else "ltr"}><style>{css}</style><body>{page}'
    weasyprint.HTML(string=whole).write_pdf(path)


def font_file(fonts, font):
    return str(next(p for p in pathlib.Path(fonts).resolve().rglob("*.ttf") if p.stem in (font, font + "-Regular")))


def damaged(body):
    """Yields kinds and bodies of damaged copies, as lost connections, careless editors and careless
    servers leave them: cut off, with a wrong offset of the cross-reference table, after a header
    block, and with shifted objects."""
    start = body.rindex(b"startxref")
    yield "cut", body[: len(body) * 9 // 10]
    yield "places", body[:start] + b"startxref\n7\n%%EOF\n"
    yield "head", b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n" + body
    shifted = body.replace(b"\nendobj", b"\n\nendobj", 3)
    yield "shifted", shifted


def main(sentences, fonts, out):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    programs = {"typst": write_by_typst, "fpdf2": write_by_fpdf, "mupdf": write_by_mupdf, "weasyprint": write_by_weasyprint}
    for code, (lang, font, is_rtl) in LANGUAGES.items():
        text = paragraphs(sentences, code)
        for name, write in programs.items():
            path = out / f"{code}-{name}.pdf"
            try:
                write(text, str(path), lang, font, fonts, is_rtl)
            except Exception as e:
                print(f"{path.name}: {type(e).__name__}: {e}", file=sys.stderr)
                continue
            path.with_suffix(".txt").write_text("\n\n".join(text) + "\n")
    for name in ("slv_Latn-typst", "heb_Hebr-fpdf2", "rus_Cyrl-mupdf", "eng_Latn-weasyprint"):
        if (out / f"{name}.pdf").exists():
            for kind, body in damaged((out / f"{name}.pdf").read_bytes()):
                (out / f"damaged-{name}-{kind}.pdf").write_bytes(body)
                (out / f"damaged-{name}-{kind}.txt").write_text((out / f"{name}.txt").read_text())


main(*sys.argv[1:])
