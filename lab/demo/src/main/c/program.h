/*
 * program.h - the three programs of the workload, as the schedGPU paper measured them (IEEE TPDS
 * 29(5), 2018, Tables 1 and 2, sections 6 and 7.3; Figure 8), and the numbers derived for our
 * stand-ins.
 *
 * A program runs equal cycles, each with a CPU part and then a GPU part. It allocates device memory
 * for the GPU parts only. The CUDA context takes memory too; it is created at the first GPU part
 * and stays to the end, as with the CUDA runtime.
 *
 * Units: seconds are those of the paper's test-bed, unscaled. The functions keep no state.
 */
#ifndef DEMO_PROGRAM_H
#define DEMO_PROGRAM_H

#include <stdint.h>

/* Memory of the device, and of one context on it, in MiB: DEMO_DEVICE_MIB and DEMO_CONTEXT_MIB, by
 * default the paper's Tesla K20m and what a context of the emulated device takes. */
uint64_t program_device_mib(void);
uint64_t program_context_mib(void);

struct program {
  const char *name;
  double alone_seconds;   /* Table 2 */
  double peak_percent;    /* of the device's memory, context included; section 6 */
  double average_percent; /* of the device's memory over the whole run; Table 1 */
  double busy_percent;    /* part of the run in which a kernel runs; Table 1 */
  unsigned cycles;        /* Figure 8: at the end, at regular intervals, nearly always */
};

extern const struct program program_ara, program_mummergpu, program_gpu_blast;

/* MiB that the program allocates, without contexts; rounded down to whole MiB. */
uint64_t program_allocation_mib(const struct program *program);

/* Seconds, over all cycles, for which the allocation is held when the program runs alone. Chosen so
 * that the average of Table 1 comes out. */
double program_held_seconds(const struct program *program);

/* Seconds, over all cycles, in which a kernel runs. */
double program_busy_seconds(const struct program *program);

/* Seconds from the start to the first GPU part: one CPU part. */
double program_cpu_part_seconds(const struct program *program);

#endif
