# Included by the Makefile of every native module. One way to build C here:
#   make all             build into target/native/
#   make check           build and run the module's C tests (cmocka)
#   make check-sanitize  the same tests under AddressSanitizer and UBSan
#   make install         honours DESTDIR, PREFIX and LIBDIR
# Maven calls these targets (phases compile and test), so `mvn verify` covers the C code too.
ROOT := $(abspath $(dir $(lastword $(MAKEFILE_LIST)))/..)
OUT ?= target/native
CC ?= gcc
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
VERSION := 0.1.0

WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CFLAGS_COMMON := -std=gnu11 -D_GNU_SOURCE -g -fPIC -fvisibility=hidden $(WARNINGS) \
  -I$(ROOT)/libschedgpu/include -MMD -MP
CFLAGS_RELEASE := $(CFLAGS_COMMON) -O2
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
CFLAGS_SANITIZE := $(CFLAGS_COMMON) -O1 $(SANITIZE)
LDFLAGS_COMMON := -Wl,-Bsymbolic -Wl,-z,defs -Wl,--as-needed

LIBSCHEDGPU_DIR := $(ROOT)/libschedgpu/target/native

$(OUT) $(OUT)/san:
	mkdir -p $@
