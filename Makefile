# netdoctor: make run, make test. Everything is built into build/ (B=DIR for another place); V=1 shows the
# commands, CC=clang, SAN=1 (sanitizers, into build/san), WERROR=0 (for packagers).
SAN ?= 0
V ?= 0
WERROR ?= 1
B ?= $(if $(filter 1,$(SAN)),build/san,build)
ifeq ($(origin CC),default)
CC := gcc
endif
PKG_CONFIG ?= pkg-config
PREFIX ?= /usr/local
Q := $(if $(filter 1,$(V)),,@)
SAY = $(if $(filter 1,$(V)),@:,@echo "  $(1)")

VERSION := 0.1.0
PKGS := yaml-0.1 libpcre2-8 libpcap libarchive
, := ,
WARN := -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wformat=2 -Wundef -Wvla -Wpointer-arith \
	-Wwrite-strings -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Wswitch-enum \
	-Wnull-dereference -Wimplicit-fallthrough -Wno-missing-field-initializers $(if $(filter 1,$(WERROR)),-Werror)
SANITIZE := -fsanitize=address$(,)undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# Fortified headers make sprintf a macro in clang, and base.h poisons that name.
FORTIFY := $(if $(findstring clang,$(CC)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
OPT := $(if $(filter 1,$(SAN)),-O1 $(SANITIZE),-O2 $(FORTIFY))
CFLAGS ?= -g
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE -I. -DND_VERSION='"$(VERSION)"' $(WARN) $(OPT) -fno-common -fstack-protector-strong -fPIE $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS := -pie -Wl,-z,relro,-z,now -Wl,--as-needed $(if $(filter 1,$(SAN)),$(SANITIZE)) $(LDFLAGS)
ifeq ($(filter clean run test check cases san lab bench mutate fuzz lint format golden demo,$(MAKECMDGOALS)),)
ALL_CFLAGS += $(shell $(PKG_CONFIG) --cflags $(PKGS))
LIBS := $(shell $(PKG_CONFIG) --libs $(PKGS)) -lm -lpthread
TEST_LIBS := $(shell $(PKG_CONFIG) --libs cmocka jansson 2>/dev/null || echo -lcmocka -ljansson)
endif

SRC := $(sort $(wildcard engine/*/*.c collectors/*.c reports/*.c))
RULES := $(sort $(wildcard rules/lib/*.yaml)) $(sort $(wildcard rules/*.yaml))
REPORTS := $(sort $(wildcard reports/*.c))
MAIN := $(B)/engine/cli/main.o
OBJ := $(filter-out $(MAIN),$(SRC:%.c=$(B)/%.o)) $(B)/rules_embed.o $(B)/reports.o
LIB := $(B)/libnetdoctor.a
TESTS := $(patsubst %.c,$(B)/%,$(sort $(wildcard tests/unit/test_*.c)))
REPLAYS := $(patsubst tests/fuzz/fuzz_%.c,$(B)/tests/fuzz/replay-%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
INSTALL_PACKAGES := packaging/install-packages.sh

.PHONY: all tests run test check cases san lab bench mutate fuzz lint format golden demo docs clean install FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(B)/netdoctor
tests: $(TESTS) $(REPLAYS)

# ---- building ----
$(B)/netdoctor: $(MAIN) $(LIB)
	$(call SAY,LINK $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# From scratch, so that no object of a file that is gone stays in it.
$(LIB): $(OBJ) $(B)/objects.list
	$(call SAY,AR   $@)
	$(Q)rm -f $@ && ar qcs $@ $(OBJ)

$(B)/tests/unit/%: $(B)/tests/unit/%.o $(LIB)
	$(call SAY,LINK $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(TEST_LIBS) $(LIBS)

$(B)/tests/mutate/mutate: $(B)/tests/mutate/mutate.o $(B)/tests/mutate/plan.o $(LIB)
	$(call SAY,LINK $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/tests/bench/rules: $(patsubst %.c,$(B)/%.o,$(sort $(wildcard tests/bench/*.c))) $(LIB)
	$(call SAY,LINK $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# A fuzz target without libFuzzer: runs the inputs that are its arguments.
$(B)/tests/fuzz/replay-%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/replay.o $(LIB)
	$(call SAY,LINK $@)
	$(Q)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(B)/%.o: %.c $(B)/flags.list
	$(call SAY,CC   $<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/%.o: $(B)/%.c $(B)/flags.list
	$(call SAY,CC   $<)
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/rules_embed.c: $(RULES) $(B)/inputs.list packaging/generate.sh
	$(call SAY,GEN  $@)
	$(Q)packaging/generate.sh rules $(RULES) >$@

$(B)/reports.c: $(REPORTS) $(B)/inputs.list packaging/generate.sh
	$(call SAY,GEN  $@)
	$(Q)packaging/generate.sh reports $(REPORTS) >$@

# Files that change only when what they hold does: flags and the lists of files.
$(B)/flags.list: export CONTENT = $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)
$(B)/objects.list: export CONTENT = $(OBJ)
$(B)/inputs.list: export CONTENT = $(RULES) $(REPORTS)
$(B)/flags.list $(B)/objects.list $(B)/inputs.list: FORCE
	@mkdir -p $(@D)
	@echo "$$CONTENT" | cmp -s - $@ || echo "$$CONTENT" >$@

# ---- using ----
# 0 healthy, 1 a cause found, 3 inconclusive: in each case the report came out.
run:
	@$(INSTALL_PACKAGES) build
	@$(MAKE) --no-print-directory all
	@rc=0; $(B)/netdoctor run || rc=$$?; case $$rc in 0 | 1 | 3) ;; *) exit $$rc ;; esac

# Everything, also under sanitizers and in the lab.
test:
	@$(INSTALL_PACKAGES) build test
	@MAKE="$(MAKE)" tests/run.sh

check:
	@$(INSTALL_PACKAGES) build test
	@MAKE="$(MAKE)" tests/run.sh build unit rules cases input cli docs hostile mutate schema layers size

san lab:
	@$(INSTALL_PACKAGES) build test
	@MAKE="$(MAKE)" tests/run.sh $@

# Public incidents, and the texts that people paste: each has its expected answer.
cases:
	@$(INSTALL_PACKAGES) build test
	@$(MAKE) --no-print-directory all
	@ND=$(B)/netdoctor tests/cases.sh

# A thousand rules on a large host, 108,000 sockets, one pass over all counters, hosts of growing size: against the limits
# that the README quotes.
bench:
	@$(INSTALL_PACKAGES) build
	@$(MAKE) --no-print-directory $(B)/tests/bench/rules
	@$(MAKE) --no-print-directory all
	@B=$(B) tests/bench/all.sh

# Changes the rules in one place at a time: which change does no test of theirs notice?
mutate:
	@$(INSTALL_PACKAGES) build
	@$(MAKE) --no-print-directory $(B)/tests/mutate/mutate
	@$(B)/tests/mutate/mutate

# Each target for a minute, or SECONDS=N; what is found goes into tests/fuzz/corpus once it is mended.
fuzz:
	@$(INSTALL_PACKAGES) build fuzz
	@MAKE="$(MAKE)" tests/fuzz/fuzz.sh $(SECONDS)

lint:
	@$(INSTALL_PACKAGES) build test lint
	@tests/lint.sh

format:
	@$(INSTALL_PACKAGES) lint
	clang-format -i $(shell find engine collectors reports tests -name '*.[ch]')

# Rewrites tests/golden: look at the difference before it is committed.
golden:
	@$(INSTALL_PACKAGES) build test
	@$(MAKE) --no-print-directory $(B)/tests/unit/test_report
	@GOLDEN=write $(B)/tests/unit/test_report

# Makes an incident in a namespace of its own and diagnoses it.
demo:
	@$(INSTALL_PACKAGES) build test
	@$(MAKE) --no-print-directory all
	@ND=$(B)/netdoctor tests/lab/demo.sh

# The reference pages and the schema of rule files, from the rules and the registry of facts.
docs: all
	@$(B)/netdoctor rules doc
	@$(B)/netdoctor rules schema >docs/rule.schema.json

install: all
	install -D -m 755 $(B)/netdoctor $(DESTDIR)$(PREFIX)/bin/netdoctor

clean:
	rm -rf build

FORCE:
-include $(SRC:%.c=$(B)/%.d) $(TESTS:=.d) $(wildcard $(B)/tests/mutate/*.d $(B)/tests/fuzz/*.d) $(B)/rules_embed.d $(B)/reports.d $(wildcard $(B)/tests/bench/*.d)
