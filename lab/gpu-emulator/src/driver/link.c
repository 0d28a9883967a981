/*
 * link.c - linking of device code. Images are not read, so whatever is added makes an image of any
 * content.
 */
#include "driver.h"

#include <stdlib.h>
#include <unistd.h>

struct CUlinkState_st {
  char image[16];
};

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
  NEED_CONTEXT(context);
  (void)context, (void)count, (void)options, (void)values;
  NEED(state);
  *state = calloc(1, sizeof **state);
  return *state ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t bytes,
                          const char *name, unsigned count, CUjit_option *options, void **values) {
  (void)type, (void)bytes, (void)name, (void)count, (void)options, (void)values;
  NEED_DRIVER();
  NEED(state && data);
  return CUDA_SUCCESS;
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type, const char *path, unsigned count,
                          CUjit_option *options, void **values) {
  (void)type, (void)count, (void)options, (void)values;
  NEED_DRIVER();
  NEED(state && path);
  return access(path, R_OK) ? CUDA_ERROR_FILE_NOT_FOUND : CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
  NEED_DRIVER();
  NEED(state && image && bytes);
  *image = state->image;
  *bytes = sizeof state->image;
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
  NEED_DRIVER();
  NEED(state);
  free(state);
  return CUDA_SUCCESS;
}
