package org.schedgpu.agent.overrun;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.overrun.Overruns.Seen;
import org.schedgpu.agent.problem.Finding;
import org.schedgpu.jna.RegionSnapshot;

class OverrunFindingsTest {
  private static final RegionSnapshot CHARGED = Snapshots.charged();

  private static List<Finding> of(GpuUse use) {
    return OverrunFindings.of(use, pid -> Path.of("/no/such/process/" + pid));
  }

  @Test
  void eachProgramThatNeverAskedIsNamedWithWhatToDo() {
    Finding first = of(Snapshots.use(CHARGED)).get(0);
    assertEquals("overrun", first.what());
    assertFalse(first.ok());
    assertEquals(
        "slurm:4711 uses 5.8 GiB of device 0 that it did not reserve; 4712 train-static:"
            + " why cannot be seen by this user",
        first.text());
    assertEquals("try as root", first.todo());
  }

  @Test
  void aProgramWithinWhatItsJobHoldsIsNamedToo() {
    GpuUser silent = Snapshots.user(9, "train", Snapshots.GIB, Snapshots.job(CHARGED, 4711), false);
    Seen seen = new Seen(java.util.Optional.of(List.of(silent)), java.util.OptionalLong.empty());
    Finding first = of(Overruns.of(CHARGED, CHARGED, Map.of(0, seen))).get(0);
    assertEquals("unscheduled", first.what());
    assertEquals(
        "9 train of slurm:4711 uses 1.0 GiB of device 0 and is not attached to the region:"
            + " why cannot be seen by this user",
        first.text());
  }

  @Test
  void programsOfNoJobAndMemoryOfNobodyAreNamed() {
    List<String> foreign =
        of(Snapshots.use(CHARGED)).stream()
            .filter(finding -> finding.what().equals("foreign"))
            .map(Finding::text)
            .toList();
    assertEquals(
        List.of(
            "1.1 GiB of device 0 are in use by programs of no job: 900 python, 812 Xorg",
            "896 MiB of device 0 are in use by no process that NVML names"),
        foreign);
  }

  @Test
  void whereAllIsReservedThatIsSaid() {
    assertEquals(
        List.of(
            Finding.ok(
                "overrun", "there is no unreserved memory, and no program runs unscheduled")),
        of(Overruns.of(CHARGED, CHARGED, Map.of(0, seesNobody(), 1, seesNobody()))));
  }

  private static Seen seesNobody() {
    return new Seen(java.util.Optional.of(List.of()), java.util.OptionalLong.empty());
  }

  @Test
  void whereNvmlDoesNotTellThatIsSaidAndNotThatAllIsWell() {
    List<Finding> unknown = of(Overruns.of(CHARGED, CHARGED, Map.of()));
    assertEquals(
        "device 0: unknown, NVML or /proc hides what each process uses", unknown.get(0).text());
    assertTrue(of(GpuUse.UNKNOWN).get(0).text().startsWith("unknown "));
  }
}
