# Programs that start many times a second are linked statically, so they need no dynamic linker. They
# use musl if musl-gcc exists (Debian: musl-tools), because its C library starts in a quarter of the time
# of glibc's. STATIC is musl, glibc, or empty if neither is there.
MUSL_LIB := $(dir $(shell musl-gcc -\#\#\# -x c /dev/null 2>&1 | tr ' "' '\n\n' | grep '/Scrt1\.o$$'))
# musl's headers come first; the kernel's headers are in the folder of glibc's.
MUSL_CC := musl-gcc -idirafter /usr/include -idirafter /usr/include/$(shell $(CC) -print-multiarch)
# Position-independent, like everything else; musl-gcc has no option for that.
MUSL_START := -nostartfiles -Wl,-static,-pie,--no-dynamic-linker,-z,text,-z,relro,-z,now \
  $(MUSL_LIB)rcrt1.o $(MUSL_LIB)crti.o
MUSL_END := $(MUSL_LIB)crtn.o

STATIC := $(shell probe=$$(mktemp) && source='int main(void) { return FUTEX_WAIT; }'; \
  link() { printf '\043include <linux/futex.h>\n%s\n' "$$source" | "$$@" -o $$probe 2>/dev/null && $$probe; }; \
  if link $(MUSL_CC) -fPIE $(MUSL_START) -x c - -x none $(MUSL_END); then echo musl; \
  elif link $(CC) -static-pie -x c -; then echo glibc; fi; rm -f $$probe)
