/* container_env.c - see container_env.h. */
#include "container_env.h"
#include "preload_path.h"
#include "python_path.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIST_SIZE 65536
#define BINDS "SCHEDGPU_BINDS"
#define PRELOAD "libschedgpu-preload.so"
#define LAUNCHES "libschedgpu-launches.so"
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/** The runtimes, by the first word of their variables. Apptainer reads both, the first one first.
 */
static const char *const RUNTIMES[] = {"APPTAINER", "SINGULARITY"};

/** The job's variables that its programs need inside. A further one is a row here. */
static const struct {
  const char *name;
  enum { OURS, USERS, LIBRARIES, FOLDERS } kind; /**< USERS: what the user gave the runtime stays */
} VARIABLES[] = {{"SCHEDGPU_JOB", OURS},
                 {"SCHEDGPU_RUN_DIR", OURS},
                 {"SCHEDGPU_DEVICES", OURS},
                 {"SCHEDGPU_ON_FAILURE", OURS},
                 {"SCHEDGPU_MANAGED", OURS},
                 {"SCHEDGPU_LANE", OURS},
                 {"SCHEDGPU_SHARE", OURS},
                 {"SCHEDGPU_FIRST_TRY", USERS},
                 {"CUDA_VISIBLE_DEVICES", OURS},
                 {"CUDA_DEVICE_ORDER", OURS},
                 {"TF_FORCE_GPU_ALLOW_GROWTH", USERS},
                 {"XLA_PYTHON_CLIENT_PREALLOCATE", USERS},
                 {"LD_PRELOAD", LIBRARIES},
                 {"PYTHONPATH", FOLDERS}};

/** The environment, and room for its values. A failure is remembered. */
struct work {
  sg_env_get get;
  sg_env_set set;
  void *context;
  int rc;
  const struct sg_job_env *env;
  char library[PATH_MAX], launches[PATH_MAX];
  char binds[LIST_SIZE], old_binds[LIST_SIZE];
  char users[LENGTH(RUNTIMES)][LIST_SIZE], jobs[LIST_SIZE], merged[LIST_SIZE], more[LIST_SIZE];
};

static bool get(struct work *w, const char *name, char value[LIST_SIZE]) {
  int got = w->get(w->context, name, value, LIST_SIZE);
  if (got <= 0)
    value[0] = '\0';
  if (got < 0)
    w->rc = SCHEDGPU_EINVAL; /* too long: it would be lost */
  return got > 0;
}

/** Sets a variable; NULL removes one that is there. */
static void put(struct work *w, const char *name, const char *value) {
  if ((value || get(w, name, w->more)) && w->set(w->context, name, value) != 0)
    w->rc = SCHEDGPU_EINVAL;
}

static bool has(const char *list, const char *entry, size_t length) {
  for (size_t there; *list; list += there + (list[there] == ',')) {
    there = strcspn(list, ",");
    if (there == length && memcmp(list, entry, length) == 0)
      return true;
  }
  return false;
}

static int append(const char *list, const char *drop, char *text, size_t size) {
  for (size_t length; *list; list += length + (list[length] == ',')) {
    size_t used = strlen(text);
    length = strcspn(list, ",");
    if (length == 0 || has(drop, list, length) || has(text, list, length))
      continue;
    if (used + length + 2 > size)
      return SCHEDGPU_EINVAL;
    snprintf(text + used, size - used, "%s%.*s", used ? "," : "", (int)length, list);
  }
  return SCHEDGPU_OK;
}

int sg_bind_list_merge(const char *old, const char *drop, const char *add, char *text,
                       size_t size) {
  text[0] = '\0';
  int rc = append(old, drop, text, size);
  return rc == SCHEDGPU_OK ? append(add, "", text, size) : rc;
}

/** Finds the files without links: a link may lead nowhere inside. */
static void find_libraries(struct work *w) {
  if (!realpath(w->env->library, w->library))
    snprintf(w->library, sizeof w->library, "%s", w->env->library);
  const char *slash = strrchr(w->library, '/');
  snprintf(w->launches, sizeof w->launches, "%.*s%s", slash ? (int)(slash - w->library) + 1 : 0,
           w->library, LAUNCHES);
}

