package org.schedgpu.agent.wait;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.Snapshots;
import org.schedgpu.agent.region.Shares;

/**
 * Of {@link Snapshots#busy}: 4711 (record 0) holds; 99 (2), a third one (3) and run:31 (4) wait.
 */
class StoppedHoldersTest {
  private static List<String> found(Set<Integer> stopped) {
    return StoppedHolders.of(Snapshots.busy(), new Shares(Snapshots.busy(), stopped)).stream()
        .map(StoppedHolders.Holder::text)
        .toList();
  }

  @Test
  void whoHoldsBeforeOthersIsNamed() {
    assertEquals(
        List.of("slurm:4711 is stopped and holds 9.3 GiB of device 0, for which 3 other jobs wait"),
        found(Set.of(0)));
  }

  /** Under fifo nobody passes it. */
  @Test
  void whoOnlyWaitsIsNamedToo() {
    assertEquals(
        List.of(
            "slurm:1234567890123 is stopped and is in the queue of device 0, for which 2 other jobs"
                + " wait"),
        found(Set.of(3)));
  }

  @Test
  void aRunningJobIsNot() {
    assertEquals(List.of(), found(Set.of()));
  }
}
