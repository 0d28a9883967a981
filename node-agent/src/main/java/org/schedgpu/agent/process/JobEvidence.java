package org.schedgpu.agent.process;

import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * Which Slurm jobs have something alive on this node: a client of the region, a process in the
 * job's cgroup, a process with its SCHEDGPU_JOB, or a slurmstepd of it. Nothing else is known of
 * programs that cannot be preloaded.
 */
public final class JobEvidence {
  /** As slurmstepd names itself: {@code slurmstepd: [4711.batch]}. */
  private static final Pattern STEP_DAEMON = Pattern.compile("slurmstepd: \\[(\\d{1,18})\\b.*");

  private final HostProcesses processes;

  /** Looks anew at each call. */
  public JobEvidence(HostProcesses processes) {
    this.processes = processes;
  }

  /** Whether what is not seen is not there. */
  public boolean isComplete() {
    return processes.seesAll();
  }

  /** References of the jobs of which something lives. */
  public Set<String> living(RegionSnapshot snapshot) {
    Set<String> living = new HashSet<>();
    for (Client client : snapshot.clients()) {
      client.job().flatMap(snapshot::job).map(Job::reference).ifPresent(living::add);
    }
    snapshot
        .waiters()
        .forEach(w -> snapshot.job(w.job()).map(Job::reference).ifPresent(living::add));
    for (int pid : processes.all()) {
      processes.find(pid).ifPresent(process -> add(process, living));
    }
    return living;
  }

  private void add(HostProcess process, Set<String> living) {
    JobFinder.slurmJob(process.cgroups()).ifPresent(id -> living.add("slurm:" + id));
    if (!process.job().isEmpty()) {
      living.add(process.job());
    }
    if (process.name().startsWith("slurmstepd")) {
      Matcher title = STEP_DAEMON.matcher(processes.title(process.pid()));
      if (title.matches()) {
        living.add("slurm:" + title.group(1));
      }
    }
  }
}
