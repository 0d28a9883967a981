/* bench_node.h - the temporary node of the library's own tests, for the bench. */
#ifndef BENCH_NODE_H
#define BENCH_NODE_H

#include "../../../../libschedgpu/tests/support/node.h"
#include "must.h"

#define CONTEXT_BYTES (256 * MIB)

/** Makes this process a client of job `id`; on failure prints the reason and ends it. */
static inline void attach_as(uint64_t id) {
  be_job(id);
  int rc = schedgpu_attach();
  if (rc != SCHEDGPU_OK)
    fprintf(stderr, "bench: attach to job %llu: %s\n", (unsigned long long)id,
            schedgpu_strerror(rc));
  MUST(rc == SCHEDGPU_OK);
}

static inline void reserve_or_die(uint64_t bytes, int64_t timeout_ns) {
  MUST(schedgpu_reserve(0, bytes, timeout_ns) == SCHEDGPU_OK);
}

static inline void release_or_die(uint64_t bytes) {
  MUST(schedgpu_release(0, bytes) == SCHEDGPU_OK);
}

#endif
