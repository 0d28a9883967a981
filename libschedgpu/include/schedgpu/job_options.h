/*
 * job_options.h - the table of a job's options. A row says everything about an option but what it
 * does (node/job_decision.c and the files that it calls): the SPANK plugin, the environment, and
 * `schedgpu run` with its help, completion and manual page are made from it (build-support/
 * option-pages).
 *
 * Internal to the project's C parts; not installed. Functions are thread-safe.
 */
#ifndef SCHEDGPU_JOB_OPTIONS_H
#define SCHEDGPU_JOB_OPTIONS_H

#include "admin.h"
#include <stdbool.h>

/** The policy of a lane that is not named. */
#define SG_DEFAULT_LANE "fair"

/*
 * X(FIELD, TYPE, VALUE, ALONE, DEFAULT, LIMIT, SAME, SLURM, RUN, MORE)
 *
 * FIELD  --schedgpu-FIELD of Slurm's commands, SCHEDGPU_FIELD of the environment, --FIELD of
 *        `schedgpu run`, and the field of struct sg_job_options
 * TYPE   how its text is read: a row of TYPES in node/job_options.c
 * VALUE  name of the value in helps
 * ALONE  the value if none is given; NULL: one must be given
 * DEFAULT, LIMIT  keys of schedgpu.conf: the value of a job without the option, and what the site
 *        allows; "": none
 * SAME   true if `one` and `other`, the specs of two jobs, have the same of it: a step is told
 *        that its own option is ignored if the job has something else
 * SLURM  help of sbatch, salloc and srun; NULL: not an option of jobs of Slurm
 * RUN    help of `schedgpu run`, also in its manual page; NULL: not an option of it
 * MORE   what the manual page says beyond that; "": nothing. `word` becomes bold in both.
 */
#define SG_JOB_OPTIONS(X)                                                                          \
  X(mem, size, "SIZE", NULL, "DefaultMem", "MaxMem", same_budget(one, other),                      \
    "GPU memory the job reserves on each of its GPUs: 6G, 512M, 40%, a bare number is MiB",        \
    "Budget per device: 6G, 512M, 40%. Default: DefaultMem, or what was learned.",                 \
    "With `DefaultMem=learned` the agent answers what earlier jobs of this user and program name " \
    "needed; the job then runs in mode `peak` with `--overflow wait`, and a line on stderr says "  \
    "so. This does not apply with `--overflow fail` or another mode.")                             \
  X(priority, priority, "LEVEL", NULL, "DefaultPriority", "MaxPriority",                           \
    one->priority == other->priority, "priority for GPU memory: low, normal, high or 0 to 100",    \
    "`low` (10), `normal` (50), `high` (90) or 0 to 100. Default: DefaultPriority.",               \
    "What is above MaxPriority is lowered, and a line on stderr says so.")                         \
  X(mode, mode, "MODE", NULL, "", "", one->mode == other->mode,                                    \
    "peak: all of it at the first allocation; ondemand: each allocation as it comes; gate: all "   \
    "of it before the job starts",                                                                 \
    "`peak`: the budget is reserved as a whole, at the first allocation; `ondemand`: as it is "    \
    "allocated; `gate`: before the command starts, which needs no preload. Default: `peak` with "  \
    "a budget, else `ondemand`.",                                                                  \
    "`gate` is for programs that cannot be preloaded; their allocations are not seen.")            \
  X(wait, wait, "TIME", NULL, "Wait", "", one->wait_ns == other->wait_ns,                          \
    "how long an allocation waits for GPU memory: 30s, 5m, 2h, HH:MM:SS, forever",                 \
    "How long an allocation waits, or, in mode `gate`, the command: 30s, forever. Default: Wait.", \
    "")                                                                                            \
  X(processes, processes, "N", NULL, "", "", one->processes == other->processes,                   \
    "how many processes of the job use a GPU at once: 1 to 1024",                                  \
    "How many of its processes use a device at once, 1 to 1024. Default: 1.",                      \
    "The memory of their CUDA contexts is reserved beside the budget.")                            \
  X(overflow, overflow, "WHAT", NULL, "Overflow", "",                                              \
    overflow_waits(one) == overflow_waits(other),                                                  \
    "what an allocation beyond the budget does: fail (out of memory), or wait for more memory",    \
    "What an allocation beyond the budget does, in mode `peak`: `fail` (out of memory), or "       \
    "`wait` until the budget can grow. Default: Overflow.",                                        \
    "")                                                                                            \
  X(lane, lane, "POLICY", SG_DEFAULT_LANE, "", "Lanes", one->lane == other->lane,                  \
    "the job takes turns with others for GPU memory, iteration by iteration, in the order of "     \
    "fair (the default), pack, srtf or fifo",                                                      \
    "It takes turns with others for device memory, iteration by iteration: `fair`, `pack`, "       \
    "`srtf` or `fifo`. Only with --mem, one device and mode `peak`. Default with --lane: `fair`.", \
    "Not where only the agent may write the region. See `schedgpu-options`(7).")                   \
  X(persistent, size, "SIZE", NULL, "", "", one->persistent_bytes == other->persistent_bytes,      \
    "with a lane: GPU memory that the job keeps between iterations",                               \
    "With --lane: the part of the budget that it keeps between iterations. Default: what earlier " \
    "runs of its name kept, or 0.",                                                                \
    "")                                                                                            \
  X(length, length, "TIME", NULL, "", "", true,                                                    \
    "with a lane: run time of the job, for srtf: 30m, 2h, HH:MM:SS; default: the time limit",      \
    "With --lane: how long it runs if it always has the turn, for `srtf`: 30m, 2h. Default: "      \
    "unknown.",                                                                                    \
    "")                                                                                            \
  X(share, share, "WEIGHT", NULL, "", "MaxShare", weight(one) == weight(other),                    \
    "the job computes in turns with others on its GPU, each for a time that is proportional to "   \
    "its weight, 1 to 1000",                                                                       \
    "It computes in turns with others, for times that are proportional to the weights: 1 to "      \
    "1000. Only with --mem, one device and mode `peak`. With --lane: its weight in a `fair` "      \
    "lane.",                                                                                       \
    "Not where only the agent may write the region. See `schedgpu-options`(7).")

