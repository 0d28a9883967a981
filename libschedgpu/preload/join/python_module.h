/* python_module.h - tells a PyTorch program of a lane job that its Python module is missing. */
#ifndef SGP_PYTHON_MODULE_H
#define SGP_PYTHON_MODULE_H

/**
 * Says so once, when the process joins its job: a program whose iterations nobody marks keeps the
 * turn of its lane, and would be told at the end of the job. Says nothing if PYTHONPATH is unset:
 * the site's choice (PythonPath=none). Reads /proc/self/maps only if no folder has the module.
 */
void sgp_look_for_python_module(void);

#endif
