package org.schedgpu.agent.process;

import java.util.List;

/**
 * A process as /proc shows it.
 *
 * @param pid in our PID namespace
 * @param name of its program, as in {@code ps -o comm}
 * @param uid real user
 * @param parent pid of its parent
 * @param innerPid in its own PID namespace
 * @param pidNamespace inode of that namespace; 0 = not visible to this user
 * @param cgroups lines of /proc/PID/cgroup
 * @param job SCHEDGPU_JOB of its environment; "" = none, or not visible to this user
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
