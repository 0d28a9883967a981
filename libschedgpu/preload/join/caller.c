/*
 * caller.c - see caller.h. In a process with PyTorch the C++ runtime is loaded, and unwinding is
 * what each exception does. A fork meanwhile could leave locks taken in the child.
 */
#include "caller.h"
#include "../../shell/shell.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>

#define FRAMES 32 /* from a hook to PyTorch's allocator: our own, the runtime's, a few more */

#pragma weak backtrace /* other C libraries have none */

/** True for what lies between a hook and who asks: this library, the runtime and the driver. */
static bool is_on_the_way(const Dl_info *place, const Dl_info *here) {
  const char *slash = strrchr(place->dli_fname, '/');
  const char *name = slash ? slash + 1 : place->dli_fname;
  return place->dli_fbase == here->dli_fbase || strncmp(name, "libcudart", 9) == 0 ||
         strncmp(name, "libcuda.", 8) == 0;
}

/** Where unwinding stops early nobody is seen: then it may be PyTorch. */
static bool asks(void *const *frames, int count) {
  Dl_info here, place;
  bool another = false;
  if (!dladdr((void *)sgp_pytorch_asks, &here))
    return true;
  for (int i = 0; i < count; i++) {
    if (!dladdr(frames[i], &place) || !place.dli_fname)
      continue;
    if (strstr(place.dli_fname, "/libc10_cuda.so"))
      return true;
    another = another || !is_on_the_way(&place, &here);
  }
  return !another;
}

bool sgp_pytorch_asks(void) {
  void *frames[FRAMES];
  if (!backtrace)
    return true;
  sg_forbid_forks();
  bool answer = asks(frames, backtrace(frames, FRAMES));
  sg_allow_forks();
  return answer;
}
