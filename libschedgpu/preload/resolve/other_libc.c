/* other_libc.c - see other_libc.h. */
#include "other_libc.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#pragma weak dlvsym

bool sgp_is_glibc(void) {
  return dlvsym != NULL;
}

static const ElfW(Dyn) * dynamic_of(uintptr_t base) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)base;
  const ElfW(Phdr) *parts = (const ElfW(Phdr) *)(base + header->e_phoff);
  for (int i = 0; i < header->e_phnum; i++)
    if (parts[i].p_type == PT_DYNAMIC)
      return (const ElfW(Dyn) *)(base + parts[i].p_vaddr);
  return NULL;
}

/* Looks by itself: dlsym(RTLD_NEXT, "dlsym") would be a call of our own dlsym, whose name is
 * before. */
void *sgp_other_dlsym(void) {
  Dl_info libc;
  if (!dladdr((const void *)dl_iterate_phdr, &libc))
    return NULL;
  uintptr_t base = (uintptr_t)libc.dli_fbase, symbols = 0, names = 0, names_bytes = 0;
  for (const ElfW(Dyn) *d = dynamic_of(base); d && d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB)
      symbols = base + d->d_un.d_ptr;
    else if (d->d_tag == DT_STRTAB)
      names = base + d->d_un.d_ptr;
    else if (d->d_tag == DT_STRSZ)
      names_bytes = d->d_un.d_val;
  }
  /* Linkers put the names behind the symbols. */
  for (const ElfW(Sym) *s = (const ElfW(Sym) *)symbols; s && (uintptr_t)(s + 1) <= names; s++)
    if (s->st_shndx != SHN_UNDEF && s->st_name < names_bytes &&
        strcmp((const char *)names + s->st_name, "dlsym") == 0)
      return (void *)(base + s->st_value);
  return NULL;
}
