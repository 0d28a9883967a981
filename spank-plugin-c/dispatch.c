/*
 * dispatch.c - the entry points that Slurm calls. One table says which context has work in which
 * hook; every other combination, such as slurmd and the context of job scripts, returns at once.
 * There are no job_prolog and job_epilog hooks on purpose: with them Slurm would clear the options
 * that it passes to the prolog.
 */
#include "arguments.h"
#include "options.h"
#include "remote.h"
#include "submit.h"
#include <slurm/spank.h>

SPANK_PLUGIN(schedgpu, 1);

#define ERROR_SIZE 512
#define CONTEXTS (S_CTX_JOB_SCRIPT + 1)

enum hook { HOOK_INIT, HOOK_INIT_POST_OPT, HOOK_TASK_INIT, HOOK_TASK_EXIT, HOOKS };

typedef int handler(spank_t spank, int count, char **values);

static struct sg_arguments arguments;

static int on_init(spank_t spank, int count, char **values) {
  char error[ERROR_SIZE];
  if (sg_arguments_parse(&arguments, count, values, error, sizeof error) != SCHEDGPU_OK) {
    slurm_error("schedgpu: %s", error);
    return -1;
  }
  spank_err_t rc = sg_options_register(spank);
  if (rc == ESPANK_SUCCESS)
    return 0;
  slurm_error("schedgpu: the options cannot be registered: %s", spank_strerror(rc));
  return -1;
}

static int on_submit(spank_t spank, int count, char **values) {
  (void)count;
  (void)values;
  return sg_submit_init_post_opt(spank);
}

static int on_node(spank_t spank, int count, char **values) {
  (void)count;
  (void)values;
  return sg_remote_init_post_opt(spank, arguments.conf_path);
}

static int on_task(spank_t spank, int count, char **values) {
  (void)count;
  (void)values;
  return sg_remote_task_init(spank);
}

static int on_task_exit(spank_t spank, int count, char **values) {
  (void)count;
  (void)values;
  return sg_remote_task_exit(spank);
}

static handler *const table[CONTEXTS][HOOKS] = {
    [S_CTX_LOCAL] = {[HOOK_INIT] = on_init, [HOOK_INIT_POST_OPT] = on_submit},
    [S_CTX_ALLOCATOR] = {[HOOK_INIT] = on_init, [HOOK_INIT_POST_OPT] = on_submit},
    [S_CTX_REMOTE] = {[HOOK_INIT] = on_init,
                      [HOOK_INIT_POST_OPT] = on_node,
                      [HOOK_TASK_INIT] = on_task,
                      [HOOK_TASK_EXIT] = on_task_exit},
};

static int dispatch(enum hook hook, spank_t spank, int count, char **values) {
  spank_context_t context = spank_context();
  if (context >= CONTEXTS || !table[context][hook])
    return 0;
  return table[context][hook](spank, count, values);
}

int slurm_spank_init(spank_t spank, int count, char **values) {
  return dispatch(HOOK_INIT, spank, count, values);
}

int slurm_spank_init_post_opt(spank_t spank, int count, char **values) {
  return dispatch(HOOK_INIT_POST_OPT, spank, count, values);
}

int slurm_spank_task_init(spank_t spank, int count, char **values) {
  return dispatch(HOOK_TASK_INIT, spank, count, values);
}

int slurm_spank_task_exit(spank_t spank, int count, char **values) {
  return dispatch(HOOK_TASK_EXIT, spank, count, values);
}
