/*
 * training.c - a program of iterations, for demo-lanes. It keeps its model, and in each iteration
 * allocates its ephemeral memory, computes, and gives the memory back. Knows nothing of schedGPU
 * but where its iterations begin and end.
 *
 *   training MODEL_MIB EPHEMERAL_MIB KERNEL_US ITERATIONS RECORD [GO]
 *
 * Writes one line per iteration into RECORD: when it asked for the turn, when the iteration began
 * and when it ended, in ns of CLOCK_MONOTONIC. With GO it waits in its first iteration until a file
 * of that name exists.
 *
 * Exit status: 0 done, 1 failed, 2 out of device memory.
 */
#include "device.h"
#include "pace.h"
#include "turn.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_US = 5000, MIB_SHIFT = 20 };
static const uint64_t MOST = 1000000000;

struct training {
  uint64_t model_mib, ephemeral_mib, kernel_us, iterations;
  const char *record, *go;
};

/** Reads a number from 1 to MOST. */
static int read_number(const char *name, const char *text, uint64_t *number) {
  char *end;
  errno = 0;
  *number = strtoull(text, &end, 10);
  if (text[0] >= '0' && text[0] <= '9' && !*end && !errno && *number > 0 && *number <= MOST)
    return 0;
  fprintf(stderr, "training: %s='%s': use a whole number from 1 to %llu\n", name, text,
          (unsigned long long)MOST);
  return 1;
}

static int read_arguments(int count, char **arguments, struct training *training) {
  if (count != 6 && count != 7) {
    fprintf(stderr,
            "training: usage: %s MODEL_MIB EPHEMERAL_MIB KERNEL_US ITERATIONS RECORD [GO]\n",
            arguments[0]);
    return 1;
  }
  training->record = arguments[5];
  training->go = count == 7 ? arguments[6] : NULL;
  return read_number("MODEL_MIB", arguments[1], &training->model_mib) ||
         read_number("EPHEMERAL_MIB", arguments[2], &training->ephemeral_mib) ||
         read_number("KERNEL_US", arguments[3], &training->kernel_us) ||
         read_number("ITERATIONS", arguments[4], &training->iterations);
}

static enum device_result say(const char *what, enum device_result result) {
  if (result != DEVICE_OK)
    fprintf(stderr, "training: %s: %s\n", what, device_error());
  return result;
}

static void wait_for(const char *file) {
  while (file && access(file, F_OK) != 0)
    usleep(LOOK_US);
}

/** What is between begin and end of an iteration. It returns when its kernel has ended. */
static enum device_result compute(const struct training *training) {
  void *ephemeral;
  enum device_result result =
      say("cannot allocate the ephemeral memory",
          device_allocate(&ephemeral, training->ephemeral_mib << MIB_SHIFT));
  if (result != DEVICE_OK)
    return result;
  result = say("cannot run the kernel", device_run(training->kernel_us * 1000));
  enum device_result freed = say("cannot free the ephemeral memory", device_free(ephemeral));
  return result == DEVICE_OK ? freed : result;
}

static enum device_result iterate(const struct training *training, const char *go, FILE *record) {
  uint64_t asked_ns = pace_now_ns();
  if (!turn_begin())
    return DEVICE_FAILED;
  uint64_t begun_ns = pace_now_ns();
  wait_for(go);
  enum device_result result = compute(training);
  uint64_t ended_ns = pace_now_ns();
  if (!turn_end() && result == DEVICE_OK)
    result = DEVICE_FAILED;
  if (result == DEVICE_OK &&
      (fprintf(record, "%llu %llu %llu\n", (unsigned long long)asked_ns,
               (unsigned long long)begun_ns, (unsigned long long)ended_ns) < 0 ||
       fflush(record) != 0)) {
    fprintf(stderr, "training: %s cannot be written: %s\n", training->record, strerror(errno));
    result = DEVICE_FAILED;
  }
  return result;
}

static enum device_result train(const struct training *training, FILE *record) {
  void *model;
  enum device_result result = say("cannot use the device", device_open());
  if (result == DEVICE_OK)
    result =
        say("cannot allocate the model", device_allocate(&model, training->model_mib << MIB_SHIFT));
  for (uint64_t i = 0; i < training->iterations && result == DEVICE_OK; i++)
    result = iterate(training, i == 0 ? training->go : NULL, record);
  device_close();
  return result;
}

int main(int count, char **arguments) {
  struct training training;
  if (read_arguments(count, arguments, &training) || !turn_find())
    return 1;
  FILE *record = fopen(training.record, "w");
  if (!record) {
    fprintf(stderr, "training: %s cannot be written: %s\n", training.record, strerror(errno));
    return 1;
  }
  enum device_result result = train(&training, record);
  fclose(record);
  return result == DEVICE_OK ? 0 : result == DEVICE_OUT_OF_MEMORY ? 2 : 1;
}
