# make          build the tools
# make lab      build the tools of experiments as well; see tests/lab/README.md
# make demo     build them and collect a small corpus from an embedded closed web: Slovenian, or with
#               TARGET=tha Thai; any language of the web, by its ISO 639-3 code
# make demo-news  build what it needs and collect articles on earthquakes from an embedded news web, or
#               with SUBJECT=fishing on another subject, with NEWS_LANGUAGE=jpn in Japanese
# make demo-crawl  build what it needs and collect articles on earthquakes by following links, from a
#               small web on this machine; SUBJECT=fishing takes another subject
# make test     run all tests; installs what they need through the system's package manager
# make check    run the other checks of CI: formatting, lints, shell scripts, man pages, and licences
#               and known vulnerabilities of crates, whose database ADVISORY_DB=FOLDER may hold
# make fuzz     run mutated inputs on the parsers of untrusted input, for an hour; FUZZ_SECONDS=N per
#               target, FUZZ_TARGETS="NAME ...", FUZZ_SEED=N
# make dictionary  build the Japanese dictionary of keywords from Debian's package mecab-ipadic, or
#               from the files in DICTIONARY_SOURCE=FOLDER
# make model    rebuild the built-in model of langid
# make compact-model  make the model of the package of forage-langid from the built-in one
# make crate    package the crate forage-langid, and the crate that it needs, and check the packages
# make general-words  rebuild the word lists of topic-profile
# make lexicons rebuild the lexicons for segmentation of scripts without blanks
# make bench    compare langid with other identifiers, which it installs, on the same texts
# make extended-model  build a model of langid from sources with restricted licences as well
# make leave-one-out  measure langid on sources that are left out of its model
# make reject-model  fit langid's reject option and its scores
# make hooks    install the pre-commit check
# make install  install tools, pipelines, man pages, completions and licences under PREFIX; make
#               uninstall removes them
# make deb      a package for Debian, in target/packages; make tarball, an archive for any Linux with
#               glibc 2.17; make wheel, packages for pip
# make notices  collect the licences of the crates in the tools, in target/THIRD-PARTY-NOTICES
# make reproducible  build the tools, or TOOLS="langid dedup", in another folder as well and compare them
# make sbom     write a bill of materials of the tools, CycloneDX 1.5, to target/forage.cdx.json

PREFIX ?= $(HOME)/.local
TOOLS = concordance quality ngram-profile topic-profile keywords topic-filter sample review-page langid gen-query search fetch-extract dedup frontier update-stats corpus-export corpus-report run-steps
PIPELINES = autocor cluster corpus-builder dedup-at-scale special-domain focused-crawl review searxng
LAB_TOOLS = draw-documents simulate-run measure-run report-runs
# The README expects the tools here, whichever target folder Cargo is configured to use.
BIN = target/release
DEMO = target/demo

.PHONY: build lab demo test check fuzz dictionary hooks generated general-words model compact-model crate extended-model leave-one-out reject-model lexicons accuracy bench install uninstall notices sbom reproducible

build:
	cargo build --release --locked --target-dir target $(TOOLS:%=--package %)

# The laboratory runs in this checkout and is not installed; tests/lab/README.md describes it.
lab: build
	cargo build --release --locked --target-dir target $(LAB_TOOLS:%=--package %) --package demo-web

# --- demo: a corpus from the closed web of demo-web -----------------------------------------------

# The tools that corpus-builder runs on an embedded index. `search` is built without engines on the
# web, and `update-stats` without the reader of pages, unless `make` has built all tools before.
DEMO_TOOLS = run-steps gen-query search dedup langid update-stats corpus-export corpus-report demo-web

# The language that the demo collects, and the others that it has initial texts of.
TARGET = slv
CONTRAST = $(shell $(BIN)/demo-web contrast '$(TARGET)' 2>/dev/null)
# The web has only 43 pages in Japanese.
DOCS = $(if $(filter jpn,$(TARGET)),30,60)
# Each target has a run folder of its own.
RUN = $(DEMO)/$(if $(filter slv,$(TARGET)),slovenian,$(TARGET))

