package org.schedgpu.agent.process;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * Which job a process belongs to, though it may never have asked for memory. The first that
 * applies:
 *
 * <ol>
 *   <li>it is a client of the region: that job's reservations are its own;
 *   <li>it descends from the {@code schedgpu run} of a job;
 *   <li>its cgroup is that of a Slurm job: that one or, if the region does not know it, none;
 *   <li>its environment has SCHEDGPU_JOB.
 * </ol>
 *
 * Everything but a cgroup can be forged, and a stale SCHEDGPU_JOB be inherited. So a job is only
 * taken if it is of the same user: nobody can charge another's job.
 */
public final class JobFinder {
  private static final int MAX_ANCESTORS = 64;
  private static final int INIT = 1;
  private static final int ROOT = 0;

  /**
   * Versions 1 and 2: /slurm_node/uid_N/job_N/..., /system.slice/slurmstepd.scope/job_N/...; from
   * Slurm 26.05 on a SLUID instead of job_N, which {@link Sluids} could not tell the number of.
   */
  private static final Pattern SLURM_JOB =
      Pattern.compile(
          "/(?:slurm[^/]*|[^/]*slurmstepd\\.scope)/(?:uid_\\d+/)?job_(\\d{1,18})"
              + "(?:/step_([0-9a-z_]{1,20}))?(?:/|$)"
              + "|/[^/]*slurmstepd\\.scope/(?!system(?:/|$))[0-9A-Za-z]{1,31}(?:/|$)");

  private final Map<String, Job> jobs = new HashMap<>();
  private final Map<Integer, Job> byRecord = new HashMap<>();
  private final Map<Place, Client> clients = new HashMap<>();
  private final IntFunction<Optional<HostProcess>> processes;
  private final long ownNamespace;

  /** Where processes are looked up by number. */
  private record Place(int pid, long pidNamespace) {}

  /**
   * @param processes by pid
   * @param ownNamespace the PID namespace of those pids: {@link HostProcesses#ownPidNamespace}
   */
  public JobFinder(
      RegionSnapshot snapshot, IntFunction<Optional<HostProcess>> processes, long ownNamespace) {
    this.processes = processes;
    this.ownNamespace = ownNamespace;
    snapshot
        .jobs()
        .forEach(
            job -> {
              jobs.putIfAbsent(job.reference(), job);
              byRecord.putIfAbsent(job.record(), job);
            });
    snapshot.clients().stream()
        .filter(client -> client.job().isPresent())
        .forEach(
            client -> clients.putIfAbsent(new Place(client.pid(), client.pidNamespace()), client));
  }

  /** Empty: it belongs to no job of the region. */
  public Optional<Job> jobOf(HostProcess process) {
    return ofClient(process)
        .filter(job -> isOfItsUser(process, job))
        .or(() -> ofRun(process).filter(job -> isOfItsUser(process, job)))
        .or(() -> ofCgroupOrEnvironment(process));
  }

  /**
   * True if it asks for memory, as every process that the preload library sees does, those of root
   * in a job of somebody else too; also if that cannot be known, because its PID namespace is
   * hidden.
   */
  public boolean mayBeClient(HostProcess process) {
    return process.pidNamespace() == 0
        || ofClient(process)
            .filter(job -> isOfItsUser(process, job) || process.uid() == ROOT)
            .isPresent();
  }

  /**
   * The step of its job, such as {@code 0} or {@code batch}; empty unless it is a process of the
   * job's user in the control group of that step.
   */
  public static Optional<String> stepOf(HostProcess process, Job job) {
    return process.cgroups().stream()
        .map(SLURM_JOB::matcher)
        .filter(Matcher::find)
        .findFirst()
        .filter(group -> job.kind() == JobKind.SLURM && isOfItsUser(process, job))
        .filter(group -> Long.toString(job.id()).equals(group.group(1)))
        .map(group -> group.group(2));
  }

  private static boolean isOfItsUser(HostProcess process, Job job) {
    return job.uid() == process.uid();
  }

  /**
   * The record of a process in the region. The process wrote the number that it has in its own PID
   * namespace; with Mode=brokered the agent wrote the one that it has in the agent's.
   */
  public Optional<Client> clientOf(HostProcess process) {
    return Optional.ofNullable(clients.get(new Place(process.innerPid(), process.pidNamespace())))
        .or(() -> Optional.ofNullable(clients.get(new Place(process.pid(), ownNamespace))));
  }

  private Optional<Job> ofClient(HostProcess process) {
    return clientOf(process).flatMap(Client::job).map(byRecord::get);
  }

  private Optional<Job> ofRun(HostProcess process) {
    HostProcess child = process;
    for (int i = 0; i < MAX_ANCESTORS && child.parent() > INIT; i++) {
      Optional<HostProcess> parent = processes.apply(child.parent());
      if (parent.isEmpty()) {
        return Optional.empty();
      }
      child = parent.get();
      Optional<Job> job = job(JobKind.RUN, child.innerPid());
      if (job.isPresent()) {
        return job;
      }
    }
    return Optional.empty();
  }

  private Optional<Job> ofCgroupOrEnvironment(HostProcess process) {
    OptionalLong slurmJob = slurmJob(process.cgroups());
    if (slurmJob.isPresent()) {
      return job(JobKind.SLURM, slurmJob.getAsLong())
          .filter(job -> isOfItsUser(process, job) || process.uid() == ROOT);
    }
    return Optional.ofNullable(jobs.get(process.job())).filter(job -> isOfItsUser(process, job));
  }

  /**
   * The number of the Slurm job of a cgroup; empty: no job; 0: a job with an unknown number.
   *
   * @param cgroups lines of /proc/PID/cgroup
   */
  public static OptionalLong slurmJob(List<String> cgroups) {
    return cgroups.stream()
        .map(SLURM_JOB::matcher)
        .filter(Matcher::find)
        .mapToLong(matcher -> matcher.group(1) == null ? 0 : Long.parseLong(matcher.group(1)))
        .findFirst();
  }

  private Optional<Job> job(JobKind kind, long id) {
    return Optional.ofNullable(jobs.get(kind.text() + ":" + id));
  }
}
