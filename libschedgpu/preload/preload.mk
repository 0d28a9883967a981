# The preload library and its tests; included by Makefile.native.
#   $(OUT)/libschedgpu-preload.so      the library that SPANK and `schedgpu run` put into LD_PRELOAD
#   $(OUT)/libschedgpu-launches.so     the same in jobs with a share: the names of launches
#   make check-preload                 unmodified programs under the library, on the emulated GPU
#   make check-preload-sanitize        the same: tests with ASan and UBSan, the library with UBSan
#                                      (it cannot have ASan, which must come first in a program)
#   SCHEDGPU=... tests/preload/frameworks   PyTorch, JAX and TensorFlow, if they and a GPU are present
#   make preload-bench                 nanoseconds per allocation, with and without the library
CUDA_HOME ?= /usr/local/cuda
PRELOAD_LIB := $(OUT)/libschedgpu-preload.so
LAUNCHES_LIB := $(OUT)/libschedgpu-launches.so
# All that a container needs of the libraries, and nothing else: one bind (node/container_env.h).
CONTAINER_DIR = $(LIBDIR)/schedgpu/container
PRELOAD_FLAGS := -ftls-model=initial-exec -fno-tree-slp-vectorize
PRELOAD_LDFLAGS := $(LDFLAGS_COMMON) -Wl,-z,now -Wl,-z,nodelete \
  -Wl,--version-script=preload/preload.map -Wl,-soname,libschedgpu-preload.so
