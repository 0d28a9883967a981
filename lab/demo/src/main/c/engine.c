/* engine.c - see engine.h. */
#include "engine.h"
#include "device.h"
#include "pace.h"

#include <math.h>
#include <string.h>

/* A kernel lasts about this long in real time, whatever the scale. So programs take turns often,
 * and a launch on a loaded host costs little beside the kernel. */
#define KERNEL_NS 8e6
#define MIB ((size_t)1 << 20)

/* Two buffers, as programs have several; the first and last bytes of each are checked. */
enum { BUFFERS = 2, CHECKED_BYTES = 65536 };

struct buffer {
  unsigned char *memory;
  size_t bytes;
  unsigned char seed;
};

/* One GPU part, with scaled times. */
struct part {
  unsigned kernels;
  uint64_t kernel_ns;
  uint64_t between_ns;
};

static enum outcome outcome_of(enum device_result result) {
  switch (result) {
  case DEVICE_OK:
    return OUTCOME_COMPLETED;
  case DEVICE_OUT_OF_MEMORY:
    return OUTCOME_OUT_OF_MEMORY;
  default:
    return OUTCOME_FAILED;
  }
}

static struct part plan_part(const struct program *program, double scale) {
  double held_ns = program_held_seconds(program) * 1e9 / scale / program->cycles;
  double busy_ns = program_busy_seconds(program) * 1e9 / scale / program->cycles;
  struct part part = {.kernels = (unsigned)fmax(1, round(busy_ns / KERNEL_NS))};
  part.kernel_ns = (uint64_t)(busy_ns / part.kernels);
  part.between_ns = (uint64_t)((held_ns - busy_ns) / part.kernels);
  return part;
}

static void fill(unsigned char *bytes, unsigned char seed) {
  for (unsigned i = 0; i < CHECKED_BYTES; i++)
    bytes[i] = (unsigned char)(seed + i * 31);
}

static size_t last_offset(const struct buffer *buffer) {
  return buffer->bytes - CHECKED_BYTES;
}

static enum device_result write_buffer(const struct buffer *buffer) {
  unsigned char bytes[CHECKED_BYTES];
  fill(bytes, buffer->seed);
  enum device_result result = device_write(buffer->memory, bytes, sizeof bytes);
  return result ? result : device_write(buffer->memory + last_offset(buffer), bytes, sizeof bytes);
}

static enum device_result same(const struct buffer *buffer, size_t offset) {
  unsigned char expected[CHECKED_BYTES], bytes[CHECKED_BYTES];
  fill(expected, buffer->seed);
  enum device_result result = device_read(bytes, buffer->memory + offset, sizeof bytes);
  if (result || !memcmp(bytes, expected, sizeof bytes))
    return result;
  fprintf(stderr, "device memory has other data than was written at offset %zu\n", offset);
  return DEVICE_FAILED;
}

static enum device_result check_buffer(const struct buffer *buffer) {
  enum device_result result = same(buffer, 0);
  return result ? result : same(buffer, last_offset(buffer));
}

static enum device_result allocate(const struct program *program, unsigned cycle,
                                   struct buffer buffers[BUFFERS]) {
  size_t bytes = program_allocation_mib(program) * MIB;
  enum device_result result = device_open();
  for (unsigned i = 0; i < BUFFERS && !result; i++) {
    buffers[i].bytes = i ? bytes / 4 : bytes - bytes / 4;
    buffers[i].seed = (unsigned char)(cycle * BUFFERS + i);
    result = device_allocate((void **)&buffers[i].memory, buffers[i].bytes);
  }
  return result;
}

static enum device_result release(struct buffer buffers[BUFFERS]) {
  enum device_result result = DEVICE_OK;
  for (unsigned i = 0; i < BUFFERS && !result; i++)
    result = device_free(buffers[i].memory);
  return result;
}

static enum device_result each(struct buffer buffers[BUFFERS],
                               enum device_result (*work)(const struct buffer *)) {
  enum device_result result = DEVICE_OK;
  for (unsigned i = 0; i < BUFFERS && !result; i++)
    result = work(&buffers[i]);
  return result;
}

static enum device_result run_kernels(const struct part *part, struct report *report) {
  enum device_result result = DEVICE_OK;
  for (unsigned i = 0; i < part->kernels && !result; i++) {
    pace_compute_ns(part->between_ns);
    uint64_t from_ns = pace_now_ns();
    result = device_run(part->kernel_ns);
    report->kernel_ns += pace_now_ns() - from_ns;
    report->busy_ns += part->kernel_ns;
  }
  return result;
}

