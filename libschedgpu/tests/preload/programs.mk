# Programs of all kinds that know nothing of schedGPU, for the tests of the preload library; included by
# preload.mk. A program whose tools are missing on this machine is not built, and its test is skipped.
PRELOAD_PROGRAMS += turns_program turns_linked libendless.so runtime_shared_11.0 runtime_per_thread driver_older_dlsym process_program multiprocessing_program.py functions_program.py \
  loading_program libdriver_user.so inside_program static_program proxy/libcuda.so.1 \
  older/libcuda.so.1 proxy-older/libcuda.so.1 api_program lane_program shared_lane_program.py libshort_pauses.so \
  sanitized_address sanitized_thread sanitized_undefined libdlsym_before.so libdlsym_after.so nvcc_program nvcc_per_thread \
  userland_program userland_runtime_shared userland_runtime_static

OLDER_DLSYM := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),GLIBC_2.2.5,GLIBC_2.17)
$(PROGRAMS)/driver_older_dlsym: tests/preload/programs/driver_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $(PLUGIN_PATH) -DOLDER_DLSYM='"$(OLDER_DLSYM)"' $< -o $@ -lpthread
$(PROGRAMS)/runtime_per_thread: tests/preload/programs/runtime_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) -DPER_THREAD $< -o $@ -L$(EMULATOR) -l:libcudart.so.13
$(PROGRAMS)/turns_program: tests/preload/programs/turns_program.c tests/preload/programs/commands.h | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ -lpthread
$(PROGRAMS)/libendless.so: tests/preload/programs/endless_synchronization.c
	$(PROGRAM_CC) -shared -fvisibility=default $< -o $@
$(PROGRAMS)/turns_linked: tests/preload/programs/turns_program.c tests/preload/programs/commands.h | $(EMULATOR_READY)
	$(PROGRAM_CC) -DLINKED $< -o $@ -L$(EMULATOR) -l:libcuda.so.1 -lpthread
$(PROGRAMS)/process_program: tests/preload/programs/process_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ -L$(EMULATOR) -l:libcuda.so.1 -lpthread
$(PROGRAMS)/libdriver_user.so: tests/preload/programs/driver_user.c | $(EMULATOR_READY)
	$(PROGRAM_CC) -shared -fvisibility=default $< -o $@ -L$(EMULATOR) -l:libcuda.so.1
$(PROGRAMS)/loading_program: tests/preload/programs/loading_program.c
	$(PROGRAM_CC) -DUSER_LIBRARY='"$(abspath $(PROGRAMS)/libdriver_user.so)"' $< -o $@
INSIDE := tests/preload/programs/loading_program.c tests/preload/programs/driver_user.c
$(PROGRAMS)/inside_program: $(INSIDE) | $(EMULATOR_READY)
	$(PROGRAM_CC) -MF /dev/null -DINSIDE $^ -o $@ -L$(EMULATOR) -l:libcuda.so.1 -Wl,-rpath,$(EMULATOR)
