# How prolog and epilog are built, tested and installed. PROGRAM and SOURCE are set by whoever includes
# this, after build-support/native.mk.
include $(ROOT)/build-support/static.mk
LIBS := $(LIBSCHEDGPU_DIR)/libschedgpu-conf.a $(LIBSCHEDGPU_DIR)/libschedgpu.a
HOOK_FLAGS := -I$(ROOT)/libschedgpu/node -I$(ROOT)/slurm-prolog -DSG_VERSION='"$(VERSION)"'
# Most of what a hook costs would be the start of a dynamically linked program.
HOOK_LIBS := $(LIBS)
ifeq ($(STATIC),musl)
HOOK_CC := $(MUSL_CC) $(MUSL_START)
HOOK_LIBS := $(LIBSCHEDGPU_DIR)/musl/libschedgpu-all.a
HOOK_END := $(MUSL_END)
else ifeq ($(STATIC),glibc)
HOOK_CC := $(CC) -static-pie
HOOK_END := -lpthread
else
HOOK_CC := $(CC) -pie -Wl,-z,relro,-z,now
HOOK_LIBS += $(OLD_GLIBC)
HOOK_END := $(LINK_OLD) -lpthread
endif
# The frame of both, and names without the modules of nsswitch.conf.
FRAME := $(ROOT)/slurm-prolog/hook.c $(ROOT)/slurm-prolog/names_getent.c
TESTS := $(patsubst %.c,$(OUT)/%,$(wildcard tests/*.c))
SAN_TESTS := $(TESTS:$(OUT)/%=$(OUT)/san/%)

OLDER_TESTS := $(OUT)/older/$(PROGRAM:schedgpu-%=%_test)
DYNAMIC := $(OUT)/dynamic/$(PROGRAM)

.PHONY: all check check-static check-loads check-sanitize install clean
all: $(OUT)/$(PROGRAM)

$(OUT)/$(PROGRAM): $(SOURCE) $(FRAME) $(HOOK_LIBS) | $(OUT)
	@echo "  CC  $@"; $(HOOK_CC) $(CFLAGS_RELEASE) $(HOOK_FLAGS) $< $(FRAME) $(filter-out $(OLD_GLIBC),$(HOOK_LIBS)) $(HOOK_END) -o $@
$(OUT)/tests/%: tests/%.c $(LIBS)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(HOOK_FLAGS) $< $(LIBS) -lcmocka -lpthread -o $@
$(OUT)/san/tests/%: tests/%.c $(LIBS)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_SANITIZE) $(HOOK_FLAGS) $< $(LIBS) -lcmocka -lpthread -o $@
$(OUT)/san/$(PROGRAM): $(SOURCE) $(FRAME) $(LIBSCHEDGPU_SAN) | $(OUT)/san
	@echo "  CC  $@"; $(CC) $(CFLAGS_SANITIZE) $(HOOK_FLAGS) $< $(FRAME) $(LIBSCHEDGPU_SAN) -lpthread -o $@

# What a machine makes that has no static C library also runs on older systems.
$(DYNAMIC): $(OUT)/$(PROGRAM) FORCE
	+@$(MAKE) --no-print-directory -f Makefile.native STATIC= OUT=$(@D) $@
$(OUT)/older/%: tests/%.c $(LIBS) $(OLD_GLIBC)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(HOOK_FLAGS) $< $(LIBS) -lcmocka $(LINK_OLD) -lpthread -o $@

# The tests start the program named by HOOK as Slurm would.
$(eval $(call run-targets,$(TESTS),HOOK=$(OUT)/$(PROGRAM)))
$(eval $(call run-targets,$(SAN_TESTS),HOOK=$(OUT)/san/$(PROGRAM)))
$(eval $(call run-targets,$(OLDER_TESTS),HOOK=$(DYNAMIC) TEST_WITHIN=$(ROOT)/build-support/in-older))
$(OLDER_TESTS:%=run/%): $(DYNAMIC)
$(TESTS:%=run/%): $(OUT)/$(PROGRAM)
$(SAN_TESTS:%=run/%): $(OUT)/san/$(PROGRAM)
check: all check-static check-loads $(TESTS:%=run/%) $(OLDER_TESTS:%=run/%)
check-loads: $(DYNAMIC)
	@$(CHECK_LOADS) $<
# It is linked as build-support/static.mk found out that it can be.
check-static: $(OUT)/$(PROGRAM)
	@echo "== $< is linked with: $(or $(STATIC),the dynamic linker)"; \
	if [ -n "$(STATIC)" ] && readelf -lW $< | grep INTERP; then exit 1; fi; \
	if [ "$(STATIC)" = musl ] && grep -aq GLIBC_TUNABLES $<; then echo "it is glibc"; exit 1; fi
check-sanitize: $(SAN_TESTS:%=run/%)

install: all
	install -d $(DESTDIR)$(PREFIX)/libexec/schedgpu $(DESTDIR)$(PREFIX)/share/man/man8
	install -m 755 $(OUT)/$(PROGRAM) $(DESTDIR)$(PREFIX)/libexec/schedgpu/$(PROGRAM)
	install -m 644 $(PROGRAM).8 $(DESTDIR)$(PREFIX)/share/man/man8/$(PROGRAM).8

clean:
	rm -rf target

-include $(wildcard $(OUT)/*.d $(OUT)/older/*.d $(OUT)/san/*.d $(OUT)/tests/*.d $(OUT)/san/tests/*.d)
