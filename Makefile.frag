# How make builds the extension. Becomes a part of the Makefile that phpize and
# configure write; config.m4 sets the XHPROF_ variables that are not set here.

XHPROF_TARGET_DIR = $(top_builddir)/target

# Files, and not a rule that always runs: "sudo make install" after "make" must
# not come to start Cargo as root, who may have none.
XHPROF_SOURCES = $(top_srcdir)/Cargo.toml $(top_srcdir)/Cargo.lock $(top_srcdir)/build.rs \
	$(shell find $(top_srcdir)/src $(top_srcdir)/crates/*/src -type f) $(wildcard $(top_srcdir)/crates/*/Cargo.toml)
XHPROF_PROGRAMS = $(XHPROF_TARGET_DIR)/program
XHPROF_PROGRAM = $(XHPROF_PROGRAMS)/xhprof
XHPROF_SERVER = $(XHPROF_PROGRAMS)/xhprof-server

# --package xhprof: the extension alone, without the features that its
# neighbours in the workspace ask for.
$(phplibdir)/xhprof.so: $(XHPROF_SOURCES)
	cd $(top_srcdir) && PHP="$(XHPROF_PHP)" PHP_CONFIG="$(XHPROF_PHP_CONFIG)" \
		$(XHPROF_CARGO) build --release --locked --package xhprof \
		--target-dir $(XHPROF_TARGET_DIR) $(XHPROF_CARGO_FLAGS)
	@mkdir -p $(phplibdir)
	cp $(XHPROF_TARGET_DIR)/release/$(XHPROF_LIBRARY) $@.new
	@touch $@.new
	mv -f $@.new $@

# The program that reads native profiles, and that of a server. After the extension,
# which is to be built alone.
all: $(XHPROF_PROGRAM) $(XHPROF_SERVER)
$(XHPROF_PROGRAM): $(XHPROF_SOURCES) | $(phplibdir)/xhprof.so
	cd $(top_srcdir) && $(XHPROF_CARGO) build --profile program --locked --package xhprof-cli \
		--target-dir $(XHPROF_TARGET_DIR) $(XHPROF_CARGO_FLAGS)
	@touch $@
$(XHPROF_SERVER): $(XHPROF_SOURCES) | $(XHPROF_PROGRAM)
	cd $(top_srcdir) && $(XHPROF_CARGO) build --profile program --locked --package xhprof-server \
		--target-dir $(XHPROF_TARGET_DIR) $(XHPROF_CARGO_FLAGS)
	@touch $@

# After PHP's own way, which installs the extension as it was built: stripped,
# and with everything beside it. "make install PREFIX=/opt INSTALL_ROOT=/stage".
XHPROF_INSTALL = PHP="$(XHPROF_PHP)" PHP_CONFIG="$(XHPROF_PHP_CONFIG)" \
	INSTALL_ROOT="$(INSTALL_ROOT)" PREFIX="$(PREFIX)" $(top_srcdir)/scripts/install.sh
.PHONY: xhprof-install uninstall
install: xhprof-install
xhprof-install: install-modules $(XHPROF_PROGRAM) $(XHPROF_SERVER)
	@$(XHPROF_INSTALL) install $(phplibdir)/xhprof.so $(XHPROF_PROGRAMS)
uninstall:
	@$(XHPROF_INSTALL) uninstall $(phplibdir)/xhprof.so $(XHPROF_PROGRAMS)

# "make test" reads from here which module to load.
$(phplibdir)/xhprof.la: $(phplibdir)/xhprof.so
	@echo "dlname='xhprof.so'" > $@

# PHP's own "clean" deletes every library below this folder, so half of what
# Cargo keeps: the other half goes with it.
clean: xhprof-clean
.PHONY: xhprof-clean
xhprof-clean:
	rm -rf $(top_builddir)/target

# "make test" runs these, "make test TESTS=php-tests/names" others.
TESTS ?= $(top_srcdir)/php-tests
