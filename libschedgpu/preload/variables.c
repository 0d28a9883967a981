#include "variables.h"
#include "hooks.h"
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define SGP_BY_NAME R_X86_64_GLOB_DAT
#define SGP_BY_ADDRESS R_X86_64_64
#elif defined(__aarch64__)
#define SGP_BY_NAME R_AARCH64_GLOB_DAT
#define SGP_BY_ADDRESS R_AARCH64_ABS64
#endif

#define CLEAN_OBJECTS 64u

/* Objects without such variables, by where their dynamic section is. */
static _Atomic(const void *) clean[CLEAN_OBJECTS];

/* What an object says about itself. */
struct object {
  uintptr_t address; /* in it */
  uintptr_t base;
  const ElfW(Dyn) * dynamic;
  const ElfW(Sym) * symbols;
  const char *names;
  const ElfW(Rela) * relocations;
  size_t relocations_bytes;
  size_t relative; /* the first so many name no symbol: most of a large library's */
  uintptr_t readonly, readonly_end; /* after relocation */
};

/* Not dladdr(): it goes through all symbols of the object. */
static int find_object(struct dl_phdr_info *info, size_t size, void *object) {
  struct object found = *(struct object *)object;
  bool inside = false;
  (void)size;
  found.base = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t begin = found.base + part->p_vaddr, end = begin + part->p_memsz;
    if (part->p_type == PT_LOAD)
      inside |= found.address >= begin && found.address < end;
    else if (part->p_type == PT_DYNAMIC)
      found.dynamic = (const ElfW(Dyn) *)begin;
    else if (part->p_type == PT_GNU_RELRO)
      found.readonly = begin, found.readonly_end = end;
  }
  if (inside)
    *(struct object *)object = found;
  return inside;
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

/* Whether the slot of a variable was bound to a hook. */
static bool is_ours(const struct object *o, const ElfW(Rela) * r) {
  uint64_t type = ELF64_R_TYPE(r->r_info);
  if (type != SGP_BY_NAME && type != SGP_BY_ADDRESS)
    return false;
  const ElfW(Sym) *symbol = &o->symbols[ELF64_R_SYM(r->r_info)];
  if (symbol->st_shndx == SHN_UNDEF || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT)
    return false;
  int hook = sgp_hook_named(o->names + symbol->st_name);
  uintptr_t bound = *(const uintptr_t *)(o->base + r->r_offset) - (uintptr_t)r->r_addend;
  return hook >= 0 && bound == (uintptr_t)sgp_hooks[hook].hook;
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

/* False if there was nothing to do, for good. */
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
  struct object o = {.address = (uintptr_t)caller};
  int saved = errno;
  if (dl_iterate_phdr(find_object, &o) && o.dynamic) {
    _Atomic(const void *) *known = &clean[((uintptr_t)o.dynamic >> 4) % CLEAN_OBJECTS];
    if (atomic_load_explicit(known, memory_order_relaxed) != o.dynamic && !rebind_all(&o))
      atomic_store_explicit(known, o.dynamic, memory_order_relaxed);
  }
  errno = saved;
}
