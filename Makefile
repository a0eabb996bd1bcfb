# make          build the tools: one program, and a link to it for each
# make lab      build the tools of experiments as well; see tests/lab/README.md
# make demo     build what it needs and collect a small corpus from an embedded closed web: Slovenian,
#               or with TARGET=tha Thai; any language of the web, by its ISO 639-3 code
# make demo-news  collect articles on earthquakes from an embedded news web, or with SUBJECT=fishing on
#               another subject, with NEWS_LANGUAGE=jpn in Japanese
# make demo-crawl  collect articles on earthquakes by following links, from a small web on this
#               machine; SUBJECT=fishing takes another subject
# make test     run all tests; installs what they need through the system's package manager
# make check    run the other checks of CI: formatting, lints, shell scripts, man pages, and licences
#               and known vulnerabilities of crates, whose database ADVISORY_DB=FOLDER may hold
# make fuzz     run mutated inputs on the parsers of untrusted input, for an hour; FUZZ_SECONDS=N per
#               target, FUZZ_TARGETS="NAME ...", FUZZ_SEED=N
# make dictionary  build the Japanese dictionary of keywords from Debian's package mecab-ipadic, or
#               from the files in DICTIONARY_SOURCE=FOLDER
# make crate    package the crate forage-langid, and the crate that it needs, and check the packages
# make hooks    install the pre-commit check
# make install  install tools, pipelines, man pages, completions and licences under PREFIX; make
#               uninstall removes them
# make deb      a package for Debian, in target/packages; make tarball, an archive for any Linux with
#               glibc 2.17; make wheel, packages for pip
# make notices  collect the licences of the crates in the tools, in target/THIRD-PARTY-NOTICES
# make reproducible  build the tools, or TOOLS="langid dedup", in another folder as well and compare them
# make sbom     write a bill of materials of the tools, CycloneDX 1.5, to target/forage.cdx.json
#
# The models and word lists of the libraries are built by tests/lab/Makefile.

PREFIX ?= $(HOME)/.local
TOOLS = concordance quality ngram-profile topic-profile keywords topic-filter sample review-page take-down langid gen-query search fetch-extract dedup frontier update-stats corpus-export corpus-report run-steps
PIPELINES = autocor cluster corpus-builder dedup-at-scale special-domain focused-crawl review searxng sites
LAB_TOOLS = draw-documents simulate-run measure-run report-runs
# The README expects the tools here, whichever target folder Cargo is configured to use.
BIN = target/release
DEMO = target/demo

.PHONY: build lab demo demo-news demo-crawl test test-engines check fuzz dictionary dictionary-from-source hooks generated crate

# All tools are one program with a link for each name: a quarter of the space, and of the time to
# link, of one program a tool. `cargo build --package NAME` puts a program of its own in the place of a link.
PROGRAM = $(BIN)/forage
LINKS = $(TOOLS) demo-web
link = @for tool in $(1); do ln -sf forage $(BIN)/$$tool; done

build: $(BIN)/forage
	$(call link,$(LINKS))

.PHONY: $(BIN)/forage
$(BIN)/forage:
	cargo build --release --locked --target-dir target --package forage

# The laboratory runs in this checkout and is not installed; tests/lab/README.md describes it.
lab: build
	cargo build --release --locked --target-dir target $(LAB_TOOLS:%=--package %)

# --- demo: a corpus from the closed web of demo-web -----------------------------------------------

# The tools that corpus-builder runs on an embedded index. Unless `make` has built all tools before,
# the program has only these, and less of them: no engines on the web, no reader of pages, no Parquet.
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
ifeq ($(wildcard $(BIN)/fetch-extract),)
demo-tools:
	cargo build --release --locked --target-dir target --no-default-features --package forage
	$(call link,$(DEMO_TOOLS))
else
demo-tools: build
endif

$(DEMO)/web: tools/demo-web/Cargo.toml tools/demo-web/src/*.rs tools/demo-web/src/*.txt tools/demo-web/sentences/*.gz lib/text/src/*.rs lib/text/lexicon/*.fst | demo-tools
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

dictionary-from-source:
	@mkdir -p $(dir $(DICTIONARY))
	cargo run --release --locked --target-dir target --package topic-lexicons --bin build-japanese-dictionary -- "$(DICTIONARY_SOURCE)" $(DICTIONARY).new
	@mv $(DICTIONARY).new $(DICTIONARY)

# --- demo of special-domain: articles on a subject from the news web of demo-web -------------------

SUBJECT = earthquakes
NEWS_LANGUAGE = eng
NEWS = $(DEMO)/news-$(NEWS_LANGUAGE)

demo-news: build $(if $(filter jpn,$(NEWS_LANGUAGE)),$(DICTIONARY))
	@mkdir -p $(NEWS)
	$(BIN)/demo-web news --language $(NEWS_LANGUAGE) --sample '$(SUBJECT)' > $(NEWS)/sample.new
	$(call remove_run,$(NEWS)/$(SUBJECT),calls=30)
	@rm -rf $(NEWS)/web && mv $(NEWS)/sample.new $(NEWS)/$(SUBJECT).html
	$(BIN)/demo-web news --language $(NEWS_LANGUAGE) | $(BIN)/search --engine index:$(NEWS)/web --add
	PATH="$(CURDIR)/$(BIN):$$PATH" pipelines/special-domain --sample $(NEWS)/$(SUBJECT).html \
	  --engine index:$(NEWS)/web --calls 30 --out $(NEWS)/$(SUBJECT)

# --- demo of focused-crawl: articles on a subject from the linked web of demo-web ------------------

CRAWL = $(DEMO)/crawl

# The shell ends the server of the web when it exits, also after Ctrl-C.
demo-crawl: build
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

# Four tests at a time, since those of the programs wait for half of the time. Only three libraries
# have examples in their documentation, and looking for them costs as much as compiling a library.
test: $(DICTIONARY)
	tests/install-needs
	RUST_TEST_THREADS=4 cargo test --release --workspace --all-targets --locked --no-fail-fast
	cargo test --release --locked --doc --package forage-text --package forage-langid --package forage-topic
	python/test

# Starts search servers, which are installed from Debian's packages, and prints what words mean to
# them, which the guide has. Needs root, and takes three minutes.
SERVERS = kiwix omega sqlite mariadb postgres
test-engines: build
	tests/engines up $(SERVERS)
	tests/engine_meanings.py table $(SERVERS); status=$$?; tests/engine_meanings.py down; exit $$status

check:
	.ci/check

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

crate:
	$(MAKE) -C tests/lab compact-model
	.ci/package-crate

include packaging/rules.mk