#define SG_OPTION_INDEX(field, ...) SG_OPTION_##field,
/** Indexes of the table. */
enum sg_option { SG_JOB_OPTIONS(SG_OPTION_INDEX) SG_OPTIONS };
#undef SG_OPTION_INDEX

/** Longest text of an option's value, with its end. */
#define SG_OPTION_SIZE 32

/** What the text of an option says. */
struct sg_value {
  enum sg_value_kind {
    SG_VALUE_NONE = 0, /**< not given */
    SG_VALUE_BYTES,
    SG_VALUE_PERCENT, /**< of a device's memory */
    SG_VALUE_NS,      /**< SCHEDGPU_FOREVER: forever */
    SG_VALUE_NUMBER,
    SG_VALUE_WORD, /**< a number of the enumeration that the word is of */
  } kind;
  union {
    uint64_t number;
    int64_t ns;
  };
};

#define SG_OPTION_TEXT(field, ...) char field[SG_OPTION_SIZE];
/** The options of a job, as they were written ("" = not given), and what they say. */
struct sg_job_options {
  SG_JOB_OPTIONS(SG_OPTION_TEXT)
  struct sg_value value[SG_OPTIONS]; /**< of texts that sg_option_take() has read */
  int64_t limit_ns;                  /**< Slurm's time limit; 0: not known, or none */
  uint32_t nodes;                    /**< of the job; 0: not known */
  bool off;                          /**< --schedgpu=off */
  bool distinct;                     /**< --schedgpu-distinct */
  char job_name[SCHEDGPU_NAME_SIZE]; /**< name of the job in Slurm; selects the learned budget */
  bool of_run;                       /**< messages say --mem, not --schedgpu-mem */
  uint64_t learned_persistent;       /**< of_run: what earlier runs kept in lanes; 0: not known */
  uint32_t shards; /**< Slurm's shards of the job on this node; 0: none, or not known */
};
#undef SG_OPTION_TEXT

/** A row of the table. */
struct sg_option_row {
  const char *name, *value_name;
  const char *alone, *by_default, *limit, *of_slurm, *of_run, *more;
  /** True if both jobs have the same of what the option decides. */
  bool (*same)(const struct schedgpu_job_spec *one, const struct schedgpu_job_spec *other);
};

extern const struct sg_option_row sg_option_rows[SG_OPTIONS];

/** The prefix of options in messages. */
static inline const char *sg_option_prefix(const struct sg_job_options *options) {
  return options->of_run ? "--" : "--schedgpu-";
}

/** Writes the option's variable into `name`: SCHEDGPU_MEM. Returns `name`. */
const char *sg_option_variable(enum sg_option option, char name[SG_OPTION_SIZE]);

/** The values that are allowed, in words. */
const char *sg_option_allowed(enum sg_option option);

/** The text of an option, "" = not given. */
const char *sg_option_text(const struct sg_job_options *options, enum sg_option option);

/**
 * Takes an option: reads its text, which is not read again. EINVAL, with the value and what is
 * allowed in `error`: the option stays as it was.
 */
int sg_option_take(struct sg_job_options *options, enum sg_option option, const char *text,
                   char *error, size_t error_size);

/** Copies an option, given or not. */
void sg_option_copy(struct sg_job_options *to, const struct sg_job_options *from,
                    enum sg_option option);

/** The value of an option; SG_VALUE_NONE: not given, or its text is wrong. */
struct sg_value sg_option_value(const struct sg_job_options *options, enum sg_option option);

/** The option's number, bytes, or word; 0: not given. */
static inline uint64_t sg_option_number(const struct sg_job_options *options,
                                        enum sg_option option) {
  return sg_option_value(options, option).number;
}

/** The bytes that a size or a percentage stands for, on a device of `total_bytes`. */
uint64_t sg_value_bytes(struct sg_value value, uint64_t total_bytes);

/**
 * Checks the options of a job without data of a node, at submit: those that were not taken, and all
 * together. 0, or EINVAL with the reason.
 */
int sg_options_check(const struct sg_job_options *options, char *error, size_t error_size);

#endif
