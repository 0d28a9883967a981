/* caller.h - detects who in this process asks for memory. */
#ifndef SGP_CALLER_H
#define SGP_CALLER_H

#include <stdbool.h>

/**
 * False if the calls that led here are certain to come from another library than PyTorch's
 * allocator: cuBLAS, NCCL and others allocate by themselves, and do not ask again. May wait for the
 * dynamic linker; call it only in a process with PyTorch, before a request that would wait or grow
 * the budget.
 */
bool sgp_pytorch_asks(void);

#endif
