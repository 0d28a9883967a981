# How programs are linked that start many times a second: statically, so that there is no dynamic
# linker to wait for, and with musl where there is musl-gcc (Debian: musl-tools), as the start of its
# C library takes a quarter of what glibc's takes. STATIC is musl, glibc, or empty: neither is there.
MUSL_LIB := $(dir $(shell musl-gcc -\#\#\# -x c /dev/null 2>&1 | tr ' "' '\n\n' | grep '/Scrt1\.o$$'))
# musl's own headers come first; the kernel's are where those of glibc are.
MUSL_CC := musl-gcc -idirafter /usr/include -idirafter /usr/include/$(shell $(CC) -print-multiarch)
# Position-independent, as all else is: for that musl-gcc has no option.
MUSL_START := -nostartfiles -Wl,-static,-pie,--no-dynamic-linker,-z,text,-z,relro,-z,now \
  $(MUSL_LIB)rcrt1.o $(MUSL_LIB)crti.o
MUSL_END := $(MUSL_LIB)crtn.o

STATIC := $(shell probe=$$(mktemp) && source='int main(void) { return FUTEX_WAIT; }'; \
  link() { printf '\043include <linux/futex.h>\n%s\n' "$$source" | "$$@" -o $$probe 2>/dev/null && $$probe; }; \
  if link $(MUSL_CC) -fPIE $(MUSL_START) -x c - -x none $(MUSL_END); then echo musl; \
  elif link $(CC) -static-pie -x c -; then echo glibc; fi; rm -f $$probe)
