/*
 * training.c - a program of iterations, for demo-lanes, the papers and the GPU check. It keeps its
 * model, and in each iteration allocates its ephemeral memory, computes, and gives the memory back.
 * Knows nothing of schedGPU but where its iterations begin and end.
 *
 *   training [OPTION...] MODEL_MIB EPHEMERAL_MIB KERNEL_US ITERATIONS RECORD [GO]
 *
 * Writes one line per iteration into RECORD: when it asked for the turn, when the iteration began
 * and when it ended, in ns of CLOCK_MONOTONIC. With GO it says so on stderr and waits in its first
 * iteration, before it allocates the last part of its memory, until a file of that name exists.
 *
 *   -c CPU_US   each iteration begins with so much time without the device
 *   -g GAP_US   an inference server: requests come at random, so far apart in the mean, and each is
 *               one iteration; a request that comes in an earlier one asks for the turn after it
 *   -s SEED     of these requests
 *   -e END      ends with the iteration at whose end a file of this name exists
 *   -p          allocates the ephemeral memory in three parts, of 2/7, 2/7 and 3/7, as Figure 6 of
 *               Salus, and waits for memory that it does not get, without schedGPU
 *
 * Exit status: 0 done, 1 failed, 2 out of device memory.
 */
#include "device.h"
#include "pace.h"
#include "turn.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_US = 5000, MIB_SHIFT = 20, PARTS = 3, SEVENTHS = 7, ARGUMENTS = 5 };
static const uint64_t MOST = 1000000000;
static const unsigned parts_of_seven[PARTS] = {2, 2, 3};

struct training {
  uint64_t model_mib, ephemeral_mib, kernel_us, iterations;
  uint64_t cpu_us, gap_us, seed;
  const char *record, *go, *end;
  bool progressive;
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

static int usage(const char *name) {
  fprintf(stderr,
          "training: usage: %s [-c CPU_US] [-g GAP_US] [-s SEED] [-e END] [-p] MODEL_MIB "
          "EPHEMERAL_MIB KERNEL_US ITERATIONS RECORD [GO]\n",
          name);
  return 1;
}

static int read_option(int option, struct training *training) {
  switch (option) {
  case 'c':
    return read_number("CPU_US", optarg, &training->cpu_us);
  case 'g':
    return read_number("GAP_US", optarg, &training->gap_us);
  case 's':
    return read_number("SEED", optarg, &training->seed);
  case 'e':
    training->end = optarg;
    return 0;
  default:
    training->progressive = true;
    return 0;
  }
}

static int read_arguments(int count, char **arguments, struct training *training) {
  int option;
  while ((option = getopt(count, arguments, "+:c:g:s:e:p")) != -1) {
    if (option == '?' || option == ':')
      return usage(arguments[0]);
    if (read_option(option, training) != 0)
      return 1;
  }
  char **words = arguments + optind;
  int left = count - optind;
  if (left != ARGUMENTS && left != ARGUMENTS + 1)
    return usage(arguments[0]);
  training->record = words[4];
  training->go = words[5];
  return read_number("MODEL_MIB", words[0], &training->model_mib) ||
         read_number("EPHEMERAL_MIB", words[1], &training->ephemeral_mib) ||
         read_number("KERNEL_US", words[2], &training->kernel_us) ||
         read_number("ITERATIONS", words[3], &training->iterations);
}

static enum device_result say(const char *what, enum device_result result) {
  if (result != DEVICE_OK)
    fprintf(stderr, "training: %s: %s\n", what, device_error());
  return result;
}

static void wait_for(const char *file) {
  if (file)
    fprintf(stderr, "training: waits for %s\n", file);
  while (file && access(file, F_OK) != 0)
    usleep(LOOK_US);
}

/** Allocates a part of the ephemeral memory. A progressive program tries again until it has it. */
static enum device_result take(const struct training *training, void **memory, uint64_t bytes) {
  enum device_result result = device_allocate(memory, bytes);
  if (result == DEVICE_OUT_OF_MEMORY && training->progressive)
    fprintf(stderr, "training: waits for memory\n");
  while (result == DEVICE_OUT_OF_MEMORY && training->progressive) {
    usleep(LOOK_US);
    result = device_allocate(memory, bytes);
  }
  return say("cannot allocate the ephemeral memory", result);
}

/** Allocates the ephemeral memory; `go` is waited for before the last part. */
static enum device_result take_all(const struct training *training, const char *go,
                                   void *memory[PARTS], int *taken) {
  uint64_t bytes = training->ephemeral_mib << MIB_SHIFT;
  int parts = training->progressive ? PARTS : 1;
  enum device_result result = DEVICE_OK;
  for (*taken = 0; *taken < parts && result == DEVICE_OK; *taken += result == DEVICE_OK) {
    if (*taken == parts - 1)
      wait_for(go);
    uint64_t part = parts == 1 ? bytes : bytes / SEVENTHS * parts_of_seven[*taken];
    result = take(training, &memory[*taken], part);
  }
  return result;
}

/** What is between begin and end of an iteration. It returns when its kernel has ended. */
static enum device_result compute(const struct training *training, const char *go) {
  void *memory[PARTS];
  int taken;
  pace_compute_ns(training->cpu_us * 1000);
  enum device_result result = take_all(training, go, memory, &taken);
  if (result == DEVICE_OK)
    result = say("cannot run the kernel", device_run(training->kernel_us * 1000));
  while (taken > 0) {
    enum device_result freed =
        say("cannot free the ephemeral memory", device_free(memory[--taken]));
    result = result == DEVICE_OK ? freed : result;
  }
  return result;
}

static enum device_result iterate(const struct training *training, const char *go, FILE *record) {
  uint64_t asked_ns = pace_now_ns();
  if (!turn_begin())
    return DEVICE_FAILED;
  uint64_t begun_ns = pace_now_ns();
  enum device_result result = compute(training, go);
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

/** Sleeps until the next request of an inference server has come; `at_ns` is when. */
static void await_request(const struct training *training, unsigned short random[3],
                          uint64_t *at_ns) {
  if (training->gap_us == 0)
    return;
  *at_ns += (uint64_t)(-log(1 - erand48(random)) * (double)training->gap_us * 1000);
  pace_sleep_until_ns(*at_ns);
}

static enum device_result iterate_all(const struct training *training, FILE *record) {
  unsigned short random[3] = {0x330e, (unsigned short)training->seed,
                              (unsigned short)(training->seed >> 16)};
  uint64_t request_ns = pace_now_ns();
  enum device_result result = DEVICE_OK;
  for (uint64_t i = 0; i < training->iterations && result == DEVICE_OK; i++) {
    await_request(training, random, &request_ns);
    result = iterate(training, i == 0 ? training->go : NULL, record);
    if (training->end && access(training->end, F_OK) == 0)
      break;
  }
  return result;
}

static enum device_result train(const struct training *training, FILE *record) {
  void *model;
  enum device_result result = say("cannot use the device", device_open());
  if (result == DEVICE_OK)
    result =
        say("cannot allocate the model", device_allocate(&model, training->model_mib << MIB_SHIFT));
  if (result == DEVICE_OK)
    result = iterate_all(training, record);
  device_close();
  return result;
}

int main(int count, char **arguments) {
  struct training training = {0};
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
