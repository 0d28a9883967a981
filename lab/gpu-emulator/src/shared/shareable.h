/*
 * shareable.h - physical memory that processes can share: it was created for export as a
 * descriptor. Call all functions with the state locked. Sizes are bytes.
 *
 * The content is in a memory file, so the kernel keeps it as long as a process maps it. The table
 * in the state says how much of the device it takes. It takes that until no process has a handle or
 * a mapping, which the table knows, and all exported descriptors are closed, which only the kernel
 * knows: a descriptor may wait in a socket, or belong to a process that never uses CUDA. So an
 * exported descriptor has a lock on the file, which /proc/locks shows.
 *
 * Memory counts once: for the process that created it while it uses it, else for one of its users,
 * else for no process.
 */
#ifndef EMULATED_GPU_SHAREABLE_H
#define EMULATED_GPU_SHAREABLE_H

#include "state.h"

/* Enters new memory, used by the slot. Returns its index; -1 if the device has too little left or
 * the table is full. */
int shareable_enter(struct shared_state *state, unsigned slot, const struct shareable *memory);

/* The index of the memory in this file, or -1. */
int shareable_find(const struct shared_state *state, uint64_t file_device, uint64_t file_inode);

/* Begins and ends the use by a process. The last end frees memory that has no open descriptor. */
void shareable_use(struct shared_state *state, int index, unsigned slot);
void shareable_drop(struct shared_state *state, int index, unsigned slot);

/* Ends all uses by a process, and frees nothing yet. */
void shareable_drop_all(struct shared_state *state, unsigned slot);

/* Frees the memory to which nothing refers. */
void shareable_reap(struct shared_state *state);

/* All shareable memory of a device, and the part that counts for one process. */
uint64_t shareable_bytes(const struct shared_state *state, unsigned device);
uint64_t shareable_bytes_of(const struct shared_state *state, unsigned device, unsigned slot);

/* Locks the open file description of an exported descriptor. -1 with errno. Needs no state lock. */
int shareable_mark_exported(int descriptor);

#endif
