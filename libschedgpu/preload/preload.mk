# The preload library and its tests; included by Makefile.native.
#   $(OUT)/libschedgpu-preload.so      what SPANK and `schedgpu run` put into LD_PRELOAD
#   $(OUT)/proxy/libcuda.so.1          the same as a driver library, for containers
#   make check-preload                 unmodified programs under the library, on the emulated GPU
#   make check-preload-sanitize        the same: tests with ASan and UBSan, the library with UBSan
#                                      (it cannot have ASan, which must come first in a program)
#   SCHEDGPU=... tests/preload/frameworks   PyTorch, JAX and TensorFlow, where there are any and a GPU
#   make preload-bench                 nanoseconds per allocation, with and without the library
CUDA_HOME ?= /usr/local/cuda
PRELOAD_LIB := $(OUT)/libschedgpu-preload.so
PRELOAD_FLAGS := -ftls-model=initial-exec
PRELOAD_LDFLAGS := $(LDFLAGS_COMMON) -Wl,-z,now -Wl,-z,nodelete \
  -Wl,--version-script=preload/preload.map -Wl,-soname,libschedgpu-preload.so
PRELOAD_SRC := $(sort $(wildcard preload/*.c)) preload/trampoline.S
PRELOAD_OBJ := $(addprefix $(OUT)/,$(addsuffix .o,$(basename $(PRELOAD_SRC))))
UBSAN := -fsanitize=undefined -fno-sanitize-recover=all
UBSAN_OBJ := $(addprefix $(OUT)/ubsan/,$(addsuffix .o,$(basename $(PRELOAD_SRC) $(CORE))))

all: $(PRELOAD_LIB)
check: check-preload
check-sanitize: check-preload-sanitize
install: install-preload install-proxy
.PHONY: check-preload check-preload-sanitize preload-bench install-preload install-proxy

$(OUT)/preload/%.o: preload/%.c
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_FLAGS) -c $< -o $@
$(OUT)/preload/%.o: preload/%.S
	@mkdir -p $(@D)
	@echo "  AS  $@"; $(CC) -c $< -o $@
$(OUT)/ubsan/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_COMMON) -O1 $(UBSAN) $(PRELOAD_FLAGS) -c $< -o $@
$(OUT)/ubsan/%.o: %.S
	@mkdir -p $(@D)
	@echo "  AS  $@"; $(CC) -c $< -o $@

$(PRELOAD_LIB): $(PRELOAD_OBJ) $(OUT)/libschedgpu.a preload/preload.map
	@echo "  LD  $@"; $(CC) -shared $(PRELOAD_LDFLAGS) -o $@ $(PRELOAD_OBJ) $(OUT)/libschedgpu.a -lpthread
$(OUT)/ubsan/libschedgpu-preload.so: $(UBSAN_OBJ) preload/preload.map
	@echo "  LD  $@"; $(CC) -shared $(UBSAN) $(PRELOAD_LDFLAGS) -o $@ $(UBSAN_OBJ) -lpthread

install-preload: $(PRELOAD_LIB)
	install -d $(DESTDIR)$(LIBDIR)
	install -m 755 $(PRELOAD_LIB) $(DESTDIR)$(LIBDIR)/libschedgpu-preload.so

# --- the proxy: a libcuda.so.1 with the same hooks, for where nothing can be preloaded. It needs the
# true driver under another name, a link beside it, and exports only what it hooks: what it lacks is
# found in the driver, because that is its dependency.
PROXY := $(OUT)/proxy/libcuda.so.1
PROXY_OBJ := $(filter-out %/this_library.o %/pick.o %/trampoline.o,$(PRELOAD_OBJ)) $(OUT)/proxy/this_library.o
PROXY_DIR = $(LIBDIR)/schedgpu/proxy
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
CUDA_DRIVER ?= $(if $(MULTIARCH),/usr/lib/$(MULTIARCH),/usr/lib64)/libcuda.so.1

all: $(PROXY)
$(OUT)/proxy/%.o: proxy/%.c
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_FLAGS) -c $< -o $@
$(OUT)/proxy/stub/libcuda-real.so.1:
	@mkdir -p $(@D)
	@echo "  LD  $@"; $(CC) -shared -nostdlib -x c /dev/null -Wl,-soname,$(@F) -o $@
$(PROXY): $(PROXY_OBJ) $(OUT)/libschedgpu.a proxy/proxy.map $(OUT)/proxy/stub/libcuda-real.so.1
	@echo "  LD  $@"; $(CC) -shared $(LDFLAGS_COMMON) -Wl,-z,now -Wl,-z,nodelete -Wl,-soname,libcuda.so.1 \
	  -Wl,--version-script=proxy/proxy.map -Wl,-rpath,'$$ORIGIN' -Wl,--enable-new-dtags -o $@ \
	  $(PROXY_OBJ) $(OUT)/libschedgpu.a -Wl,--no-as-needed $(OUT)/proxy/stub/libcuda-real.so.1 -lpthread

install-proxy: $(PROXY)
	install -d $(DESTDIR)$(PROXY_DIR)
	install -m 755 $(PROXY) $(DESTDIR)$(PROXY_DIR)/libcuda.so.1
	ln -sfn $(CUDA_DRIVER) $(DESTDIR)$(PROXY_DIR)/libcuda-real.so.1

# --- tests: programs that know nothing of schedGPU, and what looks at them from outside ---
EMULATOR := $(ROOT)/gpu-emulator/target/native
EMULATOR_READY := $(EMULATOR)/libcuda.so.1
PRELOAD_TESTS := $(patsubst tests/preload/%.c,%,$(sort $(wildcard tests/preload/*_test.c)))
PRELOAD_PROGRAMS := driver_linked driver_looked_up runtime_shared_11.0 runtime_shared_12 runtime_shared_13 runtime_static \
  plain_program libbefore.so libafter.so libplugin.so forwarding/libcuda.so.1 ctypes_program.py \
  proxy/libcuda.so.1 api_program libdriver_user.so loading_program inside_program static_program \
  process_program sanitized_address sanitized_thread sanitized_undefined \
  libdlsym_before.so libdlsym_after.so runtime_per_thread driver_older_dlsym \
  multiprocessing_program.py nvcc_program nvcc_per_thread
PRELOAD_OUT := $(OUT)/tests/preload
PROGRAMS := $(PRELOAD_OUT)/programs
PROGRAM_CC = @mkdir -p $(@D); echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) -I$(ROOT)/gpu-emulator/include
PLUGIN_PATH = -DPLUGIN_PATH='"$(abspath $(PROGRAMS)/libplugin.so)"'
PRELOAD_SUPPORT := $(sort $(wildcard tests/preload/support/*.c))
# What tests look at directly.
PRELOAD_UNITS := $(addprefix preload/,ledger.c cgroup_job.c system_wide.c small_file.c)
PRELOAD_HEADERS := $(wildcard tests/preload/support/*.h preload/*.h core/*.h)
PRELOAD_TEST_FLAGS = -Itests/preload/support -Icore -Ipreload \
  -DEMULATOR_DIR='"$(EMULATOR)"' -DPROGRAMS_DIR='"$(abspath $(PROGRAMS))"'

$(EMULATOR_READY):
	$(MAKE) -C $(ROOT)/gpu-emulator -f Makefile.native all

$(PROGRAMS)/driver_linked: tests/preload/programs/driver_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $(PLUGIN_PATH) -DLINKED $< -o $@ -L$(EMULATOR) -l:libcuda.so.1 -lpthread
$(PROGRAMS)/driver_looked_up: tests/preload/programs/driver_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $(PLUGIN_PATH) $< -o $@ -lpthread
OLDER_DLSYM := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),GLIBC_2.2.5,GLIBC_2.17)
$(PROGRAMS)/driver_older_dlsym: tests/preload/programs/driver_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $(PLUGIN_PATH) -DOLDER_DLSYM='"$(OLDER_DLSYM)"' $< -o $@ -lpthread
$(PROGRAMS)/runtime_per_thread: tests/preload/programs/runtime_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) -DPER_THREAD $< -o $@ -L$(EMULATOR) -l:libcudart.so.13
$(PROGRAMS)/runtime_shared_%: tests/preload/programs/runtime_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ -L$(EMULATOR) -l:libcudart.so.$*
$(PROGRAMS)/runtime_static: tests/preload/programs/runtime_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ $(EMULATOR)/libcudart_static.a -ldl -lpthread -lrt
$(PROGRAMS)/libdriver_user.so: tests/preload/programs/driver_user.c | $(EMULATOR_READY)
	$(PROGRAM_CC) -shared -fvisibility=default $< -o $@ -L$(EMULATOR) -l:libcuda.so.1
$(PROGRAMS)/loading_program: tests/preload/programs/loading_program.c
	$(PROGRAM_CC) -DUSER_LIBRARY='"$(abspath $(PROGRAMS)/libdriver_user.so)"' $< -o $@
INSIDE := tests/preload/programs/loading_program.c tests/preload/programs/driver_user.c
$(PROGRAMS)/inside_program: $(INSIDE) | $(EMULATOR_READY)
	$(PROGRAM_CC) -MF /dev/null -DINSIDE $^ -o $@ -L$(EMULATOR) -l:libcuda.so.1 -Wl,-rpath,$(EMULATOR)
# Without a static C library there is none, and its test says so.
$(PROGRAMS)/static_program: $(INSIDE) | $(EMULATOR_READY)
	$(PROGRAM_CC) -MF /dev/null -static -DINSIDE $^ $(EMULATOR)/obj/driver/*.o $(EMULATOR)/obj/shared/*.o \
	  -o $@ -lpthread 2>/dev/null || echo "  --  no static C library: no $(@F)"
$(PROGRAMS)/process_program: tests/preload/programs/process_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ -L$(EMULATOR) -l:libcuda.so.1 -lpthread
# Where the compiler has no such runtime there is no program, and its test says so.
$(PROGRAMS)/sanitized_%: tests/preload/programs/process_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) -O1 -fsanitize=$* $< -o $@ -L$(EMULATOR) \
	  -l:libcuda.so.1 -lpthread 2>/dev/null || echo "  --  no -fsanitize=$* here: no $(@F)"
# NVIDIA's own compiler builds these, where there is one; where not, their tests say so.
NVCC ?= $(firstword $(wildcard $(CUDA_HOME)/bin/nvcc) $(shell command -v nvcc))
NVCC_FLAGS := -cudart shared -Wno-deprecated-gpu-targets
$(PROGRAMS)/nvcc_per_thread: NVCC_FLAGS += --default-stream per-thread
$(PROGRAMS)/nvcc_%: tests/preload/programs/nvcc_program.cu
	@mkdir -p $(@D)
	@if [ -n "$(NVCC)" ]; then echo "  NVCC  $@"; $(NVCC) $(NVCC_FLAGS) $< -o $@ || echo "  --  nvcc cannot build it: no $(@F)"; \
	else echo "  --  no nvcc: no $(@F)"; fi
$(PROGRAMS)/api_program: tests/preload/programs/api_program.c $(OUT)/libschedgpu.so.0 | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ -L$(EMULATOR) -l:libcuda.so.1 $(OUT)/libschedgpu.so.0 -Wl,-rpath,$(abspath $(OUT))
$(PROGRAMS)/plain_program: tests/preload/programs/plain_program.c
	$(PROGRAM_CC) $< -o $@
$(PROGRAMS)/libbefore.so $(PROGRAMS)/libafter.so: $(PROGRAMS)/lib%.so: tests/preload/programs/interposer.c
	$(PROGRAM_CC) -shared -fvisibility=default -DPLACE=$* $< -o $@
$(PROGRAMS)/libdlsym_before.so $(PROGRAMS)/libdlsym_after.so: $(PROGRAMS)/libdlsym_%.so: tests/preload/programs/dlsym_interposer.c
	$(PROGRAM_CC) -shared -fvisibility=default -DPLACE=$* $< -o $@
$(PROGRAMS)/libplugin.so: tests/preload/programs/plugin.c
	$(PROGRAM_CC) -shared -fvisibility=default $< -o $@
$(PROGRAMS)/forwarding/libcuda.so.1: tests/preload/programs/forwarding_driver.c
	$(PROGRAM_CC) -shared -fvisibility=default -Wl,-soname,libcuda.so.1 \
	  -DTRUE_DRIVER='"$(EMULATOR)/libcuda.so.1"' $< -o $@
$(PROGRAMS)/proxy/libcuda.so.1: $(PROXY)
	@mkdir -p $(@D)
	ln -sfn $(EMULATOR)/libcuda.so.1 $(@D)/libcuda-real.so.1
	cp $< $@
$(PROGRAMS)/%.py: tests/preload/programs/%.py
	@mkdir -p $(@D)
	cp $< $@

$(PRELOAD_TESTS:%=$(PRELOAD_OUT)/%): $(PRELOAD_OUT)/%: tests/preload/%.c $(PRELOAD_SUPPORT) $(PRELOAD_UNITS) \
  $(PRELOAD_HEADERS) $(OUT)/libschedgpu.a
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_TEST_FLAGS) -DPRELOAD_LIBRARY='"$(abspath $(PRELOAD_LIB))"' \
	  $(filter %.c,$^) $(OUT)/libschedgpu.a -lcmocka -lpthread -o $@
$(PRELOAD_TESTS:%=$(OUT)/san/tests/preload/%): $(OUT)/san/tests/preload/%: tests/preload/%.c $(PRELOAD_SUPPORT) $(PRELOAD_UNITS) \
  $(PRELOAD_HEADERS) $(SAN_OBJ)
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_SANITIZE) $(PRELOAD_TEST_FLAGS) \
	  -DPRELOAD_LIBRARY='"$(abspath $(OUT)/ubsan/libschedgpu-preload.so)"' \
	  $(filter %.c,$^) $(SAN_OBJ) -lcmocka -lpthread -o $@

# NVIDIA's own header says whether our declarations are right, where there is one.
.PHONY: preload-abi
preload-abi:
	@if [ -f $(CUDA_HOME)/include/cuda.h ]; then \
	  $(CC) $(CFLAGS_COMMON) -MF /dev/null -Ipreload -isystem $(CUDA_HOME)/include -fsyntax-only tests/preload/abi_check.c \
	    && echo "== abi_check: hooks agree with cuda.h"; \
	else echo "== abi_check: skipped, no cuda.h under $(CUDA_HOME)"; fi

check-preload: preload-abi $(PRELOAD_LIB) $(PRELOAD_PROGRAMS:%=$(PROGRAMS)/%) $(PRELOAD_TESTS:%=$(PRELOAD_OUT)/%)
	@for t in $(PRELOAD_TESTS:%=$(PRELOAD_OUT)/%); do echo "== $$t"; $$t || exit 1; done
	@tests/preload/frameworks
check-preload-sanitize: $(OUT)/ubsan/libschedgpu-preload.so $(PRELOAD_PROGRAMS:%=$(PROGRAMS)/%) \
  $(PRELOAD_TESTS:%=$(OUT)/san/tests/preload/%)
	@for t in $(PRELOAD_TESTS:%=$(OUT)/san/tests/preload/%); do echo "== $$t"; $$t || exit 1; done

$(PRELOAD_OUT)/bench_alloc: tests/preload/bench_alloc.c $(PRELOAD_SUPPORT) $(OUT)/libschedgpu.a
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_TEST_FLAGS) -DPRELOAD_LIBRARY='"$(abspath $(PRELOAD_LIB))"' \
	  $(filter %.c,$^) $(OUT)/libschedgpu.a -lcmocka -lpthread -o $@
$(PROGRAMS)/null/libcuda.so.1: tests/preload/programs/null_driver.c
	$(PROGRAM_CC) -shared -fvisibility=default -Wl,-soname,libcuda.so.1 $< -o $@
preload-bench: $(PRELOAD_LIB) $(PRELOAD_OUT)/bench_alloc $(PROGRAMS)/null/libcuda.so.1 | $(EMULATOR_READY)
	$(PRELOAD_OUT)/bench_alloc

-include $(PRELOAD_OBJ:.o=.d) $(UBSAN_OBJ:.o=.d)