# Removes the run in folder $(1) of an earlier demo, whose limit is $(2), so that it can be made again. A run that was
# extended or reviewed stays.
remove_run = @limits=$$(grep -sE '^(docs|relevant|words|queries|calls|pages|until-coverage)=.' $(1)/run.conf | xargs); \
  case "$$limits" in ''|'$(2)') [ ! -e $(1)/review ];; *) false;; esac || { \
    echo "$(1): has more than the demo ($$limits); to start anew: rm -r $(1)" >&2; exit 2; }; \
  rm -rf $(1)

demo: $(DEMO)/web
	@message=$$($(BIN)/demo-web contrast '$(TARGET)' 2>&1) || \
	  { echo "make demo: TARGET=$(TARGET) is not$${message#*: not}" | head -1 >&2; exit 2; }
	@for l in $(TARGET) $(CONTRAST); do $(BIN)/demo-web seed $$l > $(DEMO)/$$l.txt || exit; done
	$(call remove_run,$(RUN),docs=$(DOCS))
	PATH="$(CURDIR)/$(BIN):$$PATH" pipelines/corpus-builder --target $(TARGET) --engine index:$(DEMO)/web \
	  $(foreach l,$(TARGET) $(CONTRAST),--init $l=$(DEMO)/$l.txt) --docs $(DOCS) --out $(RUN)

.PHONY: demo-tools
demo-tools:
	cargo build --release --locked --target-dir target $(if $(wildcard $(BIN)/fetch-extract),,--no-default-features) \
	  $(DEMO_TOOLS:%=--package %)