$(PROGRAMS)/static_program: $(INSIDE) | $(EMULATOR_READY)
	$(PROGRAM_CC) -MF /dev/null -static -DINSIDE $^ $(EMULATOR)/obj/driver/*.o $(EMULATOR)/obj/shared/*.o \
	  -o $@ -lpthread 2>/dev/null || echo "  --  no static C library: no $(@F)"
$(PROGRAMS)/sanitized_%: tests/preload/programs/process_program.c | $(EMULATOR_READY)
	$(PROGRAM_CC) -O1 -fsanitize=$* $< -o $@ -L$(EMULATOR) \
	  -l:libcuda.so.1 -lpthread 2>/dev/null || echo "  --  no -fsanitize=$* here: no $(@F)"
$(PROGRAMS)/libdlsym_before.so $(PROGRAMS)/libdlsym_after.so: $(PROGRAMS)/libdlsym_%.so: tests/preload/programs/dlsym_interposer.c
	$(PROGRAM_CC) -shared -fvisibility=default -DPLACE=$* $< -o $@
$(PROGRAMS)/libshort_pauses.so: tests/preload/programs/short_pauses.c
	$(PROGRAM_CC) -shared -fvisibility=default $< -o $@
$(PROGRAMS)/api_program: tests/preload/programs/api_program.c $(OUT)/libschedgpu.so.0 | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ -L$(EMULATOR) -l:libcuda.so.1 $(OUT)/libschedgpu.so.0 -Wl,-rpath,$(abspath $(OUT))
$(PROGRAMS)/lane_program: tests/preload/programs/lane_program.c tests/preload/programs/commands.h | $(EMULATOR_READY)
	$(PROGRAM_CC) -Iinclude $< -o $@ -lpthread
$(PROGRAMS)/older/libcuda.so.1: tests/preload/programs/older_driver.c
	$(PROGRAM_CC) -shared -fvisibility=default -Wl,-Bsymbolic -Wl,-soname,libcuda.so.1 $< -o $@
$(PROGRAMS)/proxy/libcuda.so.1: TRUE_DRIVER := $(EMULATOR)/libcuda.so.1
$(PROGRAMS)/proxy-older/libcuda.so.1: TRUE_DRIVER := ../older/libcuda.so.1
$(PROGRAMS)/proxy/libcuda.so.1 $(PROGRAMS)/proxy-older/libcuda.so.1: $(PROXY)
	@mkdir -p $(@D)
	ln -sfn $(TRUE_DRIVER) $(@D)/libcuda-real.so.1
	cp $< $@

# Programs of older C libraries, and of musl.
PRELOAD_PROGRAMS += old/driver_linked old/driver_looked_up old/runtime_shared_12 old/runtime_static \
  $(if $(MUSL_LIB),musl/driver_linked musl/driver_looked_up musl/ld-linux-x86-64.so.2)
$(PROGRAMS)/old/driver_linked: tests/preload/programs/driver_program.c $(OLD_GLIBC) | $(EMULATOR_READY)
	$(PROGRAM_CC) $(PLUGIN_PATH) -DLINKED $< -o $@ $(LINK_OLD) -L$(EMULATOR) -l:libcuda.so.1
$(PROGRAMS)/old/driver_looked_up: tests/preload/programs/driver_program.c $(OLD_GLIBC) | $(EMULATOR_READY)
	$(PROGRAM_CC) $(PLUGIN_PATH) $< -o $@ $(LINK_OLD)
$(PROGRAMS)/old/runtime_shared_12: tests/preload/programs/runtime_program.c $(OLD_GLIBC) | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ $(LINK_OLD) -L$(EMULATOR) -l:libcudart.so.12
$(PROGRAMS)/old/runtime_static: tests/preload/programs/runtime_program.c $(OLD_GLIBC) | $(EMULATOR_READY)
	$(PROGRAM_CC) $< -o $@ $(EMULATOR)/libcudart_static.a $(LINK_OLD)
$(PROGRAMS)/musl/driver_linked: tests/preload/programs/driver_program.c | $(EMULATOR_READY)
	$(MUSL_PROGRAM) -DLINKED $< -o $@ -L$(EMULATOR) -l:libcuda.so.1 -Wl,--allow-shlib-undefined
$(PROGRAMS)/musl/driver_looked_up: tests/preload/programs/driver_program.c | $(EMULATOR_READY)
	$(MUSL_PROGRAM) $< -o $@
# The emulated driver needs one function of it, which musl has too.
$(PROGRAMS)/musl/ld-linux-x86-64.so.2:
	@mkdir -p $(@D)
	@echo "  LD  $@"; $(CC) -shared -nostdlib -x c /dev/null -o $@
MUSL_PROGRAM = @mkdir -p $(@D); echo "  CC  $@"; $(MUSL_CC) $(CFLAGS_RELEASE) -I$(ROOT)/lab/gpu-emulator/include $(PLUGIN_PATH)
run/$(PRELOAD_OUT)/other_libc_test: $(OUT)/libschedgpu.so.0 $(OUT)/schedgpu-run
$(PRELOAD_OUT)/other_libc_test: private PRELOAD_TEST_FLAGS += -DROOTS_DIR='"$(abspath $(OUT)/old-glibc)"' \
  -DFETCH_ROOTS='"$(abspath tests/preload/fetch-old-glibc)"'

# NVIDIA's own compiler.
NVCC ?= $(firstword $(wildcard $(CUDA_HOME)/bin/nvcc) $(shell command -v nvcc))
NVCC_FLAGS := -cudart shared -Wno-deprecated-gpu-targets
$(PROGRAMS)/nvcc_per_thread: NVCC_FLAGS += --default-stream per-thread
$(PROGRAMS)/nvcc_%: tests/preload/programs/nvcc_program.cu
	@mkdir -p $(@D)
	@if [ -n "$(NVCC)" ]; then echo "  NVCC  $@"; $(NVCC) $(NVCC_FLAGS) $< -o $@ || echo "  --  nvcc cannot build it: no $(@F)"; \
	else echo "  --  no nvcc: no $(@F)"; fi

$(PROGRAMS)/userland_program: tests/preload/programs/userland_program.c
	$(PROGRAM_CC) $< -o $@
$(PROGRAMS)/userland_runtime_%: tests/preload/programs/userland_runtime.c
	@mkdir -p $(@D)
	@if [ -n "$(NVCC)" ]; then echo "  NVCC  $@"; \
	  $(NVCC) -cudart $* -Xlinker --disable-new-dtags,-rpath,$(CUDA_HOME)/lib64 $< -o $@ || echo "  --  nvcc cannot build it: no $(@F)"; \
	else echo "  --  no nvcc: no $(@F)"; fi

# Tests that are linked with a part of the library, or of the support.
$(PRELOAD_OUT)/cgroup_job_test $(OUT)/san/tests/preload/cgroup_job_test: shell/sys/cgroup_job.c preload/join/system_wide.c \
  shell/sys/small_file.c shell/sys/sluid.c
PRIVATE_MACHINE := system_wide_test uncaught_test
$(PRIVATE_MACHINE:%=$(PRELOAD_OUT)/%) $(PRIVATE_MACHINE:%=$(OUT)/san/tests/preload/%): tests/preload/support/namespace.c
