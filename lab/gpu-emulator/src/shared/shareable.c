/* shareable.c - see shareable.h. */
#include "shareable.h"
#include "account.h"
#include "log.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/sysmacros.h>

enum { WORDS = MAX_PROCESSES / 64 };

static uint64_t bit_of(unsigned slot) {
  return UINT64_C(1) << slot % 64;
}

static int uses(const struct shareable *memory, unsigned slot) {
  return (memory->users[slot / 64] & bit_of(slot)) != 0;
}

/* The slot of the first user, or -1. */
static int first_user(const struct shareable *memory) {
  for (unsigned word = 0; word < WORDS; word++)
    if (memory->users[word])
      return (int)(word * 64 + lowest_bit(memory->users[word]));
  return -1;
}

static int counts_for(const struct shareable *memory) {
  return uses(memory, memory->maker) ? (int)memory->maker : first_user(memory);
}

int shareable_enter(struct shared_state *state, unsigned slot, const struct shareable *memory) {
  if (!account_fits(state, memory->device, memory->bytes))
    return -1;
  unsigned index = 0;
  while (index < MAX_SHAREABLES && state->shareables[index].bytes)
    index++;
  if (index == MAX_SHAREABLES) {
    log_error("%d pieces of shareable memory exist, the most that can: release one",
              MAX_SHAREABLES);
    return -1;
  }
  struct shareable *entry = &state->shareables[index], fresh = *memory;
  fresh.bytes = 0;
  fresh.maker = slot;
  fresh.users[slot / 64] = bit_of(slot);
  *entry = fresh;
  if (state->shareables_high <= index)
    state->shareables_high = index + 1;
  __atomic_store_n(&entry->bytes, memory->bytes, __ATOMIC_RELEASE);
  return (int)index;
}

int shareable_find(const struct shared_state *state, uint64_t file_device, uint64_t file_inode) {
  for (unsigned i = 0; i < state->shareables_high; i++) {
    const struct shareable *memory = &state->shareables[i];
    if (memory->bytes && memory->file_inode == file_inode && memory->file_device == file_device)
      return (int)i;
  }
  return -1;
}

void shareable_use(struct shared_state *state, int index, unsigned slot) {
  state->shareables[index].users[slot / 64] |= bit_of(slot);
}

void shareable_drop(struct shared_state *state, int index, unsigned slot) {
  state->shareables[index].users[slot / 64] &= ~bit_of(slot);
  shareable_reap(state);
}

void shareable_drop_all(struct shared_state *state, unsigned slot) {
  for (unsigned i = 0; i < state->shareables_high; i++)
    state->shareables[i].users[slot / 64] &= ~bit_of(slot);
}

int shareable_mark_exported(int descriptor) {
  struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  return fcntl(descriptor, F_OFD_SETLK, &lock);
}

/* True if the list shows the lock. Without the list it may be there. */
static int list_shows_lock(const struct shareable *memory) {
  FILE *list = fopen("/proc/locks", "re");
  char line[256];
  int found = !list;
  while (!found && list && fgets(line, sizeof line, list)) {
    unsigned major_number, minor_number;
    unsigned long long inode;
    found = sscanf(line, "%*s OFDLCK %*s %*s %*s %x:%x:%llu", &major_number, &minor_number,
                   &inode) == 3 &&
            inode == memory->file_inode &&
            makedev(major_number, minor_number) == memory->file_device;
  }
  if (list)
    fclose(list);
  return found;
}

/* The kernel returns the list in parts. If a lock goes between two parts, the next part begins one
 * lock too late. So one look may miss a lock, and a second one is needed. */
static int has_open_descriptor(const struct shareable *memory) {
  return memory->exported && (list_shows_lock(memory) || list_shows_lock(memory));
}

void shareable_reap(struct shared_state *state) {
  for (unsigned i = 0; i < state->shareables_high; i++) {
    struct shareable *memory = &state->shareables[i];
    if (memory->bytes && first_user(memory) < 0 && !has_open_descriptor(memory))
      __atomic_store_n(&memory->bytes, 0, __ATOMIC_RELEASE);
  }
  while (state->shareables_high && !state->shareables[state->shareables_high - 1].bytes)
    state->shareables_high--;
}

uint64_t shareable_bytes(const struct shared_state *state, unsigned device) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < state->shareables_high; i++)
    if (state->shareables[i].device == device)
      sum += state->shareables[i].bytes;
  return sum;
}

uint64_t shareable_bytes_of(const struct shared_state *state, unsigned device, unsigned slot) {
  uint64_t sum = 0;
  for (unsigned i = 0; i < state->shareables_high; i++) {
    const struct shareable *memory = &state->shareables[i];
    if (memory->device == device && memory->bytes && counts_for(memory) == (int)slot)
      sum += memory->bytes;
  }
  return sum;
}
