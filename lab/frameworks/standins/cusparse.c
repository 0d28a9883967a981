/* cusparse.c - handles. */
#include "standin.h"

HANDLE(cusparseCreate)
RELEASE(cusparseDestroy)
ERROR_TEXT(cusparseGetErrorString)