PRELOAD_ROOMS := preload/hooks preload/account preload/resolve preload/join preload/lane preload/turns
PRELOAD_SRC := $(sort $(wildcard preload/*/*.c)) preload/resolve/trampoline.S
# Compiled as one unit: in every allocation, calls between files would cost as much as the rest.
# `make LTO=` for a compiler without LTO.
LTO := -flto=auto
PRELOAD_OBJ := $(addprefix $(OUT)/lto/,$(addsuffix .o,$(basename $(PRELOAD_SRC) $(CORE))))
UBSAN := -fsanitize=undefined -fno-sanitize-recover=all
UBSAN_OBJ := $(addprefix $(OUT)/ubsan/,$(addsuffix .o,$(basename $(PRELOAD_SRC) $(CORE))))

all: $(PRELOAD_LIB) $(LAUNCHES_LIB)
check: check-preload
check-sanitize: check-preload-sanitize
install: install-preload
.PHONY: check-preload check-preload-sanitize preload-bench install-preload

$(OUT)/lto/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_FLAGS) $(LTO) -c $< -o $@
$(OUT)/lto/%.o: %.S
	@mkdir -p $(@D)
	@echo "  AS  $@"; $(CC) -c $< -o $@
$(OUT)/ubsan/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_COMMON) -O1 $(UBSAN) $(PRELOAD_FLAGS) -c $< -o $@
$(OUT)/ubsan/%.o: %.S
	@mkdir -p $(@D)
	@echo "  AS  $@"; $(CC) -c $< -o $@

$(PRELOAD_LIB): $(PRELOAD_OBJ) $(OLD_GLIBC) preload/preload.map
	@echo "  LD  $@"; $(CC) -shared $(CFLAGS_RELEASE) $(PRELOAD_FLAGS) $(LTO) $(PRELOAD_LDFLAGS) -MF /dev/null -o $@ $(PRELOAD_OBJ) $(LINK_OLD) -lpthread
$(OUT)/ubsan/libschedgpu-preload.so: $(UBSAN_OBJ) preload/preload.map
	@echo "  LD  $@"; $(CC) -shared $(UBSAN) $(PRELOAD_LDFLAGS) -o $@ $(UBSAN_OBJ) -lpthread

$(LAUNCHES_LIB): launches/exports.c launches/launches.map preload/turns/launches.h preload/turns/copies.h abi/driver_abi.h $(OLD_GLIBC)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) -shared $(CFLAGS_RELEASE) $(LDFLAGS_COMMON) -Wl,-z,nodelete -MF /dev/null \
	  -Wl,--version-script=launches/launches.map -Wl,-soname,libschedgpu-launches.so -o $@ $< $(LINK_OLD) -Wl,--no-as-needed -lc

install-preload: $(PRELOAD_LIB) $(LAUNCHES_LIB)
	install -d $(DESTDIR)$(CONTAINER_DIR)
	install -m 755 $(PRELOAD_LIB) $(DESTDIR)$(CONTAINER_DIR)/libschedgpu-preload.so
	install -m 755 $(LAUNCHES_LIB) $(DESTDIR)$(CONTAINER_DIR)/libschedgpu-launches.so
	for l in preload launches; do \
	  ln -sfn schedgpu/container/libschedgpu-$$l.so $(DESTDIR)$(LIBDIR)/libschedgpu-$$l.so || exit 1; done

include proxy/proxy.mk

# --- tests: programs that know nothing of schedGPU, and the tests that observe them ---
EMULATOR := $(ROOT)/lab/gpu-emulator/target/native
EMULATOR_READY := $(EMULATOR)/libcuda.so.1
PRELOAD_TESTS := $(patsubst tests/preload/%.c,%,$(sort $(wildcard tests/preload/*_test.c)))
PRELOAD_PROGRAMS := driver_linked driver_looked_up runtime_shared_12 runtime_shared_13 runtime_static \
  array_program context_program physical_program plain_program procaddress_program libbefore.so libafter.so libplugin.so pool_program forwarding/libcuda.so.1 ctypes_program.py \
  nvml_linked nvml_looked_up nvml_ctypes_program.py fake_pytorch libc10_cuda.so
PRELOAD_OUT := $(OUT)/tests/preload
PROGRAMS := $(PRELOAD_OUT)/programs
PROGRAM_CC = @mkdir -p $(@D); echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) -I$(ROOT)/lab/gpu-emulator/include
PLUGIN_PATH = -DPLUGIN_PATH='"$(abspath $(PROGRAMS)/libplugin.so)"'
PRELOAD_SUPPORT := tests/preload/support/child.c tests/preload/support/node.c
PRELOAD_HEADERS := $(wildcard tests/preload/support/*.h preload/*/*.h core/*/*.h)
PRELOAD_TEST_FLAGS = -Itests/preload/support $(PRELOAD_ROOMS:%=-I%) \
  -DEMULATOR_DIR='"$(EMULATOR)"' -DPROGRAMS_DIR='"$(abspath $(PROGRAMS))"'

$(EMULATOR_READY):
	$(MAKE) -C $(ROOT)/lab/gpu-emulator -f Makefile.native all

$(PROGRAMS)/driver_linked: tests/preload/programs/driver_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $(PLUGIN_PATH) -DLINKED $< -o $@ -L$(EMULATOR) -l:libcuda.so.1 -lpthread
$(PROGRAMS)/driver_looked_up: tests/preload/programs/driver_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $(PLUGIN_PATH) $< -o $@ -lpthread
$(PROGRAMS)/runtime_shared_%: tests/preload/programs/runtime_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ -L$(EMULATOR) -l:libcudart.so.$*
$(PROGRAMS)/runtime_static: tests/preload/programs/runtime_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ $(EMULATOR)/libcudart_static.a -ldl -lpthread -lrt
$(PROGRAMS)/nvml_linked: tests/preload/programs/nvml_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) -DLINKED $< -o $@ -L$(EMULATOR) -l:libnvidia-ml.so.1
$(PROGRAMS)/nvml_looked_up: tests/preload/programs/nvml_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@
$(PROGRAMS)/fake_pytorch: tests/preload/programs/fake_pytorch.c | $(EMULATOR_READY)
	$(PROGRAM_CC) -DPYTORCH_PATH='"$(abspath $(PROGRAMS)/libc10_cuda.so)"' $< -o $@ -L$(EMULATOR) -l:libcuda.so.1 -lpthread
$(PROGRAMS)/libc10_cuda.so: tests/preload/programs/fake_libc10_cuda.c
	$(PROGRAM_CC) -shared $< -o $@
$(PROGRAMS)/physical_program $(PROGRAMS)/array_program $(PROGRAMS)/pool_program: $(PROGRAMS)/%: tests/preload/programs/%.c \
  tests/preload/programs/commands.h tests/preload/programs/descriptors.h | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ -lpthread
$(PROGRAMS)/context_program: tests/preload/programs/context_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ -L$(EMULATOR) -l:libcuda.so.1
$(PROGRAMS)/procaddress_program: tests/preload/programs/procaddress_program.c preload/hooks/hooks.h
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_ROOMS:%=-I%) $< -o $@
$(PROGRAMS)/plain_program: tests/preload/programs/plain_program.c
	$(PROGRAM_CC) $< -o $@
$(PROGRAMS)/libbefore.so $(PROGRAMS)/libafter.so: $(PROGRAMS)/lib%.so: tests/preload/programs/interposer.c
	$(PROGRAM_CC) -shared -fvisibility=default -DPLACE=$* $< -o $@
$(PROGRAMS)/libplugin.so: tests/preload/programs/plugin.c tests/preload/programs/variables.c
	$(PROGRAM_CC) -shared -fvisibility=default $^ -o $@
$(PROGRAMS)/forwarding/libcuda.so.1: tests/preload/programs/forwarding_driver.c
	$(PROGRAM_CC) -shared -fvisibility=default -Wl,-Bsymbolic -Wl,-soname,libcuda.so.1 \
	  -DTRUE_DRIVER='"$(EMULATOR)/libcuda.so.1"' $< -o $@
include tests/preload/programs.mk
$(PROGRAMS)/%.py: tests/preload/programs/%.py
	@mkdir -p $(@D)
	cp $< $@

# What all of them are linked with is compiled once.
PRELOAD_SUPPORT_OBJ := $(patsubst %.c,$(PRELOAD_OUT)/linked/%.o,$(PRELOAD_SUPPORT) preload/account/ledger.c)
PRELOAD_SUPPORT_SAN := $(patsubst %.c,$(OUT)/san/tests/preload/linked/%.o,$(PRELOAD_SUPPORT) preload/account/ledger.c)
$(PRELOAD_SUPPORT_OBJ): $(PRELOAD_OUT)/linked/%.o: %.c $(PRELOAD_HEADERS)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_TEST_FLAGS) -DPRELOAD_LIBRARY='"$(abspath $(PRELOAD_LIB))"' -c $< -o $@
$(PRELOAD_SUPPORT_SAN): $(OUT)/san/tests/preload/linked/%.o: %.c $(PRELOAD_HEADERS)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_SANITIZE) $(PRELOAD_TEST_FLAGS) \
	  -DPRELOAD_LIBRARY='"$(abspath $(OUT)/ubsan/libschedgpu-preload.so)"' -c $< -o $@

$(PRELOAD_TESTS:%=$(PRELOAD_OUT)/%): $(PRELOAD_OUT)/%: tests/preload/%.c $(PRELOAD_SUPPORT_OBJ) $(PRELOAD_HEADERS) $(OUT)/libschedgpu.a
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_TEST_FLAGS) -DPRELOAD_LIBRARY='"$(abspath $(PRELOAD_LIB))"' \
	  $(filter %.c,$^) $(PRELOAD_SUPPORT_OBJ) $(OUT)/libschedgpu.a -lcmocka -lpthread -o $@
$(PRELOAD_TESTS:%=$(OUT)/san/tests/preload/%): $(OUT)/san/tests/preload/%: tests/preload/%.c $(PRELOAD_SUPPORT_SAN) $(PRELOAD_HEADERS) $(SAN_OBJ)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_SANITIZE) $(PRELOAD_TEST_FLAGS) \
	  -DPRELOAD_LIBRARY='"$(abspath $(OUT)/ubsan/libschedgpu-preload.so)"' \
	  $(filter-out $(BROKER) shell/%,$(filter %.c,$^)) $(PRELOAD_SUPPORT_SAN) $(SAN_OBJ) -lcmocka -lpthread -o $@

# Tests of one part are linked with that part.
unit = $(PRELOAD_OUT)/$(1) $(OUT)/san/tests/preload/$(1)
$(call unit,tree_test): preload/account/tree.c
$(call unit,late_test): preload/account/late.c
$(call unit,uses_test): preload/account/physical.c preload/account/tree.c
$(call unit,tiles_test): preload/account/tiles.c preload/account/physical.c preload/account/tree.c
$(call unit,array_size_test): preload/account/array_size.c
# It looks into the emulated device.
$(call unit,turns_test): $(wildcard $(ROOT)/lab/gpu-emulator/src/shared/*.c)
$(call unit,pool_account_test): preload/account/pools.c preload/account/pool_call.c

# NVIDIA's own libraries without a GPU. The packages are fetched once; without them the test is skipped.
$(call unit,userland_test): tests/preload/support/private_dev.c
$(call unit,userland_test): private PRELOAD_TEST_FLAGS += -DUSERLAND_DIR='"$(abspath $(OUT)/userland)"' \
  -DENTRY_POINTS='"$(abspath preload/hooks/entry_points.tsv)"' -DFETCH_USERLAND='"$(abspath tests/preload/fetch-userland)"'

# Compares our declarations with NVIDIA's header, if there is one.
.PHONY: preload-abi
preload-abi:
	@if [ -f $(CUDA_HOME)/include/cuda.h ]; then \
	  $(CC) $(CFLAGS_COMMON) -MF /dev/null $(PRELOAD_ROOMS:%=-I%) -isystem $(CUDA_HOME)/include -fsyntax-only tests/preload/abi_check.c \
	    && echo "== abi_check: hooks agree with cuda.h"; \
	else echo "== abi_check: skipped, no cuda.h under $(CUDA_HOME)"; fi

# Checks that the list of entry points is complete and agrees with the hooks.
.PHONY: preload-entry-points
preload-entry-points:
	@CC=$(CC) CUDA_HOME=$(CUDA_HOME) tests/preload/check-entry-points

.PHONY: preload-frameworks
preload-frameworks: $(PRELOAD_LIB)
	@tests/preload/frameworks

PRELOAD_RUNS := $(PRELOAD_TESTS:%=run/$(PRELOAD_OUT)/%)
# The library with sanitizers needs theirs, and a new glibc.
PRELOAD_SAN_RUNS := $(patsubst %,run/$(OUT)/san/tests/preload/%,$(filter-out other_libc_test,$(PRELOAD_TESTS)))
$(eval $(call run-targets,$(PRELOAD_TESTS:%=$(PRELOAD_OUT)/%) $(PRELOAD_TESTS:%=$(OUT)/san/tests/preload/%)))
# All that a test of the preload library needs beside itself.
.PHONY: preload-ready
preload-ready: $(PRELOAD_LIB) $(LAUNCHES_LIB) $(PRELOAD_PROGRAMS:%=$(PROGRAMS)/%)
$(PRELOAD_RUNS) $(PRELOAD_SAN_RUNS): $(LAUNCHES_LIB)
$(PRELOAD_RUNS): $(PRELOAD_LIB) $(PRELOAD_PROGRAMS:%=$(PROGRAMS)/%)
$(PRELOAD_SAN_RUNS): $(OUT)/ubsan/libschedgpu-preload.so $(PRELOAD_PROGRAMS:%=$(PROGRAMS)/%)
check-preload: preload-abi preload-entry-points preload-frameworks $(PRELOAD_RUNS)
check-preload-sanitize: $(PRELOAD_SAN_RUNS)

$(PRELOAD_OUT)/bench_alloc $(PRELOAD_OUT)/bench_start: $(PRELOAD_OUT)/%: tests/preload/%.c $(PRELOAD_SUPPORT) $(OUT)/libschedgpu.a
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_TEST_FLAGS) -DPRELOAD_LIBRARY='"$(abspath $(PRELOAD_LIB))"' \
	  $(filter %.c,$^) $(OUT)/libschedgpu.a -lcmocka -lpthread -o $@
$(PROGRAMS)/null/libcuda.so.1: tests/preload/programs/null_driver.c
	$(PROGRAM_CC) -shared -fvisibility=default -Wl,-soname,libcuda.so.1 $< -o $@
# Base names of the driver's functions, about as many as NVIDIA's runtime looks up.
$(PROGRAMS)/start_names.h: preload/hooks/entry_points.tsv
	@mkdir -p $(@D)
	cut -f1 $< | sed -E 's/(_v[2-9])?(_pt[sd][sz])?$$//' | sort -u | sed 's/.*/"&",/' > $@
$(PROGRAMS)/start_program: tests/preload/programs/start_program.c $(PROGRAMS)/start_names.h
	$(PROGRAM_CC) -I$(PROGRAMS) $< -o $@
preload-bench: $(PRELOAD_LIB) $(PRELOAD_OUT)/bench_alloc $(PRELOAD_OUT)/bench_start $(PROGRAMS)/start_program \
  $(PROGRAMS)/null/libcuda.so.1 | $(EMULATOR_READY)
	$(PRELOAD_OUT)/bench_alloc
	$(PRELOAD_OUT)/bench_start

-include $(PRELOAD_OBJ:.o=.d) $(UBSAN_OBJ:.o=.d) $(PRELOAD_SUPPORT_OBJ:.o=.d) $(PRELOAD_SUPPORT_SAN:.o=.d)
