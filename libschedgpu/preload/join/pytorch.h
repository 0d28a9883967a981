/*
 * pytorch.h - whether this process allocates through PyTorch.
 */
#ifndef SGP_PYTORCH_H
#define SGP_PYTORCH_H

#include <stdbool.h>

/**
 * Whether PyTorch's allocator (libc10_cuda.so) is loaded. Programs import it when they like, so a
 * "no" is looked at again: for calls that are about to wait anyway.
 */
bool sgp_pytorch_is_loaded(void);

#endif
