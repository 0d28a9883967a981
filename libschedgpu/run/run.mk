# `schedgpu run`, which starts no Java: included by Makefile.native.
#   $(OUT)/schedgpu-run
RUN := $(OUT)/schedgpu-run
RUN_SRC := $(wildcard run/*.c)
RUN_OBJ := $(RUN_SRC:%.c=$(OUT)/%.o)
RUN_TESTS := $(patsubst %.c,$(OUT)/%,$(wildcard tests/run/*_test.c))
SAN_RUN_TESTS := $(RUN_TESTS:$(OUT)/%=$(OUT)/san/%)

all: $(RUN)
$(RUN): $(RUN_OBJ) $(OUT)/libschedgpu-conf.a $(OUT)/libschedgpu.a $(OLD_GLIBC)
	@echo "  CC  $@"; $(CC) -pie $(PREFIX_MAP) -Wl,-z,relro,-z,now -Wl,--as-needed -o $@ $(filter-out $(OLD_GLIBC),$^) $(LINK_OLD) -lpthread
$(OUT)/san/schedgpu-run: $(RUN_SRC:%.c=$(OUT)/san/%.o) $(OUT)/san/libschedgpu-all.a
	@echo "  CC  $@"; $(CC) $(SANITIZE) -o $@ $^ -lpthread

RUN_PARTS := $(filter-out run/main.c,$(RUN_SRC))
$(RUN_TESTS): $(OUT)/tests/%: tests/%.c $(RUN_PARTS:%.c=$(OUT)/%.o) $(OUT)/libschedgpu-conf.a $(OUT)/libschedgpu.a
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(filter %.c %.o %.a,$^) -lcmocka -lpthread -o $@
$(SAN_RUN_TESTS): $(OUT)/san/tests/%: tests/%.c $(RUN_PARTS:%.c=$(OUT)/san/%.o) $(OUT)/san/libschedgpu-all.a
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_SANITIZE) $(filter %.c %.o %.a,$^) -lcmocka -lpthread -o $@
$(eval $(call run-targets,$(RUN_TESTS) $(SAN_RUN_TESTS)))
check: $(RUN_TESTS:%=run/%)
check-sanitize: $(SAN_RUN_TESTS:%=run/%)

-include $(RUN_TESTS:=.d) $(SAN_RUN_TESTS:=.d) $(RUN_OBJ:.o=.d) $(RUN_SRC:%.c=$(OUT)/san/%.d)
