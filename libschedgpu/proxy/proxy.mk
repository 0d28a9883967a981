# The proxy driver; included by preload.mk. A libcuda.so.1 with the same hooks, for programs that cannot have a preload. It needs
# the real driver under another name, by a link beside it. It exports only hooked functions: the linker finds the others in the
# driver, because the driver is its dependency.
#   $(OUT)/proxy/libcuda.so.1
PROXY := $(OUT)/proxy/libcuda.so.1
PROXY_OBJ := $(filter-out %/this_library.o %/pick.o %/trampoline.o,$(PRELOAD_OBJ)) $(OUT)/proxy/this_library.o
PROXY_DIR = $(LIBDIR)/schedgpu/proxy
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
CUDA_DRIVER ?= $(if $(MULTIARCH),/usr/lib/$(MULTIARCH),/usr/lib64)/libcuda.so.1

all: $(PROXY)
install: install-proxy
.PHONY: install-proxy

$(OUT)/proxy/%.o: proxy/%.c
	@mkdir -p $(@D)
	@echo "  CC  $@"; $(CC) $(CFLAGS_RELEASE) $(PRELOAD_FLAGS) -c $< -o $@
$(OUT)/proxy/stub/libcuda-real.so.1:
	@mkdir -p $(@D)
	@echo "  LD  $@"; $(CC) -shared -nostdlib -x c /dev/null -Wl,-soname,$(@F) -o $@
$(PROXY): $(PROXY_OBJ) $(OUT)/libschedgpu.a $(OLD_GLIBC) proxy/proxy.map $(OUT)/proxy/stub/libcuda-real.so.1
	@echo "  LD  $@"; $(CC) -shared $(PREFIX_MAP) $(LDFLAGS_COMMON) -Wl,-z,now -Wl,-z,nodelete -Wl,-soname,libcuda.so.1 \
	  -Wl,--version-script=proxy/proxy.map -Wl,-rpath,'$$ORIGIN' -Wl,--enable-new-dtags -o $@ \
	  $(PROXY_OBJ) $(OUT)/libschedgpu.a $(LINK_OLD) -Wl,--no-as-needed $(OUT)/proxy/stub/libcuda-real.so.1 -lpthread

install-proxy: $(PROXY)
	install -d $(DESTDIR)$(PROXY_DIR)
	install -m 755 $(PROXY) $(DESTDIR)$(PROXY_DIR)/libcuda.so.1
	ln -sfn $(CUDA_DRIVER) $(DESTDIR)$(PROXY_DIR)/libcuda-real.so.1
