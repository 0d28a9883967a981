# The stress run; included by Makefile.native.
#   make stress T=10m             disturbed processes on one region, for a time
#   make check-stress             the same for a few thousand lives; a part of `make check`
#   make stress-stores T=10m      the same, and workers also die at random stores into the region
#   make stress-sanitize T=30s    under ASan and UBSan
T ?= 60s
STRESS_LIVES ?= 3600
STRESS_SRC := $(sort $(wildcard tests/stress/*.c))
STRESS_OBJ := $(STRESS_SRC:%.c=$(OUT)/%.o)
STRESS_CRASH_OBJ := $(STRESS_SRC:%.c=$(OUT)/crash/%.o)
STRESS_SAN_OBJ := $(STRESS_SRC:%.c=$(OUT)/san/%.o)
STRESS := $(OUT)/tests/stress/stress
STRESS_CRASH := $(OUT)/crash/tests/stress/stress
STRESS_SAN := $(OUT)/san/tests/stress/stress

.PHONY: stress stress-stores stress-sanitize check-stress
check: check-stress

$(STRESS): $(STRESS_OBJ) $(OUT)/libschedgpu.a
	@echo "  LD  $@"; $(CC) -o $@ $^ -lcmocka -lpthread
$(STRESS_CRASH): $(STRESS_CRASH_OBJ) $(CRASH_OBJ)
	@echo "  LD  $@"; $(CC) -o $@ $^ -lcmocka -lpthread
$(STRESS_SAN): $(STRESS_SAN_OBJ) $(SAN_OBJ)
	@echo "  LD  $@"; $(CC) $(SANITIZE) -o $@ $^ -lcmocka -lpthread

stress: $(STRESS)
	$(STRESS) -t $(T) -o target/stress
stress-stores: $(STRESS_CRASH)
	$(STRESS_CRASH) -t $(T) -o target/stress
stress-sanitize: $(STRESS_SAN)
	$(STRESS_SAN) -t $(T) -o target/stress
check-stress: $(STRESS)
	@$(RUN_TEST) $(STRESS) -n $(STRESS_LIVES) -o target/stress

-include $(STRESS_OBJ:.o=.d) $(STRESS_CRASH_OBJ:.o=.d) $(STRESS_SAN_OBJ:.o=.d)
