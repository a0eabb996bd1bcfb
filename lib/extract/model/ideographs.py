#!/usr/bin/env -S python3 -X utf8
"""Replace the words of pages by ideographs, to measure whether the model depends on a language or a script.

    ideographs.py < PAGES.jsonl > IDEOGRAPHS.jsonl      PAGES: as for train.py

A word becomes a third as many ideographs as it has letters, always the same ones, and punctuation becomes Chinese. Blanks
between words are dropped. The text of JSON-LD and the title in metadata are replaced, too; names of elements are not.
"""
import hashlib, html, json, re, sys

MARKUP = re.compile(r"(<script\b.*?</script\s*>|<style\b.*?</style\s*>|<!--.*?-->|<[^<>]*>)", re.S | re.I)
JSON_LD = re.compile(r"(<script\b[^>]*ld\+json[^>]*>)(.*?)(</script\s*>)", re.S | re.I)
TITLE = re.compile(r"""(<meta\b[^>]*og:title[^>]*content=)("[^"]*"|'[^']*')""", re.I)
WORD = re.compile(r"[^\W_]+")
BLANK = re.compile(r"(?<=[\u3000-\u9fff\uff00-\uffef]) +(?=[\u3000-\u9fff\uff00-\uffef])")
PUNCTUATION = str.maketrans({".": "。", ",": "，", "!": "！", "?": "？", ":": "：", ";": "；", "(": "（", ")": "）", '"': "“"})
TEXTS = {"headline", "name", "articleBody", "text", "description"}


def ideographs(word):
    digest = hashlib.md5(word.lower().encode()).digest()
    return "".join(chr(0x4E00 + digest[place % 16] * 20 + place) for place in range(max(len(word) // 3, 1)))


def replace_words(text):
    return BLANK.sub("", WORD.sub(lambda word: word[0] if word[0].isdigit() else ideographs(word[0]), text).translate(PUNCTUATION))


def replace_in_json(value, name=""):
    if isinstance(value, dict):
        return {name: replace_in_json(inner, name) for name, inner in value.items()}
    if isinstance(value, list):
        return [replace_in_json(inner, name) for inner in value]
    return replace_words(value) if isinstance(value, str) and name in TEXTS else value


def replace_in_script(script):
    try:
        return script[1] + json.dumps(replace_in_json(json.loads(script[2])), ensure_ascii=False) + script[3]
    except ValueError:
        return script[0]


def replace_in_markup(page):
    page = JSON_LD.sub(replace_in_script, page)
    page = TITLE.sub(lambda meta: meta[1] + '"' + html.escape(replace_words(html.unescape(meta[2][1:-1]))) + '"', page)
    parts = MARKUP.split(page)
    parts[::2] = [html.escape(replace_words(html.unescape(part)), quote=False) for part in parts[::2]]
    return "".join(parts)


def main():
    for page in map(json.loads, sys.stdin):
        if "text" in page:
            page["html"], page["text"] = replace_in_markup(page["html"]), replace_words(page["text"])
            print(json.dumps(page, ensure_ascii=False))


if __name__ == "__main__":
    main()
