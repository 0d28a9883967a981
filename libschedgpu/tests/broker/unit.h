/*
 * unit.h - the limits of the shipped service (etc/schedgpu-agent.service) for its agent:
 * capabilities, no new privileges, descriptors, system calls. The tests of this folder run the
 * agent within them.
 */
#ifndef SG_TEST_UNIT_H
#define SG_TEST_UNIT_H

#include <ctype.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/** The value of a key of the unit; ends the process without one. */
static inline void unit_value(const char *key, char *value, size_t size) {
  char line[1024];
  size_t n = strlen(key);
  FILE *unit = fopen(AGENT_UNIT, "re");
  while (unit && fgets(line, sizeof line, unit))
    if (strncmp(line, key, n) == 0 && line[n] == '=') {
      line[strcspn(line, "\n")] = 0;
      snprintf(value, size, "%s", line + n + 1);
      fclose(unit);
      return;
    }
  fprintf(stderr, "no %s in %s\n", key, AGENT_UNIT);
  _exit(70);
}

/** In the order of their numbers (linux/capability.h). */
static const char *const unit_capabilities[] = {"CHOWN",
                                                "DAC_OVERRIDE",
                                                "DAC_READ_SEARCH",
                                                "FOWNER",
                                                "FSETID",
                                                "KILL",
                                                "SETGID",
                                                "SETUID",
                                                "SETPCAP",
                                                "LINUX_IMMUTABLE",
                                                "NET_BIND_SERVICE",
                                                "NET_BROADCAST",
                                                "NET_ADMIN",
                                                "NET_RAW",
                                                "IPC_LOCK",
                                                "IPC_OWNER",
                                                "SYS_MODULE",
                                                "SYS_RAWIO",
                                                "SYS_CHROOT",
                                                "SYS_PTRACE",
                                                "SYS_PACCT",
                                                "SYS_ADMIN",
                                                "SYS_BOOT",
                                                "SYS_NICE",
                                                "SYS_RESOURCE",
                                                "SYS_TIME",
                                                "SYS_TTY_CONFIG",
                                                "MKNOD",
                                                "LEASE",
                                                "AUDIT_WRITE",
                                                "AUDIT_CONTROL",
                                                "SETFCAP",
                                                "MAC_OVERRIDE",
                                                "MAC_ADMIN",
                                                "SYSLOG",
                                                "WAKE_ALARM",
                                                "BLOCK_SUSPEND",
                                                "AUDIT_READ",
                                                "PERFMON",
                                                "BPF",
                                                "CHECKPOINT_RESTORE"};
#define UNIT_CAPABILITIES (sizeof unit_capabilities / sizeof *unit_capabilities)

static inline uint64_t unit_capability(const char *name) {
  for (size_t i = 0; i < UNIT_CAPABILITIES; i++)
    if (strncmp(name, "CAP_", 4) == 0 && strcmp(name + 4, unit_capabilities[i]) == 0)
      return UINT64_C(1) << i;
  fprintf(stderr, "%s: %s is no capability\n", AGENT_UNIT, name);
  _exit(70);
}

/** Keeps the capabilities of the unit except `without`, as far as this process has them. */
static inline void unit_keep_capabilities(const char *without) {
  char names[1024], *rest = names, *name;
  uint64_t keep = 0;
  unit_value("CapabilityBoundingSet", names, sizeof names);
  while ((name = strtok_r(rest, " ", &rest)))
    if (!without || strcmp(name, without) != 0)
      keep |= unit_capability(name);
  uint64_t restore = unit_capability("CAP_CHECKPOINT_RESTORE");
  if ((keep & restore) &&
      prctl(PR_CAPBSET_READ, __builtin_ctzll(restore), 0, 0, 0) != 1) /* before Linux 5.9 */
    keep |= unit_capability("CAP_SYS_ADMIN");
  for (unsigned i = 0; i < UNIT_CAPABILITIES; i++)
    if (!(keep & UINT64_C(1) << i))
      /* EINVAL if the kernel has no capability of that number */
      prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
  struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct has[2];
  if (syscall(SYS_capget, &head, has) != 0)
    _exit(71);
  for (int i = 0; i < 2; i++) {
    has[i].permitted &= (uint32_t)(keep >> 32 * i);
    has[i].effective = has[i].permitted;
    has[i].inheritable = 0;
  }
  if (syscall(SYS_capset, &head, has) != 0)
    _exit(71);
}

/** Systemd gives the agent this many, and Java uses all of them; 0: as in the unit. */
static inline void unit_limit_descriptors(rlim_t count) {
  char text[64];
  struct rlimit limit;
  unit_value("LimitNOFILE", text, sizeof text);
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
    _exit(72);
  limit.rlim_cur = count ? count : strtoul(text, NULL, 10);
  if (limit.rlim_cur > limit.rlim_max)
    limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
    _exit(72);
}

/** Calls that @system-service excludes (`systemd-analyze syscall-filter`) or the unit restricts, as
 * far as a library like this one could use them. Sanitizers need ptrace. */
static const int unit_refused[] = {
#ifndef __SANITIZE_ADDRESS__
    SYS_ptrace,
#endif
    SYS_bpf,           SYS_perf_event_open,
    SYS_mount,         SYS_umount2,
    SYS_pivot_root,    SYS_chroot,
    SYS_init_module,   SYS_finit_module,
    SYS_delete_module, SYS_kexec_load,
    SYS_reboot,        SYS_swapon,
    SYS_swapoff,       SYS_settimeofday,
    SYS_clock_settime, SYS_adjtimex,
    SYS_quotactl,      SYS_acct,
    SYS_syslog,        SYS_fanotify_init,
    SYS_vhangup,       SYS_open_by_handle_at,
    SYS_unshare,       SYS_setns, /* RestrictNamespaces= */
#ifdef SYS_pidfd_getfd
    SYS_pidfd_getfd,
#endif
#ifdef SYS_open_tree
    SYS_open_tree,     SYS_move_mount,
    SYS_fsopen,        SYS_fsmount,
#endif
};

/** ENOSYS, as in the unit. */
static inline void unit_refuse_calls(void) {
  enum { CALLS = sizeof unit_refused / sizeof *unit_refused };
  struct sock_filter code[CALLS + 3];
  code[0] =
      (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned i = 0; i < CALLS; i++)
    code[i + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)unit_refused[i],
                                               (uint8_t)(CALLS - i), 0);
  code[CALLS + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  code[CALLS + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38);
  struct sock_fprog program = {CALLS + 3, code};
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    _exit(73);
}

/** From here on this process is confined like the service. */
static inline void unit_confine(const char *without, rlim_t descriptors) {
  unit_limit_descriptors(descriptors);
  unit_keep_capabilities(without);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    _exit(74);
  unit_refuse_calls();
}

#endif
