/* pytorch.h - detects PyTorch's allocator in this process. */
#ifndef SGP_PYTORCH_H
#define SGP_PYTORCH_H

#include <stdbool.h>

/**
 * True if PyTorch's allocator (libc10_cuda.so) is loaded. A program may import it at any time, so a
 * "no" is checked again; call this only before a wait.
 */
bool sgp_pytorch_is_loaded(void);

/** The last answer of sgp_pytorch_is_loaded(); does not look. */
bool sgp_pytorch_was_found(void);

#endif
