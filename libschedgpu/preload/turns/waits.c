/*
 * waits.c - hooks of what lets a stream wait for a word of memory, or for a semaphore. A thread
 * that launches may be the one to set it, so the device may wait for that thread, as it may for a
 * function of the host (turns.c). Nothing says when such a wait ends, and a graph may repeat it, so
 * it counts as one that never ends.
 */
#include "turns.h"
#include "../account/charge.h"

/** Counted before the call, so that the keeper knows of it when it waits for the device. */
#define SGP_WAIT(name, waits, call)                                                                \
  do {                                                                                             \
    SGP_REAL(name);                                                                                \
    bool counted = !sgp_inside && (waits);                                                         \
    if (counted)                                                                                   \
      sgp_turn_host_function(true);                                                                \
    CUresult result = real call;                                                                   \
    if (counted && result != CUDA_SUCCESS)                                                         \
      sgp_turn_host_function(false);                                                               \
    return result;                                                                                 \
  } while (0)

/* --- one word --- */

#define SGP_WAIT_FOR_WORD(name, type)                                                              \
  CUresult sgp_turn_##name(CUstream stream, CUdeviceptr address, type value, unsigned flags) {     \
    SGP_WAIT(name, true, (stream, address, value, flags));                                         \
  }
SGP_WAIT_FOR_WORD(cuStreamWaitValue32, cuuint32_t)
SGP_WAIT_FOR_WORD(cuStreamWaitValue32_ptsz, cuuint32_t)
SGP_WAIT_FOR_WORD(cuStreamWaitValue32_v2, cuuint32_t)
SGP_WAIT_FOR_WORD(cuStreamWaitValue32_v2_ptsz, cuuint32_t)
SGP_WAIT_FOR_WORD(cuStreamWaitValue64, cuuint64_t)
SGP_WAIT_FOR_WORD(cuStreamWaitValue64_ptsz, cuuint64_t)
SGP_WAIT_FOR_WORD(cuStreamWaitValue64_v2, cuuint64_t)
SGP_WAIT_FOR_WORD(cuStreamWaitValue64_v2_ptsz, cuuint64_t)

/* --- a batch of operations on words --- */

static bool one_waits(const CUstreamBatchMemOpParams *operations, unsigned count) {
  for (unsigned i = 0; operations && i < count; i++)
    if (operations[i].operation == CU_STREAM_MEM_OP_WAIT_VALUE_32 ||
        operations[i].operation == CU_STREAM_MEM_OP_WAIT_VALUE_64)
      return true;
  return false;
}

#define SGP_BATCH_OF_WORDS(name)                                                                   \
  CUresult sgp_turn_##name(CUstream stream, unsigned count, CUstreamBatchMemOpParams *operations,  \
                           unsigned flags) {                                                       \
    SGP_WAIT(name, one_waits(operations, count), (stream, count, operations, flags));              \
  }
SGP_BATCH_OF_WORDS(cuStreamBatchMemOp)
SGP_BATCH_OF_WORDS(cuStreamBatchMemOp_ptsz)
SGP_BATCH_OF_WORDS(cuStreamBatchMemOp_v2)
SGP_BATCH_OF_WORDS(cuStreamBatchMemOp_v2_ptsz)

/* --- semaphores --- */

#define SGP_WAIT_FOR_SEMAPHORES(name)                                                              \
  CUresult sgp_turn_##name(const CUexternalSemaphore *semaphores,                                  \
                           const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *params, unsigned count,      \
                           CUstream stream) {                                                      \
    SGP_WAIT(name, true, (semaphores, params, count, stream));                                     \
  }
SGP_WAIT_FOR_SEMAPHORES(cuWaitExternalSemaphoresAsync)
SGP_WAIT_FOR_SEMAPHORES(cuWaitExternalSemaphoresAsync_ptsz)

/* --- nodes of a graph; for cuGraphAddNode() see around.c --- */

CUresult sgp_turn_cuGraphAddBatchMemOpNode(CUgraphNode *node, CUgraph graph,
                                           const CUgraphNode *after, size_t count,
                                           const CUDA_BATCH_MEM_OP_NODE_PARAMS *params) {
  SGP_WAIT(cuGraphAddBatchMemOpNode, true, (node, graph, after, count, params));
}
CUresult
sgp_turn_cuGraphAddExternalSemaphoresWaitNode(CUgraphNode *node, CUgraph graph,
                                              const CUgraphNode *after, size_t count,
                                              const CUDA_EXT_SEM_WAIT_NODE_PARAMS *params) {
  SGP_WAIT(cuGraphAddExternalSemaphoresWaitNode, true, (node, graph, after, count, params));
}
