/* variables.c - see variables.h. */
#include "variables.h"
#include "../hooks/hooks.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#pragma weak dladdr1 /* other C libraries have none */

#if defined(__x86_64__)
#define SGP_BY_NAME R_X86_64_GLOB_DAT
#define SGP_BY_ADDRESS R_X86_64_64
#elif defined(__aarch64__)
#define SGP_BY_NAME R_AARCH64_GLOB_DAT
#define SGP_BY_ADDRESS R_AARCH64_ABS64
#endif

#define CLEAN_CALLERS 256u

/*
 * Caches callers in objects without such variables: the runtime looks up hundreds of names at one
 * place.
 */
static _Atomic(const void *) clean[CLEAN_CALLERS];

/* The tables of an object. */
struct object {
  uintptr_t base;
  const ElfW(Dyn) * dynamic;
  const ElfW(Sym) * symbols;
  const char *names;
  const ElfW(Rela) * relocations;
  size_t relocations_bytes;
  size_t relative;                  /* the first ones have no hash: most of a large library's */
  uintptr_t readonly, readonly_end; /* after relocation */
};

static void find_readonly(struct object *o, const ElfW(Ehdr) * header) {
  const ElfW(Phdr) *parts = (const ElfW(Phdr) *)((uintptr_t)header + header->e_phoff);
  for (int i = 0; i < header->e_phnum; i++)
    if (parts[i].p_type == PT_GNU_RELRO) {
      o->readonly = o->base + parts[i].p_vaddr;
      o->readonly_end = o->readonly + parts[i].p_memsz;
    }
}

/* Avoids dl_iterate_phdr(): its lock would stay taken in a child that is forked meanwhile. */
static bool find_object(const void *address, struct object *o) {
  Dl_info info;
  struct link_map *map = NULL;
  if (!dladdr1 || !dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map || !map->l_ld)
    return false;
  *o = (struct object){.base = map->l_addr, .dynamic = map->l_ld};
  find_readonly(o, info.dli_fbase);
  return true;
}

/* Addresses there are absolute once the object is relocated. */
static bool read_dynamic(struct object *o) {
  for (const ElfW(Dyn) *d = o->dynamic; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB)
      o->symbols = (const ElfW(Sym) *)d->d_un.d_ptr;
    else if (d->d_tag == DT_STRTAB)
      o->names = (const char *)d->d_un.d_ptr;
    else if (d->d_tag == DT_RELA)
      o->relocations = (const ElfW(Rela) *)d->d_un.d_ptr;
    else if (d->d_tag == DT_RELASZ)
      o->relocations_bytes = d->d_un.d_val;
    else if (d->d_tag == DT_RELACOUNT)
      o->relative = d->d_un.d_val;
  }
  return o->symbols && o->names && o->relocations && (uintptr_t)o->symbols >= o->base;
}

/* True if a function is exported by libschedgpu-launches.so. */
static bool is_exported_launch(uintptr_t function) {
  static const char name[] = "/libschedgpu-launches.so";
  Dl_info info;
  size_t length =
      dladdr((const void *)function, &info) && info.dli_fname ? strlen(info.dli_fname) : 0;
  return length >= sizeof name - 1 &&
         strcmp(info.dli_fname + length - (sizeof name - 1), name) == 0;
}

/* True if the slot of a variable was bound to a hook. */
static bool is_ours(const struct object *o, const ElfW(Rela) * r) {
  uint64_t type = ELF64_R_TYPE(r->r_info);
  if (type != SGP_BY_NAME && type != SGP_BY_ADDRESS)
    return false;
  const ElfW(Sym) *symbol = &o->symbols[ELF64_R_SYM(r->r_info)];
  if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
    return false;
  int hook = sgp_hook_named(o->names + symbol->st_name);
  uintptr_t bound = *(const uintptr_t *)(o->base + r->r_offset) - (uintptr_t)r->r_addend;
  return hook >= 0 && (bound == (uintptr_t)sgp_hooks[hook].hook ||
                       (hook >= SGP_FIRST_LAUNCH && is_exported_launch(bound)));
}

static void rebind(const struct object *o, const ElfW(Rela) * r) {
  uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t *slot = (uintptr_t *)(o->base + r->r_offset);
  void *page = (void *)((uintptr_t)slot & ~(page_bytes - 1));
  bool protected = (uintptr_t)slot >= o->readonly && (uintptr_t)slot < o->readonly_end;
  if (protected && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0)
    return;
  *slot = o->base + o->symbols[ELF64_R_SYM(r->r_info)].st_value + (uintptr_t)r->r_addend;
  if (protected && (uintptr_t)page + page_bytes <= o->readonly_end)
    mprotect(page, page_bytes, PROT_READ);
}

/* False if there is nothing to do, now and later. */
static bool rebind_all(struct object *o) {
  bool found = false;
  if (!read_dynamic(o))
    return false;
  for (size_t i = o->relative; i < o->relocations_bytes / sizeof *o->relocations; i++)
    if (is_ours(o, &o->relocations[i])) {
      rebind(o, &o->relocations[i]);
      found = true;
    }
  return found;
}

void sgp_own_variables(const void *caller) {
  _Atomic(const void *) *known = &clean[((uintptr_t)caller >> 2) % CLEAN_CALLERS];
  if (atomic_load_explicit(known, memory_order_relaxed) == caller)
    return;
  struct object o;
  int saved = errno;
  if (!find_object(caller, &o) || !rebind_all(&o))
    atomic_store_explicit(known, caller, memory_order_relaxed);
  errno = saved;
}
