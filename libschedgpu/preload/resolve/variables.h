/*
 * variables.h - supports libraries that keep the driver's functions in variables of the same names
 * (`CUresult (*cuMemAlloc)(...)`, as NVIDIA's dynlink headers do). We export functions of these
 * names and come first, so the dynamic linker binds such a library to our code in place of its
 * variables, and the library would crash when it writes there.
 */
#ifndef SGP_VARIABLES_H
#define SGP_VARIABLES_H

/**
 * Binds the library that contains `caller` to its own variables again. Called when it looks up a
 * name of the driver, just before it stores the result. Keeps errno.
 */
void sgp_own_variables(const void *caller);

#endif
