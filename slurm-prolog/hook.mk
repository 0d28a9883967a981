# How prolog and epilog are built, tested and installed. PROGRAM and SOURCE are set by whoever includes
# this, after build-support/native.mk.
LIBS := $(LIBSCHEDGPU_DIR)/libschedgpu-conf.a $(LIBSCHEDGPU_DIR)/libschedgpu.a
HOOK_FLAGS := -I$(ROOT)/libschedgpu/conf -I$(ROOT)/slurm-prolog -DSG_VERSION='"$(VERSION)"'
# Half of what a hook costs would be its dynamic linker; where there is no static C library it pays.
STATIC := $(shell echo 'int main(void) { return 0; }' | $(CC) -static-pie -x c -o /dev/null - 2>/dev/null \
  && echo -static-pie)
NAMES := $(ROOT)/slurm-prolog/names_getent.c
TESTS := $(patsubst %.c,$(OUT)/%,$(wildcard tests/*.c))
SAN_TESTS := $(TESTS:$(OUT)/%=$(OUT)/san/%)

.PHONY: all check check-sanitize install clean
all: $(OUT)/$(PROGRAM)

$(OUT)/$(PROGRAM): $(SOURCE) $(NAMES) $(LIBS) | $(OUT)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(HOOK_FLAGS) $(STATIC) $< $(NAMES) $(LIBS) -lpthread -o $@
$(OUT)/tests/%: tests/%.c $(LIBS)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(HOOK_FLAGS) $< $(LIBS) -lcmocka -lpthread -o $@
$(OUT)/san/tests/%: tests/%.c $(LIBS)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_SANITIZE) $(HOOK_FLAGS) $< $(LIBS) -lcmocka -lpthread -o $@
$(OUT)/san/$(PROGRAM): $(SOURCE) $(NAMES) $(LIBSCHEDGPU_SAN) | $(OUT)/san
	@echo "  CC  $@"; $(CC) $(CFLAGS_SANITIZE) $(HOOK_FLAGS) $< $(NAMES) $(LIBSCHEDGPU_SAN) -lpthread -o $@

# The tests start the program named by HOOK as Slurm would.
$(eval $(call run-targets,$(TESTS),HOOK=$(OUT)/$(PROGRAM)))
$(eval $(call run-targets,$(SAN_TESTS),HOOK=$(OUT)/san/$(PROGRAM)))
$(TESTS:%=run/%): $(OUT)/$(PROGRAM)
$(SAN_TESTS:%=run/%): $(OUT)/san/$(PROGRAM)
check: all $(TESTS:%=run/%)
check-sanitize: $(SAN_TESTS:%=run/%)

install: all
	install -d $(DESTDIR)$(PREFIX)/libexec/schedgpu $(DESTDIR)$(PREFIX)/share/man/man8
	install -m 755 $(OUT)/$(PROGRAM) $(DESTDIR)$(PREFIX)/libexec/schedgpu/$(PROGRAM)
	install -m 644 $(PROGRAM).8 $(DESTDIR)$(PREFIX)/share/man/man8/$(PROGRAM).8

clean:
	rm -rf target

-include $(wildcard $(OUT)/*.d $(OUT)/san/*.d $(OUT)/tests/*.d $(OUT)/san/tests/*.d)
