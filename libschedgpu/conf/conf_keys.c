/* conf_keys.c - see conf_keys.h. */
#include "conf_keys.h"
#include "schedgpu/conf.h"
#include <string.h>
#include <strings.h>

#define NS_PER_S INT64_C(1000000000)
#define MINUTE (60 * NS_PER_S)
#define HOUR (3600 * NS_PER_S)
#define MONTH (720 * HOUR)
#define AT(field) SG_AT(struct sg_conf, field)

/** A path without colons and blanks, which separate entries in LD_PRELOAD. */
static int set_preload_library(const struct sg_conf_key *key, void *target, const char *value) {
  return strpbrk(value, ": \t") ? SCHEDGPU_EINVAL : sg_set_path(key, target, value);
}

/** A path without colons, which separate entries in PYTHONPATH, or `none`. */
static int set_python_path(const struct sg_conf_key *key, void *target, const char *value) {
  if (strcasecmp(value, "none") == 0)
    return sg_set_text(key, target, "");
  return strchr(value, ':') ? SCHEDGPU_EINVAL : sg_set_path(key, target, value);
}

static int set_policy(const struct sg_conf_key *key, void *target, const char *value) {
  struct sg_conf *conf = target;
  (void)key;
  for (uint32_t policy = 0; schedgpu_policy_name(policy); policy++)
    if (strcasecmp(value, schedgpu_policy_name(policy)) == 0) {
      conf->policy = policy;
      return SCHEDGPU_OK;
    }
  return SCHEDGPU_EINVAL;
}

/** `learned`, or `learned,` and the budget of jobs about which nothing is known. */
static int set_default_mem(const struct sg_conf_key *key, void *target, const char *value) {
  static const char learned[] = "learned";
  static const struct sg_conf_key rest = {
      .set = sg_set_size, AT(default_mem), .least = 1, .most = SG_PERCENT};
  struct sg_conf *conf = target;
  size_t length = sizeof learned - 1;
  (void)key;
  if (strcasecmp(value, learned) == 0)
    value = "learned,none";
  conf->learned_mem = strncasecmp(value, learned, length) == 0 && value[length] == ',';
  if (conf->learned_mem)
    value += length + 1;
  if (strcasecmp(value, "none") == 0)
    return sg_copy_text(conf->default_mem, sizeof conf->default_mem, "");
  return sg_set_size(&rest, target, value);
}

static int set_priority(const struct sg_conf_key *key, void *target, const char *value) {
  int32_t *priority = (int32_t *)(void *)((char *)target + key->offset);
  return schedgpu_parse_priority(value, priority);
}

static int set_high_priority_users(const struct sg_conf_key *key, void *target, const char *value) {
  return strpbrk(value, " \t") ? SCHEDGPU_EINVAL : sg_set_text(key, target, value);
}

static int set_deadlock_rule(const struct sg_conf_key *key, void *target, const char *value) {
  struct sg_conf *conf = target;
  if (sg_set_flag(key, NULL, value) != SCHEDGPU_OK)
    return SCHEDGPU_EINVAL;
  conf->deadlock_rule =
      strcasecmp(value, "avoid") == 0 ? SCHEDGPU_DEADLOCK_AVOID : SCHEDGPU_DEADLOCK_DETECT;
  return SCHEDGPU_OK;
}

