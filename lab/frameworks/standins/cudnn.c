/*
 * cudnn.c - cuDNN's graph API as far as a convolution needs it: what is described is not kept, a
 * heuristic finds one engine for anything, and the plan made of it asks for a workspace, which the
 * caller allocates. Of the older functions those that say how much memory is needed. Real sizes are
 * not published: ours are a guess.
 */
#include "standin.h"

enum { VERSION = 90000, CUDART_OF_CUDNN = 12040 };
enum { WORKSPACE_BYTES = 16 << 20, STATES_BYTES = 1 << 20 };

/* Of cudnnBackendAttributeName_t: the answers that somebody reads. */
enum { HEURISTIC_RESULTS = 202, ENGINE_OF_CONFIG = 300, PLAN_WORKSPACE = 402 };

size_t cudnnGetVersion(void);
size_t cudnnGetVersion(void) {
  return VERSION;
}

size_t cudnnGetCudartVersion(void);
size_t cudnnGetCudartVersion(void) {
  return CUDART_OF_CUDNN;
}

HANDLE(cudnnCreate)
RELEASE(cudnnDestroy)
ERROR_TEXT(cudnnGetErrorString)

void cudnnGetLastErrorString(char *text, size_t size);
void cudnnGetLastErrorString(char *text, size_t size) {
  if (size > 0)
    *text = '\0';
}

int cudnnBackendCreateDescriptor(int type, void **descriptor);
int cudnnBackendCreateDescriptor(int type, void **descriptor) {
  (void)type;
  *descriptor = calloc(1, HANDLE_BYTES);
  return *descriptor ? 0 : NO_MEMORY;
}
RELEASE(cudnnBackendDestroyDescriptor)

int cudnnBackendGetAttribute(void *descriptor, int name, int type, int64_t wanted, int64_t *count,
                             void *values);
int cudnnBackendGetAttribute(void *descriptor, int name, int type, int64_t wanted, int64_t *count,
                             void *values) {
  (void)descriptor, (void)type;
  int64_t found = name == HEURISTIC_RESULTS || name == ENGINE_OF_CONFIG || name == PLAN_WORKSPACE;
  if (name == PLAN_WORKSPACE && values && wanted > 0)
    *(int64_t *)values = WORKSPACE_BYTES;
  if (count)
    *count = found;
  return 0;
}

HANDLE(cudnnCreateActivationDescriptor)
RELEASE(cudnnDestroyActivationDescriptor)
HANDLE(cudnnCreateConvolutionDescriptor)
RELEASE(cudnnDestroyConvolutionDescriptor)
HANDLE(cudnnCreateDropoutDescriptor)
RELEASE(cudnnDestroyDropoutDescriptor)
HANDLE(cudnnCreateFilterDescriptor)
RELEASE(cudnnDestroyFilterDescriptor)
HANDLE(cudnnCreateTensorDescriptor)
RELEASE(cudnnDestroyTensorDescriptor)

/* SIZE(name, parameters before it): how many bytes the caller shall allocate. */
#define SIZE(name, bytes, ...)                                                                     \
  int name(__VA_ARGS__, size_t *size);                                                             \
  int name(__VA_ARGS__, size_t *size) {                                                            \
    *size = (bytes);                                                                               \
    return 0;                                                                                      \
  }

SIZE(cudnnDropoutGetStatesSize, STATES_BYTES, void *handle)
SIZE(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, WORKSPACE_BYTES, void *handle,
     int mode, int operations, void *x, void *z, void *y, void *scale, void *activation)
SIZE(cudnnGetBatchNormalizationBackwardExWorkspaceSize, WORKSPACE_BYTES, void *handle, int mode,
     int operations, void *x, void *y, void *dy, void *dz, void *dx, void *scale, void *activation)
SIZE(cudnnGetBatchNormalizationTrainingExReserveSpaceSize, STATES_BYTES, void *handle, int mode,
     int operations, void *activation, void *x)
