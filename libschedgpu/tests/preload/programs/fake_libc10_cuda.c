/* fake_libc10_cuda.c - a FAKE of PyTorch's library of this name, which calls the driver. */
#include <stddef.h>

typedef int allocation(unsigned long long *address, size_t bytes);
__attribute__((visibility("default"))) int fake_ask(allocation *allocate,
                                                    unsigned long long *address, size_t bytes);

int fake_ask(allocation *allocate, unsigned long long *address, size_t bytes) {
  volatile int result = allocate(address, bytes); /* no tail call: the caller is on the stack */
  return result;
}