static int check_user(const struct sg_conf_key *key, void *target, const char *value) {
  (void)key;
  (void)target;
  return value[strspn(value, " \t")] ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

/** The text behind `prefix`, or NULL if `text` does not begin with it. */
static const char *after(const char *prefix, const char *value) {
  size_t length = strlen(prefix);
  return strncmp(value, prefix, length) == 0 ? value + length : NULL;
}

static int check_rest_address(const struct sg_conf_key *key, void *target, const char *value) {
  const char *path = after("unix:/", value);
  const char *host = after("http://", value);
  (void)key;
  (void)target;
  if (!host)
    host = after("https://", value);
  bool right = path ? *path : host && *host && *host != '/' && !strpbrk(host, " \t");
  return right ? SCHEDGPU_OK : SCHEDGPU_EINVAL;
}

/** Accepts any address of a host. The agent, in Java, checks it. */
static int accept_any(const struct sg_conf_key *key, void *target, const char *value) {
  (void)key;
  (void)target;
  (void)value;
  return SCHEDGPU_OK;
}

const struct sg_conf_key sg_conf_keys[SG_CONF_KEYS] = {
    {"RunDir", "/run/schedgpu", "an absolute path", sg_set_path, AT(run_dir),
     .meaning = "folder of the files of the region"},
    {"DevicesFile", "", "an absolute path", sg_set_path, AT(devices_file),
     .default_words = "`devices.conf` beside `schedgpu.conf`",
     .meaning = "map from virtual GPUs to devices"},
    {"PreloadLibrary", "", "an absolute path without colons or blanks", set_preload_library,
     AT(preload_library), .default_words = "`$LIBDIR/schedgpu/container/libschedgpu-preload.so`",
     .meaning = "what SPANK puts into LD_PRELOAD"},
    {"Policy", "fifo",
     "fifo, mmu, priority-fifo, priority-mmu, hpfw, sm-hpfw, rbdm, rbdm-hpfw or rbdm-sm-hpfw",
     set_policy, .meaning = "policy of a new region (`schedgpu policy` changes it while jobs run)"},
    {"DefaultMem", "none",
     "a size (512M, 6G), a percentage (40%), none, learned, or learned, and one of them",
     set_default_mem,
     .meaning =
         "budget of a job that names none; `none`: mode `ondemand`, no budget; `learned`: the "
         "need of the user's earlier jobs of this name, from the file `learned` in `RunDir`, at "
         "most what `MaxMem` and the device allow, in mode `peak` with `overflow=wait`. The "
         "value behind the comma is for unknown jobs "
         "([how](../how-to/ask-for-the-right-amount.md#when-you-say-nothing)) and for "
         "`schedgpu run`"},
    {"MaxMem", "100%", "a size (512M, 6G) or a percentage (80%) above 0", sg_set_size, AT(max_mem),
     .least = 1, .most = SG_PERCENT, .meaning = "largest budget a job may declare, per device"},
    {"SafetyMargin", "0", "a size (512M, 6G) or a percentage (5%)", sg_set_size, AT(safety_margin),
     .most = SG_PERCENT, .meaning = "device memory that is never given to jobs"},
    {"DefaultPriority", "normal", "low, normal, high or 0 to 100", set_priority,
     AT(default_priority), .meaning = "priority of a job that names none"},
    {"MaxPriority", "high", "low, normal, high or 0 to 100", set_priority, AT(max_priority),
     .meaning = "highest priority that anyone may use"},
    {"HighPriorityUsers", "", "user names or uids with commas and no blanks, below 1024 characters",
     set_high_priority_users, AT(high_priority_users),
     .meaning = "users who may exceed `MaxPriority`"},
    {"Wait", "forever", "a time (30s, 5m, 2h), or forever", sg_set_time, AT(wait_ns),
     .most = SCHEDGPU_FOREVER,
     .meaning = "how long an allocation, or the gate, waits if the job has no `--schedgpu-wait`"},
    {"Grace", "0", "a time (500ms, 30s, 5m)", sg_set_time, AT(grace_ns), .most = INT64_MAX,
     .meaning = "how long an idle budget stays reserved in mode `peak` while others wait"},
    {"OvertakeLimit", "64", "0 to 1000000 (0: no limit)", sg_set_number, AT(overtake_limit),
     .most = 1000000, .meaning = "how often the oldest waiter may be overtaken"},
    {"DeadlockRule", "avoid", "avoid or detect", set_deadlock_rule,
     .meaning = "rule of a new region for jobs in mode `ondemand`. With both, a request whose wait "
                "could never end is refused as out of memory. With `avoid`, a job with a budget "
                "also waits while a grant would leave an unsafe state "
                "([rules](rules.md#deadlock))"},
    {"Lanes", "yes", "yes or no", sg_set_flag, AT(lanes), .yes = "yes",
     .meaning = "whether jobs may have a lane (`--schedgpu-lane`, [lanes](lanes.md))"},
    {"LaneQuantum", "1s", "a time from 1ms to 1h", sg_set_time, AT(quantum_ns),
     .least = NS_PER_S / 1000, .most = HOUR,
     .meaning = "with `--schedgpu-lane=fair`, how long a job of a new region keeps its turn before "
                "another job of its lane may get it; with `--schedgpu-share` a tenth of it"},
    {"MaxShare", "1000", "1 to 1000", sg_set_number, AT(max_share), .least = 1, .most = 1000,
     .meaning = "largest share that a job may ask for with `--schedgpu-share`"},
    {"PythonPath", "", "an absolute path without colons, or none", set_python_path, AT(python_path),
     .default_words = "`$PREFIX/share/schedgpu/python`",
     .meaning = "folder of the Python module `schedgpu`, which lane jobs get in front of "
                "PYTHONPATH; `none`: PYTHONPATH stays as it is"},
    {"OnFailure", "run", "run or refuse", sg_set_flag, AT(refuse_on_failure), .yes = "refuse",
     .meaning = "what a job does when schedGPU cannot schedule it"},
    {"OnHookFailure", "ignore", "ignore or drain", sg_set_flag, AT(drain_on_hook_failure),
     .yes = "drain",
     .meaning =
         "whether a failing prolog or epilog drains the node. A prolog that finds another GPU than "
         "`devices.conf` names drains it always"},
    {"HookTimeout", "5s", "a time from 1s to 300s", sg_set_time, AT(hook_timeout_ns),
     .least = NS_PER_S, .most = 300 * NS_PER_S, .meaning = "after which prolog and epilog give up"},
    {"Overflow", "fail", "fail or wait", sg_set_flag, AT(overflow_waits), .yes = "wait",
     .meaning = "what an allocation beyond the budget does in mode `peak`, if the job has no "
                "`--schedgpu-overflow`: fail as out of memory, or wait for more memory than the "
                "budget ([rules](rules.md))"},
    {"ManagedMemory", "reserve", "reserve or pass", sg_set_flag, AT(managed_passes), .yes = "pass",
     .meaning = "`reserve`: managed memory (`cudaMallocManaged`) is reserved in full, as if all of "
                "its pages were on the device. `pass`: it is not reserved, for programs that "
                "allocate more of it than a device has. Then only NVML shows how much of it is on "
                "the device, it is not limited, and other jobs may run out of memory"},
    {"FrameworkEnvironment", "yes", "yes or no", sg_set_flag, AT(framework_environment),
     .yes = "yes",
     .meaning = "whether jobs with a budget get `TF_FORCE_GPU_ALLOW_GROWTH` and "
                "`XLA_PYTHON_CLIENT_PREALLOCATE`"},
    {"EndHint", "yes", "yes or no", sg_set_flag, AT(end_hint), .yes = "yes",
     .meaning = "whether a job gets a hint at its end if it asked for far too much, or for too "
                "little (it waited for more, or an allocation was refused)"},
    {"Mode", "shared", "shared or brokered", sg_set_flag, AT(brokered), .yes = "brokered",
     .meaning = "`shared`: users write the new region; `brokered`: only root does, and users ask "
                "the agent "
                "([Client and server](../explanation/client-server.md))"},
    {"RegionGroup", "", "a group name below 64 characters", sg_set_text, AT(region_group),
     .meaning = "group that may use the region (mode 0660); empty: everyone (0666). Its number is "
                "at most 2147483647"},
    /* Keys of the agent. */
    {"OverrunAction", "warn", "leave, warn or end", sg_set_flag,
     .meaning = "what the agent does about memory that a job's programs use and did not reserve, "
                "beside counting it"},
    {"OverrunEvery", "5s", "a time from 100ms to 1h", sg_set_time, .least = NS_PER_S / 10,
     .most = HOUR, .meaning = "how often the agent asks NVML for such memory"},
    {"OverrunGrace", "10s", "a time of at most 1h", sg_set_time, .most = HOUR,
     .meaning = "time from SIGTERM to SIGKILL, with `end` and `Unscheduled=refuse`"},
    {"Unscheduled", "warn", "warn, gate or refuse", sg_set_flag,
     .meaning = "what the agent does about a program of a scheduled job that uses a device without "
                "being attached to the region ([how](../how-to/unreserved-memory.md#who-asks-for-"
                "nothing)). `warn`: it names it. `gate`: it also keeps the whole budget for the "
                "job while the program runs. `refuse`: it also ends the program, if it sees it in "
                "the control group of the job"},
    {"DriverLimits", "yes", "yes or no", sg_set_flag,
     .meaning = "whether the agent also sets a job's budget as a limit of NVIDIA's driver, if the "
                "driver has limits per control group (version 615; cgroup v2)"},
    {"LearnContext", "yes", "yes or no", sg_set_flag,
     .meaning = "whether the agent measures the memory of a CUDA context, and uses it instead of "
                "`ContextBytes` of `devices.conf`, up to twice that. With `Mode=brokered` it only "
                "reports it"},
    {"ContextFile", "/var/lib/schedgpu/contexts.conf", "an absolute path", sg_set_path,
     .meaning = "file of the measured sizes; may be removed"},
    {"CheckEvery", "60s", "a time from 1s to 1h", sg_set_time, .least = NS_PER_S, .most = HOUR,
     .meaning = "how often the agent checks the whole region and writes the checkpoint"},
    {"LeftJobGrace", "10m", "a time of at least 1s, or forever", sg_set_time, .least = NS_PER_S,
     .most = SCHEDGPU_FOREVER,
     .meaning = "how long a job must have no live process on the node before the agent asks Slurm "
                "whether it has ended, and removes its record; `forever`: never"},
    {"CompensateWait", "no", "yes or no", sg_set_flag,
     .meaning = "`yes`: the agent extends the time limit of a Slurm job by what it has waited for "
                "memory ([how](../how-to/waits-and-limits.md))"},
    {"CompensateMost", "24h", "a time from 1m to 30d", sg_set_time, .least = MINUTE, .most = MONTH,
     .meaning = "the most by which a time limit is extended"},
    {"WaitLimit", "forever", "a time of at least 1s, or forever", sg_set_time, .least = NS_PER_S,
     .most = SCHEDGPU_FOREVER,
     .meaning = "how long a Slurm job may wait on this node before it has held any memory"},
    {"WaitLimitNodes", "forever", "a time of at least 1s, or forever", sg_set_time,
     .least = NS_PER_S, .most = SCHEDGPU_FOREVER,
     .meaning = "the same for a job over several nodes, if it is less: such jobs might wait for "
                "each other forever"},
    {"WaitAction", "requeue", "requeue, fail or wait", sg_set_flag,
     .meaning = "what happens to a job that has waited for `WaitLimit`: it goes back into Slurm's "
                "queue and not to this node for that time again, is cancelled, or is only logged"},
    {"HistoryFile", "", "an absolute path", sg_set_path,
     .default_words = "`/var/lib/schedgpu/history.db`; with another `RunDir` `history.db` in it",
     .meaning =
         "file in which the agent records jobs ([how-to](../how-to/history.md)): SQLite, mode "
         "0600, with `-wal` and `-shm` beside it while in use. It may be removed while no agent "
         "runs"},
    {"HistoryKeep", "30d", "a time of at least 1h, or forever", sg_set_time, .least = HOUR,
     .most = SCHEDGPU_FOREVER, .meaning = "older records are removed"},
    {"HistoryMax", "256M", "a size of at least 1M", sg_set_size, .least = 1 << 20,
     .meaning = "maximum size of that file, without some MiB of `-wal`. Beyond it the agent "
                "removes the oldest samples, and the oldest jobs of the user with the most"},
    {"SampleEvery", "10s", "a time from 1s to 1h", sg_set_time, .least = NS_PER_S, .most = HOUR,
     .meaning = "how often the agent records the use of devices and jobs"},
    {"PrivateData", "jobs", "jobs or none", sg_set_flag,
     .meaning = "`jobs`: users see other users' jobs as sums only, in `schedgpu status`, `jobs` "
                "and `history` (read by these commands too); `none`: every user sees all"},
    {"SlurmComment", "no", "no, comment, admin_comment or extra", sg_set_flag,
     .meaning = "the field of Slurm's jobs that says what they used "
                "([how](../how-to/agent.md#slurms-comment))"},
    {"SlurmRest", "", "unix:/PATH or http://HOST:PORT", check_rest_address,
     .meaning = "where slurmrestd listens, for `SlurmComment`"},
    {"SlurmRestUser", "root", "a user", check_user,
     .meaning = "user of the token; may change jobs of other users"},
    {"SlurmRestToken", "", "an absolute path", sg_set_path,
     .meaning = "file with a token of `scontrol token`, for `http`; read again for each "
                "connection. Refused if users other than its owner may read it"},
    {"LogLevel", "info", "error, warning, info or debug", sg_set_flag,
     .meaning = "least important message that is logged"},
    {"MetricsListen", "", "127.0.0.1:PORT, [::1]:PORT or the absolute path of a UNIX socket",
     accept_any,
     .meaning = "where [metrics](../how-to/metrics.md) are served; empty: nowhere. Addresses that "
                "other hosts reach need `MetricsPublic=yes`"},
    {"MetricsPublic", "no", "yes or no", sg_set_flag,
     .meaning = "whether metrics, which have no password, may be served to other hosts"},
    {"MetricsByUser", "no", "yes or no", sg_set_flag,
     .meaning =
         "whether metrics say of each user and account how much memory was reserved and used, and "
         "for how long they had turns of lanes"},
};
