/* python_module.c - see python_module.h. */
#include "python_module.h"
#include "message.h"
#include "pytorch.h"
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_in(const char *folder, size_t length) {
  char file[PATH_MAX];
  int n = snprintf(file, sizeof file, "%.*s/schedgpu/__init__.py", (int)length, folder);
  return n > 0 && (size_t)n < sizeof file && access(file, R_OK) == 0;
}

static bool is_in_any(const char *folders) {
  for (;; folders++) {
    size_t length = strcspn(folders, ":");
    if (length != 0 && is_in(folders, length))
      return true;
    folders += length;
    if (*folders == '\0')
      return false;
  }
}

/* The first folder is PythonPath of schedgpu.conf. */
void sgp_look_for_python_module(void) {
  const char *lane = getenv("SCHEDGPU_LANE"), *folders = getenv("PYTHONPATH");
  if (!lane || !*lane || !folders || !*folders || is_in_any(folders) || !sgp_pytorch_is_loaded())
    return;
  sgp_say_once(SGP_NO_PYTHON_MODULE,
               "%.*s has no Python module schedgpu: unless this PyTorch program has it from "
               "elsewhere, or marks its iterations, it keeps the turn of its lane until it ends: "
               "install it there; in a container bind it (schedgpu container-options)",
               (int)strcspn(folders, ":"), folders);
}
