package org.schedgpu.agent.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.schedgpu.agent.Snapshots.GIB;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.process.Sluids;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

/** A folder stands in for Slurm's scope of control groups. */
class WantedLimitsTest {
  @TempDir Path scope;

  private final List<Job> jobs = new ArrayList<>();
  private final List<Long> lookedUp = new ArrayList<>();
  private int scopesRead;

  @BeforeEach
  void jobSevenHasAGroup() throws IOException {
    Files.createDirectory(scope.resolve("job_7"));
  }

  private void job(JobKind kind, long id, long budget) {
    jobs.add(
        Snapshots.job(jobs.size(), kind, id, 1000, Mode.PEAK, 50, Map.of(0, budget), Map.of()));
  }

  private List<Path> scopes() {
    scopesRead++;
    return List.of(scope);
  }

  private Optional<JobSpec> find(Job job) {
    lookedUp.add(job.id());
    return Optional.of(
        new JobSpec(
            job.kind(),
            job.id(),
            1000,
            50,
            Mode.PEAK,
            1,
            false,
            JobSpec.FOREVER,
            new TreeMap<>(job.budgetBytes()),
            "train",
            false));
  }

  private WantedLimits wanted() {
    RegionSnapshot snapshot =
        Snapshots.snapshot(
            List.of(new Device(0, "GPU-0", "Emulated GPU", 16 * GIB, 0, GIB / 4, 0, 0)),
            jobs,
            List.of(),
            List.of(),
            List.of());
    return WantedLimits.of(snapshot, this::scopes, Sluids.NONE, this::find);
  }

  @Test
  void aJobIsLookedUpOnlyIfItHasAGroup() {
    job(JobKind.SLURM, 7, GIB);
    job(JobKind.SLURM, 8, GIB);
    WantedLimits wanted = wanted();
    assertEquals(List.of(7L), lookedUp);
    assertEquals(
        Set.of("slurm:7 " + scope.resolve("job_7") + " 0"),
        wanted.bytes().keySet().stream()
            .map(key -> key.job() + " " + key.cgroup() + " " + key.device())
            .collect(Collectors.toSet()));
    assertTrue(wanted.pending(), "job 8 has none yet");
  }

  @Test
  void groupsAreLookedForOnceHoweverManyJobs() {
    for (long id = 7; id < 20; id++) {
      job(JobKind.SLURM, id, GIB);
    }
    wanted();
    assertEquals(1, scopesRead);
  }

  @Test
  void noGroupIsLookedForWhereNoJobCanHaveALimit() {
    job(JobKind.RUN, 7, GIB);
    job(JobKind.SLURM, 7, 0);
    WantedLimits wanted = wanted();
    assertEquals(0, scopesRead);
    assertEquals(List.of(), lookedUp);
    assertFalse(wanted.pending());
  }

  @Test
  void nothingIsPendingWhenEveryJobHasItsGroup() {
    job(JobKind.SLURM, 7, GIB);
    WantedLimits wanted = wanted();
    assertFalse(wanted.pending());
    assertEquals(1, wanted.bytes().size());
  }
}
