/* cublasLt.c - descriptors, and one algorithm without a workspace for each product. */
#include "standin.h"

#include <string.h>

enum { RESULT_BYTES = 96 };

HANDLE(cublasLtCreate)
RELEASE(cublasLtDestroy)
HANDLE(cublasLtMatmulDescCreate, int compute, int scale)
RELEASE(cublasLtMatmulDescDestroy)
HANDLE(cublasLtMatrixLayoutCreate, int type, uint64_t rows, uint64_t columns, int64_t leading)
RELEASE(cublasLtMatrixLayoutDestroy)
HANDLE(cublasLtMatmulPreferenceCreate)
RELEASE(cublasLtMatmulPreferenceDestroy)

int cublasLtMatmulAlgoGetHeuristic(void *handle, void *product, void *a, void *b, void *c, void *d,
                                   void *preference, int wanted, void *results, int *found);
int cublasLtMatmulAlgoGetHeuristic(void *handle, void *product, void *a, void *b, void *c, void *d,
                                   void *preference, int wanted, void *results, int *found) {
  memset(results, 0, RESULT_BYTES);
  *found = 1;
  return 0;
}
