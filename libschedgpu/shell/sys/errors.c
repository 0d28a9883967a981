/* errors.c - the list of errors: name, what is wrong, what to do. */
#include "schedgpu/schedgpu.h"

static const struct {
  const char *name;
  const char *text;
} errors[] = {
    {"OK", "no error"},
    {"EINVAL", "an argument is out of its range: see schedgpu.h"},
    {"ENOREGION", "there is no region on this node: run `schedgpu setup` as root, or start the job "
                  "through Slurm with the schedgpu prolog"},
    {"EVERSION", "the region was made by another version of schedgpu: drain the node; when no "
                 "process uses it any more, the agent or `schedgpu setup` replaces it"},
    {"ECORRUPT", "the region fails its checks: run `schedgpu doctor` on this node"},
    {"EPERM", "this user may not use the region: ask the administrator (RegionGroup)"},
    {"ENOJOB", "the job is not registered on this node, or has ended: was the prolog run?"},
    {"EDEVICE", "the job has no such device: check --gres and CUDA_VISIBLE_DEVICES"},
    {"ETOOBIG", "more memory than the device can ever give: ask for less"},
    {"EBUDGET", "more memory than is left of the job's budget: ask for more with --schedgpu-mem; "
                "for a job that "
                "shares its lane with --schedgpu-persistent"},
    {"EWOULDBLOCK", "does not fit now, and the call may not wait: try again later"},
    {"ETIMEDOUT", "did not fit in time: wait longer with --schedgpu-wait"},
    {"EFULL", "a table of the region is full, or this user's share of it: wait until one of your "
              "jobs ends"},
    {"ELOCK",
     "the region's lock was not released in time: if its holder is stopped (state T), continue "
     "or kill it, else too much runs on this node"},
    {"ESYSTEM", "a system call failed: see errno"},
    {"EUNDERFLOW", "more was released than was reserved: nothing was changed"},
    {"EUSER", "the job belongs to another user"},
    {"EDEADLOCK", "the wait could never end, because all processes with memory wait too: declare a "
                  "budget with --schedgpu-mem"},
    {"EOWNER", "the region belongs to a user who is neither root nor you, so it is not trusted: "
               "check the owner of the run directory (RunDir)"},
    {"EINUSE", "live processes use the region: end their jobs first, or add --force"},
    {"EKERNEL", "kernel.shm_rmid_forced is 1, so the kernel removes the region whenever no process "
                "uses it: run `sysctl -w kernel.shm_rmid_forced=0`"},
    {"EAGENT", "the agent of this node does not answer, and it alone may write the region: is its "
               "service running?"},
    {"EBUSY", "another thread of the process waits: internal, no call of schedgpu.h returns it"},
    {"EKEPT", "the process uses more than its persistent memory, so it kept the turn of its lane: "
              "release memory at the end of an iteration, or declare more with "
              "--schedgpu-persistent"},
    {"ETURN", "needs the turn of its lane first: begin an iteration"},
};
#define ERRORS ((int)(sizeof errors / sizeof *errors))

const char *schedgpu_strerror(int error) {
  return error <= 0 && -error < ERRORS ? errors[-error].text : "unknown error";
}

const char *schedgpu_error_name(int error) {
  return error <= 0 && -error < ERRORS ? errors[-error].name : "EUNKNOWN";
}
