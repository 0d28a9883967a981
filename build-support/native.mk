# Included by the Makefile of every native module. One way to build C here:
#   make all             build into target/native/
#   make check           build and run the module's C tests (cmocka)
#   make check-sanitize  the same tests under AddressSanitizer and UBSan
#   make install         honours DESTDIR, PREFIX and LIBDIR
# Maven calls these targets (phases compile and test), so `mvn verify` covers the C code too. They may
# run with -j: `make test` does.
ROOT := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
OUT ?= target/native
.DEFAULT_GOAL := all
CC ?= gcc
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
VERSION := 0.1.0

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CFLAGS_COMMON := -std=gnu11 -D_GNU_SOURCE -g -fPIC -fvisibility=hidden $(WARNINGS) \
  -I$(ROOT)/libschedgpu/include -MMD -MP
# Shipped files do not contain the folder of the build, so they do not depend on it.
PREFIX_MAP := -ffile-prefix-map=$(ROOT)=.
CFLAGS_RELEASE := $(CFLAGS_COMMON) -O2 $(PREFIX_MAP)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_SANITIZE := $(CFLAGS_COMMON) -O1 $(SANITIZE)
LDFLAGS_COMMON := -Wl,-Bsymbolic -Wl,-z,defs -Wl,--as-needed

# What foreign processes load needs nothing newer than glibc 2.17, whatever system builds it (check-loads): such a file has
# $(OLD_GLIBC) as prerequisites and is linked with $(LINK_OLD) before the system's libraries. Not so what has sanitizers.
GLIBC_2_17 := $(ROOT)/build-support/glibc-2.17
OLD_GLIBC := $(addprefix $(OUT)/glibc-2.17/,newer.a libdl.so.2 libpthread.so.0)
# --as-needed does not see what is needed by objects of LTO.
LINK_OLD := $(firstword $(OLD_GLIBC)) -Wl,--push-state,--no-as-needed $(filter %.so.0 %.so.2,$(OLD_GLIBC)) -Wl,--pop-state
$(OUT)/glibc-2.17/%.o: $(GLIBC_2_17)/%.c $(GLIBC_2_17)/older.h
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(filter-out -Wmissing-prototypes,$(CFLAGS_RELEASE)) -fno-builtin -c $< -o $@
$(firstword $(OLD_GLIBC)): $(OUT)/glibc-2.17/newer.o $(OUT)/glibc-2.17/start.o
	@rm -f $@
	@echo "  AR  $@"; $(AR) rcs $@ $^
$(OUT)/glibc-2.17/libpthread.so.0: $(OUT)/glibc-2.17/libdl.so.2 ;
$(OUT)/glibc-2.17/libdl.so.2: $(GLIBC_2_17)/names $(GLIBC_2_17)/stubs
	@mkdir -p $(@D)
	@$(GLIBC_2_17)/stubs $(@D) $(CC)
CHECK_LOADS := $(ROOT)/build-support/check-loads

LIBSCHEDGPU_DIR := $(ROOT)/libschedgpu/target/native

# The library with sanitizers, for tests of modules that link it; its own make updates it.
LIBSCHEDGPU_SAN := $(LIBSCHEDGPU_DIR)/san/libschedgpu-all.a
$(LIBSCHEDGPU_SAN): FORCE
	+@$(MAKE) --no-print-directory -C $(ROOT)/libschedgpu -f Makefile.native target/native/san/libschedgpu-all.a
FORCE:

# $(eval $(call run-targets,PROGRAMS,ENVIRONMENT)): run/PROGRAM builds and runs it. Each is a target of
# its own, so that `make -j -O` runs several and prints the output of each in one piece.
RUN_TEST := $(ROOT)/build-support/run-test $(OUT)/results
define run-targets
.PHONY: $(1:%=run/%)
$(1:%=run/%): run/%: %
	@$(2) $(RUN_TEST) $$<
endef

$(OUT) $(OUT)/san:
	mkdir -p $@

# No rule makes dependency files: otherwise demo's rule of main-%.o would try.
%.d: ;
