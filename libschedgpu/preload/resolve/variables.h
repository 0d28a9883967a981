/*
 * variables.h - libraries that keep the driver's functions in variables of the same names
 * (`CUresult (*cuMemAlloc)(...)`, as NVIDIA's own dynlink headers do). We export functions of these
 * names and come first, so the dynamic linker gives such a library our code in place of its
 * variable, and it would be killed where it writes there.
 */
#ifndef SGP_VARIABLES_H
#define SGP_VARIABLES_H

/**
 * Gives the library that `caller` lies in its own variables back. Called when it looks up a name of
 * the driver's: it is about to store what it finds. errno stays.
 */
void sgp_own_variables(const void *caller);

#endif
