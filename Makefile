# make          build the tools
# make demo     build them and collect a small Slovenian corpus from an embedded closed web
# make test     run all tests; installs what they need through the system's package client
# make check    what CI checks besides: formatting, lints, shell scripts
# make model    make langid's built-in model anew
# make bench    compare langid with others on the same texts
# make verdict  fit anew what tells whether a text is in a known language
# make hooks    install the pre-commit check
# make install  install tools, pipelines, man pages and completions under PREFIX

PREFIX ?= $(HOME)/.local
TOOLS = ngram-profile langid gen-query search fetch-extract dedup update-stats corpus-export draw-documents measure-run report-runs
# Wherever cargo is told to build else: here the README looks for them.
BIN = target/release
DEMO = target/demo

.PHONY: build demo test check hooks generated model verdict accuracy bench install

build:
	cargo build --release --locked --target-dir target $(TOOLS:%=--package %)

# --- the main job, on a web that comes with the build ---------------------------------------------------------------

# What the main job on an embedded index runs, without a client for engines on the web unless `make` has built all.
DEMO_TOOLS = gen-query search dedup langid update-stats corpus-export demo-web

demo: $(DEMO)/web
	@rm -rf $(DEMO)/slovenian
	PATH="$(CURDIR)/$(BIN):$$PATH" pipelines/corpus-builder --target slv --engine index:$(DEMO)/web \
	  $(foreach l,slv eng ces hrv srp,--init $l=$(DEMO)/$l.txt) --docs 60 --out $(DEMO)/slovenian

.PHONY: demo-tools
demo-tools:
	cargo build --release --locked --target-dir target $(if $(wildcard $(BIN)/fetch-extract),,--no-default-features) \
	  $(DEMO_TOOLS:%=--package %)

$(DEMO)/web: tools/demo-web/src/*.rs | demo-tools
	@rm -rf $@ $@.new && mkdir -p $(DEMO)
	$(BIN)/demo-web | $(BIN)/search --engine index:$@.new --add
	@for l in slv eng ces hrv srp; do $(BIN)/demo-web seed $$l > $(DEMO)/$$l.txt || exit; done
	@mv $@.new $@

# --- tests ----------------------------------------------------------------------------------------------------------

test:
	tests/install-needs
	cargo test --release --workspace --locked --no-fail-fast
	@if [ -x ../shared/accept/A-main-job ]; then \
	  echo "with ../shared: the checks of bad input and of stand-ins run on its real data, too"; \
	  ../shared/accept/A-main-job bad standin; \
	else echo "without ../shared: all tests ran that need no data beside the checkout"; fi

# A dependency that `make demo` builds with other features than `make test` is built twice, with all that needs it.
FEATURES = cargo tree --locked --edges normal,build --prefix none --format '{p} {f}'

check:
	@mkdir -p target
	$(FEATURES) --workspace | sed 's/ (\*)$$//' | sort -u > target/features
	@$(FEATURES) --no-default-features $(DEMO_TOOLS:%=--package %) | sed 's/ (\*)$$//' | grep -v '^search ' | sort -u | \
	  comm -23 - target/features | { ! grep .; } || { echo 'are built with other features for make demo; see lib/cli/Cargo.toml'; exit 1; }
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	cargo clippy --package search --no-default-features --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --lib --no-deps --document-private-items --locked --quiet
	shellcheck --external-sources pipelines/autocor pipelines/corpus-builder pipelines/experiment tests/install-needs .ci/run .ci/pre-commit
	mandoc -Tlint -W error man/*.[157]

hooks:
	install .ci/pre-commit "$$(git rev-parse --git-path hooks)/pre-commit"

# Man pages, completions and the snapshots of the help texts, made anew from the arguments' definitions.
generated:
	UPDATE=1 cargo test --release --locked --package forage-tests --test generated

# docs/LANGID.md: how well langid tells languages. SETS names texts, as in SETS="news=news.tsv", of "code, tab, text".
accuracy:
	@test -n "$(SETS)" || { echo 'make accuracy SETS="NAME=FILE ...": lines of code, tab, text'; exit 2; }
	mkdir -p target
	cargo run --release --locked --package forage-langid --example evaluate -- $(SETS) > target/accuracy.md
	sed '/^## /,$$d' docs/LANGID.md | cat -s - target/accuracy.md > docs/LANGID.md.new
	mv docs/LANGID.md.new docs/LANGID.md

# Language identifiers side by side, on the same texts.
bench:
	@test -n "$(TEXTS)" || { echo 'make bench TEXTS="FILE ...": lines of code, tab, text'; exit 2; }
	cargo run --release --locked --manifest-path tests/bench/langid-peers/Cargo.toml --target-dir target/bench -- $(TEXTS)

# The built-in model of langid. DATA holds the word lists that lib/langid/model/README.md names.
model:
	@test -n "$(DATA)" || { echo "make model DATA=FOLDER: see lib/langid/model/README.md"; exit 2; }
	lib/langid/model/export-wordfreq.py $(DATA)/wordfreq
	cargo run --release --locked --package forage-langid --example export-lingua -- $(DATA)/lingua-words $(DATA)/lingua/*
	cargo run --release --locked --package forage-langid --example build-model -- \
	  $(DATA) /usr/share/iso-codes/json/iso_639-3.json lib/langid/model

# What tells whether a text is in a known language; after make model.
verdict:
	@test -n "$(TEXTS)" || { echo 'make verdict TEXTS="[MODEL=]FILE ...": lines of code, tab, text'; exit 2; }
	mkdir -p target
	cargo run --release --locked --package forage-langid --example fit-verdict -- $(TEXTS) > target/weights.rs
	cargo fmt --package forage-langid -- target/weights.rs
	mv target/weights.rs lib/langid/src/identify/weights.rs

# --- install --------------------------------------------------------------------------------------------------------

install: build
	install -d $(PREFIX)/bin $(PREFIX)/share/man/man1 $(PREFIX)/share/man/man5 $(PREFIX)/share/man/man7
	install $(TOOLS:%=$(BIN)/%) pipelines/autocor pipelines/corpus-builder pipelines/experiment $(PREFIX)/bin
	install -d $(PREFIX)/share/forage
	install -m 644 pipelines/*.bash pipelines/*.txt $(PREFIX)/share/forage
	install -m 644 man/*.1 $(PREFIX)/share/man/man1
	install -m 644 man/*.5 $(PREFIX)/share/man/man5
	install -m 644 man/*.7 $(PREFIX)/share/man/man7
	install -d $(PREFIX)/share/bash-completion/completions $(PREFIX)/share/zsh/site-functions $(PREFIX)/share/fish/vendor_completions.d
	install -m 644 man/completions/bash/* $(PREFIX)/share/bash-completion/completions
	install -m 644 man/completions/zsh/* $(PREFIX)/share/zsh/site-functions
	install -m 644 man/completions/fish/* $(PREFIX)/share/fish/vendor_completions.d
