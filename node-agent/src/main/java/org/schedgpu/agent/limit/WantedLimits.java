package org.schedgpu.agent.limit;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.schedgpu.agent.process.Sluids;
import org.schedgpu.agent.slurm.SlurmCgroups;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Job;

/**
 * The limits that the driver should enforce for jobs. Computing them costs no more than needed:
 * control groups are searched only if a job may have one, and a job is looked up (which takes the
 * lock of the region) only if it has one.
 *
 * @param bytes by job, group and device
 * @param pending whether a job has no group yet: it gets it some time after its record
 */
record WantedLimits(Map<Key, Long> bytes, boolean pending) {
  /** A new job with the same id, or a new control group, gets a new limit. */
  record Key(String job, long begunNs, Path cgroup, int device) {}

  /**
   * @param scopes as {@link SlurmCgroups#scopes}
   * @param sluids those of Slurm 26.05 and newer
   * @param find the job as the root side decided it
   */
  static WantedLimits of(
      RegionSnapshot snapshot,
      Supplier<List<Path>> scopes,
      Sluids sluids,
      Function<Job, Optional<JobSpec>> find) {
    Map<Key, Long> bytes = new HashMap<>();
    List<Job> jobs = snapshot.jobs().stream().filter(WantedLimits::hasBudget).toList();
    List<Path> now = jobs.isEmpty() ? List.of() : scopes.get();
    boolean pending = false;
    for (Job job : jobs) {
      Optional<Path> group = SlurmCgroups.ofJob(now, job.id(), sluids);
      pending |= group.isEmpty();
      group.ifPresent(
          path ->
              find.apply(job)
                  .map(spec -> DriverLimits.of(snapshot, job, spec))
                  .orElse(new TreeMap<>())
                  .forEach(
                      (device, limit) ->
                          bytes.put(new Key(job.reference(), job.begunNs(), path, device), limit)));
    }
    return new WantedLimits(bytes, pending);
  }

  private static boolean hasBudget(Job job) {
    return job.kind() == JobKind.SLURM
        && job.budgetBytes().values().stream().anyMatch(bytes -> bytes > 0);
  }
}
