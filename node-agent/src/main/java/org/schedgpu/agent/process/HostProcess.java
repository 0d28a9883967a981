package org.schedgpu.agent.process;

import java.util.List;

/**
 * A process as /proc shows it.
 *
 * @param pid as our PID namespace numbers it
 * @param name of its program, as in {@code ps -o comm}
 * @param uid real user
 * @param parent pid of its parent
 * @param innerPid as its own PID namespace numbers it
 * @param pidNamespace inode of that; 0 = this user may not know
 * @param cgroups lines of /proc/PID/cgroup
 * @param job SCHEDGPU_JOB of its environment; "" = none, or this user may not know
 */
public record HostProcess(
    int pid,
    String name,
    int uid,
    int parent,
    int innerPid,
    long pidNamespace,
    List<String> cgroups,
    String job) {}