static enum device_result use_device(const struct part *part, struct buffer buffers[BUFFERS],
                                     struct report *report) {
  enum device_result result = each(buffers, write_buffer);
  if (!result)
    result = run_kernels(part, report);
  if (!result)
    result = each(buffers, check_buffer);
  return result ? result : release(buffers);
}

static enum device_result gpu_part(const struct program *program, unsigned cycle,
                                   const struct part *part, struct report *report) {
  struct buffer buffers[BUFFERS] = {{0}};
  struct span *asking = &report->asking[report->asked++];
  asking->from_ns = pace_now_ns();
  enum device_result result = allocate(program, cycle, buffers);
  asking->to_ns = pace_now_ns();
  if (result)
    return result;
  struct span *holding = &report->holding[report->held++];
  holding->from_ns = asking->to_ns;
  result = use_device(part, buffers, report);
  holding->to_ns = pace_now_ns();
  return result;
}

static void complain(const struct program *program, enum outcome outcome) {
  if (outcome == OUTCOME_OUT_OF_MEMORY)
    fprintf(stderr, "%s: out of memory: cannot allocate %llu MiB of device memory (%s)\n",
            program->name, (unsigned long long)program_allocation_mib(program), device_error());
  else if (outcome == OUTCOME_FAILED)
    fprintf(stderr, "%s: failed: %s\n", program->name, device_error());
}

enum outcome engine_run(const struct program *program, double scale, struct report *report) {
  uint64_t cpu_ns = (uint64_t)(program_cpu_part_seconds(program) * 1e9 / scale);
  const struct part part = plan_part(program, scale);
  enum device_result result = DEVICE_OK;
  *report = (struct report){.run = {.from_ns = pace_now_ns()}};
  for (unsigned cycle = 0; cycle < program->cycles && !result; cycle++) {
    pace_compute_ns(cpu_ns);
    result = gpu_part(program, cycle, &part, report);
  }
  device_close();
  report->run.to_ns = pace_now_ns();
  report->outcome = outcome_of(result);
  complain(program, report->outcome);
  return report->outcome;
}

static void print_spans(FILE *out, const char *name, const struct span *spans, unsigned count) {
  fprintf(out, ",\"%s\":[", name);
  for (unsigned i = 0; i < count; i++)
    fprintf(out, "%s[%llu,%llu]", i ? "," : "", (unsigned long long)spans[i].from_ns,
            (unsigned long long)spans[i].to_ns);
  fputc(']', out);
}

void engine_print_report(FILE *out, const struct program *program, double scale,
                         const struct report *report) {
  static const char *const outcomes[] = {"completed", "failed", "out of memory"};
  fprintf(out, "{\"program\":\"%s\",\"scale\":%g,\"outcome\":\"%s\"", program->name, scale,
          outcomes[report->outcome]);
  fprintf(out, ",\"fromNs\":%llu,\"toNs\":%llu", (unsigned long long)report->run.from_ns,
          (unsigned long long)report->run.to_ns);
  fprintf(out, ",\"busyNs\":%llu,\"kernelNs\":%llu", (unsigned long long)report->busy_ns,
          (unsigned long long)report->kernel_ns);
  print_spans(out, "asking", report->asking, report->asked);
  print_spans(out, "holding", report->holding, report->held);
  fputs("}\n", out);
}

void engine_print_program(FILE *out, const struct program *program) {
  fprintf(out, "{\"program\":\"%s\",\"aloneSeconds\":%g,\"cycles\":%u", program->name,
          program->alone_seconds, program->cycles);
  fprintf(out, ",\"peakPercent\":%g,\"averagePercent\":%g,\"busyPercent\":%g",
          program->peak_percent, program->average_percent, program->busy_percent);
  fprintf(out, ",\"allocationMiB\":%llu,\"contextMiB\":%llu,\"deviceMiB\":%llu",
          (unsigned long long)program_allocation_mib(program),
          (unsigned long long)program_context_mib(), (unsigned long long)program_device_mib());
  fprintf(out, ",\"heldSeconds\":%.6g,\"busySeconds\":%.6g}\n", program_held_seconds(program),
          program_busy_seconds(program));
}
