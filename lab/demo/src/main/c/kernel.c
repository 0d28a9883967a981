/* kernel.c - see kernel.h. */
#include "kernel.h"

#include <stdlib.h>

const char kernel_ptx[] = ".version 6.3\n"
                          ".target sm_60\n"
                          ".address_size 64\n"
                          ".visible .entry " KERNEL_NAME "(.param .u64 work)\n"
                          "{\n"
                          "  .reg .pred %more, %never;\n"
                          "  .reg .u64 %left;\n"
                          "  .reg .f32 %x;\n"
                          "  ld.param.u64 %left, [work];\n"
                          "  mov.f32 %x, 0f3F800000;\n"
                          "again:\n"
                          "  fma.rn.f32 %x, %x, 0f3F7FFFF0, 0f33D6BF95;\n"
                          "  fma.rn.f32 %x, %x, 0f3F7FFFF0, 0f33D6BF95;\n"
                          "  fma.rn.f32 %x, %x, 0f3F7FFFF0, 0f33D6BF95;\n"
                          "  fma.rn.f32 %x, %x, 0f3F7FFFF0, 0f33D6BF95;\n"
                          "  sub.u64 %left, %left, 1;\n"
                          "  setp.gt.s64 %more, %left, 0;\n"
                          "  @%more bra again;\n"
                          /* Never true; forces the compiler to compute %x. */
                          "  setp.lt.f32 %never, %x, 0f00000000;\n"
                          "  @%never trap;\n"
                          "  ret;\n"
                          "}\n";

static double from_environment(const char *name) {
  const char *text = getenv(name);
  double value = text ? strtod(text, NULL) : 0;
  return value > 0 ? value : 1;
}

uint64_t kernel_work(uint64_t busy_ns) {
  double work = (double)busy_ns * from_environment("DEMO_WORK_PER_NS");
  return work < 1 ? 1 : (uint64_t)work;
}

unsigned kernel_blocks(void) {
  return (unsigned)from_environment("DEMO_BLOCKS");
}
