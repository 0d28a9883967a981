package org.schedgpu.agent.process;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * Finds the Slurm jobs that have something alive on this node: a client of the region, a process in
 * the job's cgroup, a process with its SCHEDGPU_JOB, or its slurmstepd. For programs that cannot be
 * preloaded nothing else is known.
 *
 * <p>A user chooses the environment, name and title of a process, and may make cgroups below
 * delegated ones. So only processes of the job's own user count, and root's in its cgroup or as
 * slurmstepd. No user can keep another user's job alive.
 */
public final class JobEvidence {
  private static final int ROOT = 0;

  /** slurmstepd names itself so: {@code slurmstepd: [4711.batch]}. */
  private static final Pattern STEP_DAEMON = Pattern.compile("slurmstepd: \\[(\\d{1,18})\\b.*");

  private final HostProcesses processes;

  /** Reads the processes again at each call. */
  public JobEvidence(HostProcesses processes) {
    this.processes = processes;
  }

  /** True if everything is visible, so that a missing process does not exist. */
  public boolean isComplete() {
    return processes.seesAll();
  }

  /** References of the jobs with something alive. */
  public Set<String> living(RegionSnapshot snapshot) {
    Set<String> living = new HashSet<>();
    for (Client client : snapshot.clients()) {
      client.job().flatMap(snapshot::job).map(Job::reference).ifPresent(living::add);
    }
    snapshot
        .waiters()
        .forEach(w -> snapshot.job(w.job()).map(Job::reference).ifPresent(living::add));
    Map<String, Integer> users = new HashMap<>();
    snapshot.jobs().forEach(job -> users.put(job.reference(), job.uid()));
    for (int pid : processes.all()) {
      processes.find(pid).ifPresent(process -> add(process, users, living));
    }
    return living;
  }

  private void add(HostProcess process, Map<String, Integer> users, Set<String> living) {
    Integer uid = process.uid();
    ofCgroupOrTitle(process)
        .filter(job -> uid == ROOT || uid.equals(users.get(job)))
        .ifPresent(living::add);
    if (uid.equals(users.get(process.job()))) {
      living.add(process.job());
    }
  }

  private Optional<String> ofCgroupOrTitle(HostProcess process) {
    OptionalLong job = JobFinder.slurmJob(process.cgroups());
    if (job.isPresent()) {
      return Optional.of("slurm:" + job.getAsLong());
    }
    if (!process.name().startsWith("slurmstepd")) {
      return Optional.empty();
    }
    Matcher title = STEP_DAEMON.matcher(processes.title(process));
    return title.matches() ? Optional.of("slurm:" + title.group(1)) : Optional.empty();
  }
}