$(DEMO)/web: tools/demo-web/Cargo.toml tools/demo-web/src/*.rs lib/text/src/*.rs lib/text/lexicon/*.fst | demo-tools
	@rm -rf $@ $@.new && mkdir -p $(DEMO)
	$(BIN)/demo-web | $(BIN)/search --engine index:$@.new --add
	@mv $@.new $@

# --- the Japanese dictionary ----------------------------------------------------------------------

# Debian's package mecab-ipadic has the sources of IPADIC. Another folder with them, in EUC-JP or
# UTF-8, is given as DICTIONARY_SOURCE.
DICTIONARY = target/dictionary/ipadic.dic
DICTIONARY_SOURCE =

dictionary: $(if $(DICTIONARY_SOURCE),dictionary-from-source,$(DICTIONARY))

$(DICTIONARY): lib/topic/dictionary/fetch-ipadic lib/topic/src/keyphrases/japanese/format.rs tests/lab/tools/topic-lexicons/src/bin/build-japanese-dictionary/compile.rs
	@mkdir -p $(@D)
	@[ -f $(@D)/sources/matrix.def ] || lib/topic/dictionary/fetch-ipadic $(@D)/sources
	@$(MAKE) --no-print-directory dictionary-from-source DICTIONARY_SOURCE=$(@D)/sources

.PHONY: dictionary-from-source
dictionary-from-source:
	@mkdir -p $(dir $(DICTIONARY))
	cargo run --release --locked --target-dir target --package topic-lexicons --bin build-japanese-dictionary -- "$(DICTIONARY_SOURCE)" $(DICTIONARY).new
	@mv $(DICTIONARY).new $(DICTIONARY)

# --- demo of special-domain: articles on a subject from the news web of demo-web -------------------

NEWS_TOOLS = $(DEMO_TOOLS) fetch-extract keywords topic-filter
SUBJECT = earthquakes
NEWS_LANGUAGE = eng
NEWS = $(DEMO)/news-$(NEWS_LANGUAGE)

.PHONY: demo-news
demo-news: $(if $(filter jpn,$(NEWS_LANGUAGE)),$(DICTIONARY))
	cargo build --release --locked --target-dir target $(NEWS_TOOLS:%=--package %)
	@mkdir -p $(NEWS)
	$(BIN)/demo-web news --language $(NEWS_LANGUAGE) --sample '$(SUBJECT)' > $(NEWS)/sample.new
	$(call remove_run,$(NEWS)/$(SUBJECT),calls=30)
	@rm -rf $(NEWS)/web && mv $(NEWS)/sample.new $(NEWS)/$(SUBJECT).html
	$(BIN)/demo-web news --language $(NEWS_LANGUAGE) | $(BIN)/search --engine index:$(NEWS)/web --add
	PATH="$(CURDIR)/$(BIN):$$PATH" pipelines/special-domain --sample $(NEWS)/$(SUBJECT).html \
	  --engine index:$(NEWS)/web --calls 30 --out $(NEWS)/$(SUBJECT)

# --- demo of focused-crawl: articles on a subject from the linked web of demo-web ------------------

CRAWL_TOOLS = $(DEMO_TOOLS) fetch-extract frontier topic-filter topic-profile
CRAWL = $(DEMO)/crawl

# The shell ends the server of the web when it exits, also after Ctrl-C.
.PHONY: demo-crawl
demo-crawl:
	cargo build --release --locked --target-dir target $(CRAWL_TOOLS:%=--package %)
	@mkdir -p $(CRAWL)
	$(BIN)/demo-web linked core '$(SUBJECT)' > $(CRAWL)/core.jsonl
	$(BIN)/demo-web linked seeds > $(CRAWL)/seeds.txt
	$(call remove_run,$(CRAWL)/$(SUBJECT),pages=300)
	@rm -f $(CRAWL)/address
	@$(BIN)/demo-web linked serve > $(CRAWL)/address & server=$$!; \
	  trap 'kill $$server' EXIT; trap 'exit 2' INT TERM HUP; \
	  until [ -s $(CRAWL)/address ]; do kill -0 $$server || exit 2; sleep 0.1; done; \
	  PATH="$(CURDIR)/$(BIN):$$PATH" pipelines/focused-crawl --core $(CRAWL)/core.jsonl --seeds $(CRAWL)/seeds.txt \
	    --connect-to "$$(cat $(CRAWL)/address)" --delay 0 --pages 300 \
	    --out $(CRAWL)/$(SUBJECT)

# --- tests ----------------------------------------------------------------------------------------

# Four tests at a time, since those of the programs wait for half of the time.
test: $(DICTIONARY)
	tests/install-needs
	RUST_TEST_THREADS=4 cargo test --release --workspace --locked --no-fail-fast
	python/test
	@if [ -x ../shared/accept/A-main-job ]; then \
	  echo "../shared found: running the checks of bad input and stand-ins on its real data as well"; \
	  ../shared/accept/A-main-job bad standin; \
	else echo "../shared not found: all tests that need no data outside the checkout have run"; fi

# Prints dependencies with their features. If `make demo` and `make test` enable different features
# of a dependency, it is built twice, with all that depends on it; `make check` compares them.
FEATURES = cargo tree --locked --edges normal,build --prefix none --format '{p} {f}'

check:
	@mkdir -p target
	$(FEATURES) --workspace | sed 's/ (\*)$$//' | sort -u > target/features
	@$(FEATURES) --no-default-features $(DEMO_TOOLS:%=--package %) | sed 's/ (\*)$$//' | grep -Ev '^(search|update-stats) ' | sort -u | \
	  comm -23 - target/features | { ! grep .; } || { echo 'these have other features in make demo than in make test; see lib/cli/Cargo.toml'; exit 1; }
	cargo fmt --all --check
	cargo clippy --release --workspace --all-targets --locked -- -D warnings
	cargo clippy --release --package search --no-default-features --locked -- -D warnings
	cargo fmt --manifest-path python/langid/Cargo.toml --check
	PYO3_NO_PYTHON=1 PYO3_BUILD_EXTENSION_MODULE=1 cargo clippy --manifest-path python/langid/Cargo.toml --target-dir target/python/build --release --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --release --workspace --lib --no-deps --document-private-items --locked --quiet
	shellcheck --external-sources $(PIPELINES:%=pipelines/%) tests/lab/experiment tests/lab/report tests/install-needs tests/engines python/test lib/topic/dictionary/fetch-ipadic .ci/run .ci/pre-commit .ci/check-crates .ci/check-packages .ci/compare-builds .ci/package-crate packaging/deb packaging/tarball packaging/version packaging/wheel packaging/wheel-corpus .cargo/rustc-wrapper
	mandoc -Tlint -W error man/*.[157]
	.ci/check-crates

# Each run should have a seed of its own. Failing inputs are saved in target/fuzz.
FUZZ_TARGETS =
FUZZ_SECONDS = 144
FUZZ_SEED = $(shell date +%s)

fuzz:
	cargo run --release --locked --target-dir target --package forage-fuzz -- $(FUZZ_TARGETS) --seconds $(FUZZ_SECONDS) --seed $(FUZZ_SEED)

hooks:
	@hook="$$(git rev-parse --git-path hooks)/pre-commit"; mkdir -p "$${hook%/*}"; \
	if [ -e "$$hook" ] && ! cmp -s .ci/pre-commit "$$hook" && ! grep -q '^# The pre-commit check:' "$$hook"; \
	then echo "$$hook: another hook is installed; remove it first"; exit 2; fi; \
	install .ci/pre-commit "$$hook"

# Regenerates man pages from the definitions of the arguments.
generated:
	UPDATE=1 cargo test --release --locked --package forage-tests --test programs generated::

# Measures the accuracy of langid and writes docs/LANGID.md. SETS names sets of texts, as in
# SETS="news=news.tsv"; a line has code, tab, text.
accuracy:
	@test -n "$(SETS)" || { echo 'make accuracy SETS="NAME=FILE ...": lines of code, tab, text'; exit 2; }
	mkdir -p target
	cargo run --release --locked --package langid-model --bin evaluate-langid -- $(SETS) > target/accuracy.md
	sed '/^## /,$$d' docs/LANGID.md | cat -s - target/accuracy.md > docs/LANGID.md.new
	mv docs/LANGID.md.new docs/LANGID.md

# Compares langid with other identifiers on the same texts and writes the tables in docs/LANGID.md.
# TEXTS names files, as in TEXTS="prose.tsv news.tsv pages.tsv"; a line has code, tab, text; of the first, also the
# first words are identified. PER_LANGUAGE texts
# of each language are used, because some identifiers take milliseconds per text.
PER_LANGUAGE = 30
PEERS = target/bench/python

bench: $(PEERS)/installed
	@test -n "$(TEXTS)" || { echo 'make bench TEXTS="FILE ...": lines of code, tab, text'; exit 2; }
	CARGO_TARGET_DIR=$(CURDIR)/target/bench $(PEERS)/bin/python -m pip install -q --disable-pip-version-check ./python/langid
	rm -r target/bench/wheels
	cargo run --release --locked --manifest-path tests/bench/langid-peers/Cargo.toml --target-dir target/bench -- \
	  $(PEERS)/bin/python $(PER_LANGUAGE) $(TEXTS) > target/comparison.md
	sed -e '/^<!-- make bench -->/,/^<!-- end -->/ {//!d;}' -e '/^<!-- make bench -->/r target/comparison.md' \
	  docs/LANGID.md > docs/LANGID.md.new
	mv docs/LANGID.md.new docs/LANGID.md

# A package that cannot be installed on this machine is left out of the comparison.
$(PEERS)/installed: tests/bench/langid-peers/requirements.txt
	python3 -m venv $(PEERS)
	while read -r package; do \
	  $(PEERS)/bin/python -m pip install -q --disable-pip-version-check "$$package" || echo "make bench: without $$package"; \
	done < $<
	touch $@

# Rebuilds the built-in model of langid. DATA has the word lists that lib/langid/model/README.md names.
model:
	@test -n "$(DATA)" || { echo "make model DATA=FOLDER: see lib/langid/model/README.md"; exit 2; }
	lib/langid/model/export-wordfreq.py $(DATA)/wordfreq
	cargo run --release --locked --package langid-model --bin export-lingua -- $(DATA)/lingua-words $(DATA)/lingua/*
	cargo run --release --locked --package langid-model --bin build-langid-model -- \
	  $(DATA) /usr/share/iso-codes/json/iso_639-3.json lib/langid/model

# Makes the smaller model that the package of forage-langid contains.
compact-model:
	cargo run --release --locked --target-dir target --package langid-model --bin compact-langid-model -- \
	  lib/langid/model/evidence.bin lib/langid/model/compact.bin

crate: compact-model
	.ci/package-crate

# Builds a model for `langid --model` that is also made from word counts which may not be shipped.
extended-model:
	@test -n "$(DATA)" || { echo "make extended-model DATA=FOLDER: see lib/langid/model/README.md"; exit 2; }
	mkdir -p target
	cargo run --release --locked --package langid-model --bin build-langid-model -- \
	  --extended $(DATA) /usr/share/iso-codes/json/iso_639-3.json target/extended.model

# Measures langid on texts of sources that are left out of its model, and writes what langid --list
# shows of languages, and the section and figures of docs/LANGID.md; run it after make model.
leave-one-out: target/left-out/done
	cargo run --release --locked --package langid-model --bin report-langid -- \
	  target/left-out lib/langid/model/SOURCES.tsv tools/langid/src/languages.tsv docs/images > target/left-out.md
	sed -e '/^<!-- make leave-one-out -->/,/^<!-- end -->/ {//!d;}' -e '/^<!-- make leave-one-out -->/r target/left-out.md' \
	  docs/LANGID.md > docs/LANGID.md.new
	mv docs/LANGID.md.new docs/LANGID.md

# Fits langid's reject option and its scores; run it after make model.
reject-model: target/left-out/done
	cargo run --release --locked --package langid-model --bin fit-reject-model -- target/left-out > target/weights.rs
	cargo fmt --package forage-langid -- target/weights.rs
	mv target/weights.rs lib/langid/src/identify/weights.rs

# Models that lack some sources, and texts of these.
target/left-out/done: lib/langid/model/evidence.bin
	@test -n "$(DATA)" || { echo "make $(MAKECMDGOALS) DATA=FOLDER: see lib/langid/model/README.md"; exit 2; }
	rm -rf target/left-out && mkdir -p target/left-out
	cargo run --release --locked --package langid-model --bin build-langid-model -- \
	  --leave-one-out $(DATA) /usr/share/iso-codes/json/iso_639-3.json target/left-out
	touch $@

# Rebuilds the word lists of topic-profile.
general-words:
	@test -n "$(DATA)" || { echo "make general-words DATA=FOLDER: see lib/topic/words/README.md"; exit 2; }
	lib/langid/model/export-wordfreq.py $(DATA)/wordfreq
	cargo run --release --locked --package topic-lexicons --bin build-general-words -- $(DATA)/wordfreq lib/topic/words/general-words.bin

# Builds the lexicons for segmentation from word lists.
lexicons:
	@test -n "$(DATA)" || { echo "make lexicons DATA=FOLDER: see lib/text/lexicon/README.md"; exit 2; }
	lib/text/lexicon/export-word-lists.py $(DATA)
	cargo build --release --locked --package text-lexicon
	build=$(CURDIR)/target/release/build-lexicon && cd "$(DATA)" && \
	  "$$build" $(CURDIR)/lib/text/lexicon/han.fst han-zh.tsv han-zht.tsv han-ja.tsv && \
	  "$$build" $(CURDIR)/lib/text/lexicon/thai.fst thai.tsv thaidict.txt && \
	  "$$build" $(CURDIR)/lib/text/lexicon/lao.fst lo.txt laodict.txt && \
	  "$$build" $(CURDIR)/lib/text/lexicon/khmer.fst km.txt khmerdict.txt && \
	  "$$build" $(CURDIR)/lib/text/lexicon/burmese.fst my.txt burmesedict.txt

# --- install and packages -------------------------------------------------------------------------

# All tools are one program with a link for each name: a quarter of the space of one program a tool.
PROGRAM = $(BIN)/forage
LINKS = $(TOOLS) demo-web
SHARE = $(DESTDIR)$(PREFIX)/share
# What completions are installed as: of bash, zsh and fish.
BASH_COMPLETION = $(SHARE)/bash-completion/completions
ZSH_COMPLETION = $(SHARE)/zsh/site-functions
FISH_COMPLETION = $(SHARE)/fish/vendor_completions.d
INSTALLED_MAN = $(foreach section,1 5 7,$(patsubst man/%,$(SHARE)/man/man$(section)/%,$(wildcard man/*.$(section))))

install: $(PROGRAM) notices
	install -d $(DESTDIR)$(PREFIX)/bin $(SHARE)/forage $(SHARE)/doc/forage $(SHARE)/man/man1 $(SHARE)/man/man5 $(SHARE)/man/man7
	install $(PROGRAM) $(DESTDIR)$(PREFIX)/bin/forage
	$(DESTDIR)$(PREFIX)/bin/forage --link $(DESTDIR)$(PREFIX)/bin
	install -m 644 LICENSE NOTICE target/THIRD-PARTY-NOTICES $(SHARE)/doc/forage
	install -m 644 lib/extract/rules/news.toml $(SHARE)/forage
	@if [ -f $(DICTIONARY) ]; then install -m 644 $(DICTIONARY) $(SHARE)/forage; \
	else echo "without Japanese noun phrases: run make dictionary, then make install again"; fi
	for section in 1 5 7; do install -m 644 man/*.$$section $(SHARE)/man/man$$section || exit; done
	install -d $(BASH_COMPLETION) $(ZSH_COMPLETION) $(FISH_COMPLETION)
	@umask 022; PATH=$(abspath $(DESTDIR)$(PREFIX)/bin):$$PATH; for tool in $(LINKS) $(PIPELINES); do \
	  $$tool --generate bash > $(BASH_COMPLETION)/$$tool && \
	  $$tool --generate zsh > $(ZSH_COMPLETION)/_$$tool && \
	  $$tool --generate fish > $(FISH_COMPLETION)/$$tool.fish || exit; \
	done

uninstall:
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,forage $(LINKS) $(PIPELINES)) $(INSTALLED_MAN) \
	  $(foreach name,$(LINKS) $(PIPELINES),$(BASH_COMPLETION)/$(name) $(ZSH_COMPLETION)/_$(name) $(FISH_COMPLETION)/$(name).fish)
	rm -rf $(SHARE)/forage $(SHARE)/doc/forage

.PHONY: $(BIN)/forage
$(BIN)/forage:
	cargo build --release --locked --target-dir target --package forage

# The program for other machines with this processor and kernel: it needs glibc 2.17, of 2012.
PORTABLE = target/$(MACHINE)/release/forage
MACHINE = $(shell uname -m)-unknown-linux-gnu
PACKAGING = target/packaging-tools

.PHONY: portable tarball deb wheel
portable: $(PACKAGING)/installed
	PATH=$(CURDIR)/$(PACKAGING)/bin:$$PATH PYTHONPATH=$(CURDIR)/$(PACKAGING) \
	  cargo zigbuild --release --locked --target-dir target --target $(MACHINE).2.17 --package forage

$(PACKAGING)/installed: packaging/requirements.txt
	PIP_ROOT_USER_ACTION=ignore python3 -m pip install -q --disable-pip-version-check --upgrade --target $(PACKAGING) --requirement $<
	@touch $@

tarball: portable
	packaging/tarball $(PORTABLE)

deb: portable
	packaging/deb $(PORTABLE)

wheel: portable
	packaging/wheel $(PORTABLE)

notices:
	@mkdir -p target
	.ci/list-crates.py notices --package forage > target/THIRD-PARTY-NOTICES

sbom:
	@mkdir -p target
	.ci/list-crates.py sbom --package forage > target/forage.cdx.json

reproducible: build $(PROGRAM)
	.ci/compare-builds forage $(TOOLS)
