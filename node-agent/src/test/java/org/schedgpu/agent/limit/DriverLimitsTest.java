package org.schedgpu.agent.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.agent.Snapshots.GIB;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.overrun.Overruns;
import org.schedgpu.jna.JobKind;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Mode;
import org.schedgpu.jna.RegionSnapshot;
import org.schedgpu.jna.RegionSnapshot.Client;
import org.schedgpu.jna.RegionSnapshot.Device;
import org.schedgpu.jna.RegionSnapshot.Job;

class DriverLimitsTest {
  private static final long CONTEXT = 256L << 20;

  private static Map<Integer, Long> limits(
      JobKind kind, Map<Integer, Long> budgets, boolean overflowWaits, int processes) {
    Job job = Snapshots.job(0, kind, 7, 1000, Mode.PEAK, 50, budgets, Map.of());
    List<Client> clients = new ArrayList<>();
    for (int i = 0; i < processes; i++) {
      clients.add(Snapshots.client(i, 0, 100 + i, Map.of(0, CONTEXT), 0, 0));
    }
    RegionSnapshot snapshot =
        Snapshots.snapshot(
            List.of(
                new Device(0, "GPU-0", "Emulated GPU", 16 * GIB, 0, CONTEXT, 0, 0),
                new Device(1, "GPU-1", "Emulated GPU", 16 * GIB, 0, CONTEXT, 0, 0)),
            List.of(job),
            clients,
            List.of(),
            List.of());
    JobSpec spec =
        new JobSpec(
            kind,
            7,
            1000,
            50,
            Mode.PEAK,
            1,
            false,
            JobSpec.FOREVER,
            new TreeMap<>(budgets),
            "train",
            overflowWaits);
    return DriverLimits.of(snapshot, job, spec);
  }

  private static long limit(long budget, int contexts) {
    long held = budget + contexts * CONTEXT;
    return held + contexts * CONTEXT + Overruns.tolerated(held);
  }

  @Test
  void aJobMayHaveItsBudgetTwiceItsContextsAndWhatIsTolerated() {
    assertEquals(Map.of(0, limit(6 * GIB, 1)), limits(JobKind.SLURM, Map.of(0, 6 * GIB), false, 0));
  }

  @Test
  void moreProcessesThanDeclaredHaveTheirContexts() {
    assertEquals(Map.of(0, limit(6 * GIB, 3)), limits(JobKind.SLURM, Map.of(0, 6 * GIB), false, 3));
  }

  @Test
  void nobodyMayHaveMoreThanTheDevice() {
    assertEquals(Map.of(0, 16 * GIB), limits(JobKind.SLURM, Map.of(0, 16 * GIB), false, 0));
  }

  @Test
  void whoMayHaveMoreThanABudgetIsNotLimited() {
    assertEquals(Map.of(), limits(JobKind.SLURM, Map.of(0, 6 * GIB), true, 0));
    assertEquals(Map.of(), limits(JobKind.SLURM, Map.of(0, 0L), false, 0));
  }

  /** Its processes are in a control group with others. */
  @Test
  void jobsWithoutSlurmAreNotLimited() {
    assertEquals(Map.of(), limits(JobKind.RUN, Map.of(0, 6 * GIB), false, 0));
  }
}
