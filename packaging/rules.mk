# make install, uninstall and packages; a part of ../Makefile, which names the tools and pipelines.

.PHONY: install uninstall portable tarball deb wheel notices sbom reproducible

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
	@umask 022; PATH=$(abspath $(DESTDIR)$(PREFIX)/bin):$$PATH; for tool in $(LINKS) $(filter-out searxng,$(PIPELINES)); do \
	  $$tool --generate bash > $(BASH_COMPLETION)/$$tool && \
	  $$tool --generate zsh > $(ZSH_COMPLETION)/_$$tool && \
	  $$tool --generate fish > $(FISH_COMPLETION)/$$tool.fish || exit; \
	done

uninstall:
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/bin/,forage $(LINKS) $(PIPELINES)) $(INSTALLED_MAN) \
	  $(foreach name,$(LINKS) $(PIPELINES),$(BASH_COMPLETION)/$(name) $(ZSH_COMPLETION)/_$(name) $(FISH_COMPLETION)/$(name).fish)
	rm -rf $(SHARE)/forage $(SHARE)/doc/forage

# The program for other machines with this processor and kernel: it needs glibc 2.17, of 2012.
PORTABLE = target/$(MACHINE)/release/forage
MACHINE = $(shell uname -m)-unknown-linux-gnu
PACKAGING = target/packaging-tools

portable: $(PACKAGING)/installed
	PATH=$(CURDIR)/$(PACKAGING)/bin:$$PATH PYTHONPATH=$(CURDIR)/$(PACKAGING) \
	  cargo zigbuild --release --locked --target-dir target --target $(MACHINE).2.17 --package forage

$(PACKAGING)/installed: packaging/requirements.txt
	PIP_ROOT_USER_ACTION=ignore python3 -m pip install -q --disable-pip-version-check --upgrade --target $(PACKAGING) --requirement $<
	@touch $@

tarball deb wheel: portable
	packaging/$@ $(PORTABLE)

notices:
	@mkdir -p target
	.ci/list-crates.py notices --package forage > target/THIRD-PARTY-NOTICES

sbom:
	@mkdir -p target
	.ci/list-crates.py sbom --package forage > target/forage.cdx.json

reproducible:
	cargo build --release --locked --target-dir target --package forage $(TOOLS:%=--package %)
	.ci/compare-builds forage $(TOOLS)
