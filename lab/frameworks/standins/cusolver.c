/* cusolver.c - handles. */
#include "standin.h"

HANDLE(cusolverDnCreate)
RELEASE(cusolverDnDestroy)