/** Lists the folder of the libraries, or where it has other files, too, the libraries alone. */
static void list_binds(struct work *w) {
  static const char end[] = "/" SG_CONTAINER_FOLDER;
  const struct sg_job_env *env = w->env;
  const char *slash = strrchr(w->library, '/');
  size_t folder = slash ? (size_t)(slash - w->library) : 0, ends = sizeof end - 1;
  bool whole = folder >= ends && memcmp(slash - ends, end, ends) == 0;
  bool launches = env->share && !whole, module = env->lane && env->python[0];
  snprintf(w->binds, sizeof w->binds, "%.*s,%s%s%s%s%s", (int)(whole ? folder : PATH_MAX),
           w->library, env->run_dir, launches ? "," : "", launches ? w->launches : "",
           module ? "," : "", module ? env->python : "");
}

/** Reads what each runtime was given; one that was given nothing has what the other was given. */
static void get_users(struct work *w, const char *part) {
  char name[128];
  for (size_t r = 0; r < LENGTH(RUNTIMES); r++) {
    size_t other = (r + 1) % LENGTH(RUNTIMES);
    snprintf(name, sizeof name, "%s%s", RUNTIMES[r], part);
    if (!get(w, name, w->users[r])) {
      snprintf(name, sizeof name, "%s%s", RUNTIMES[other], part);
      get(w, name, w->users[r]);
    }
  }
}

static void set_binds(struct work *w) {
  get_users(w, "_BIND");
  for (size_t r = 0; r < LENGTH(RUNTIMES); r++) {
    char name[128];
    snprintf(name, sizeof name, "%s_BIND", RUNTIMES[r]);
    int rc = sg_bind_list_merge(w->users[r], w->old_binds, w->binds, w->merged, LIST_SIZE);
    if (rc == SCHEDGPU_OK)
      put(w, name, w->merged[0] ? w->merged : NULL);
    else
      w->rc = rc;
  }
}

/** Puts our libraries before the list `old`, in `merged`; without a library removes them. */
static int merge_libraries(struct work *w, const char *old) {
  bool hooks = w->env->share && w->library[0];
  int rc = sg_preload_merge(w->library, PRELOAD, old, w->more, LIST_SIZE);
  return rc == SCHEDGPU_OK
             ? sg_preload_merge(hooks ? w->launches : "", LAUNCHES, w->more, w->merged, LIST_SIZE)
             : rc;
}

/**
 * What variable `v` is inside, of which a runtime was given `users`: "" for no variable. In lists
 * the job's own value comes behind ours, as it would be inside without ours.
 */
static const char *inside(struct work *w, size_t v, const char *users) {
  const char *given = users[0] || !w->library[0] ? users : w->jobs;
  int rc = SCHEDGPU_OK;
  switch (VARIABLES[v].kind) {
  case OURS:
    return w->library[0] ? w->jobs : "";
  case USERS:
    return given;
  case LIBRARIES:
    rc = merge_libraries(w, given);
    break;
  case FOLDERS:
    if (!w->env->lane && !users[0])
      return "";
    rc = sg_python_path_merge(w->library[0] && w->env->lane ? w->env->python : "", given, w->merged,
                              LIST_SIZE);
    break;
  }
  w->rc = rc != SCHEDGPU_OK ? rc : w->rc;
  return w->merged;
}

static void set_variable(struct work *w, size_t v) {
  char name[128];
  snprintf(name, sizeof name, "ENV_%s", VARIABLES[v].name);
  get_users(w, name);
  get(w, VARIABLES[v].name, w->jobs);
  for (size_t r = 0; r < LENGTH(RUNTIMES); r++) {
    const char *value = inside(w, v, w->users[r]);
    snprintf(name, sizeof name, "%sENV_%s", RUNTIMES[r], VARIABLES[v].name);
    put(w, name, value[0] ? value : NULL);
  }
}

int sg_container_env_apply(const struct sg_job_env *env, sg_env_get get_variable, sg_env_set set,
                           void *context) {
  struct work *w = calloc(1, sizeof *w);
  if (!w)
    return SCHEDGPU_EINVAL;
  w->get = get_variable;
  w->set = set;
  w->context = context;
  w->env = env;
  bool enclosed = get(w, BINDS, w->old_binds);
  if (env->library[0]) {
    find_libraries(w);
    list_binds(w);
  }
  if (enclosed || env->library[0]) {
    set_binds(w);
    for (size_t v = 0; v < LENGTH(VARIABLES); v++)
      set_variable(w, v);
    put(w, BINDS, w->binds[0] ? w->binds : NULL);
  }
  int rc = w->rc;
  free(w);
  return rc;
}
