package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.schedgpu.gres.plan.ShardRule;

/**
 * The same forty jobs on a real cluster of three nodes with one emulated GPU each: placed by 12
 * virtual GPUs, and by shards that give the memory out once, and one and a half times. Prints where
 * the jobs waited, and keeps that in target/placement.txt; times are shown and never judged.
 */
final class PlacementComparisonTest {
  private static final long UNIT_BYTES = 100L << 20;
  private static final int SHARES = 12;

  private static Optional<ShardRule> shards(String overbook) {
    return Optional.of(new ShardRule(UNIT_BYTES, new BigDecimal(overbook)));
  }

  @Test
  void shardsMoveTheWaitToTheQueueOfSlurm() throws IOException {
    List<String> missing = SchedGpuCluster.missing(ClusterSetup.oneDevice());
    assumeTrue(missing.isEmpty(), () -> String.join("; ", missing));
    PlacementRun.Result byCount = PlacementRun.of(SHARES, Optional.empty());
    PlacementRun.Result once = PlacementRun.of(SHARES, shards("1.0"));
    PlacementRun.Result more = PlacementRun.of(SHARES, shards("1.5"));
    String table =
        row("12 virtual GPUs", byCount)
            + row("shards, overbooking 1.0", once)
            + row("shards, overbooking 1.5", more);
    System.out.print(table);
    Files.writeString(Path.of("target", "placement.txt"), table);
    for (PlacementRun.Result result : List.of(byCount, once, more)) {
      assertEquals(PlacementRun.JOBS, result.ended(), table);
    }
    assertTrue(byCount.waitedOnNode() > 0, table);
    assertEquals(0, once.waitedOnNode(), table);
  }

  private static String row(String name, PlacementRun.Result result) {
    return String.format(
        Locale.ROOT,
        "%-24s in Slurm's queue %5.1f s, on the node %5.1f s (%d jobs), CPUs held %6.1f s, all done"
            + " %5.1f s%n",
        name,
        result.queueSeconds(),
        result.nodeSeconds(),
        result.waitedOnNode(),
        result.heldCpuSeconds(),
        result.allSeconds());
  }
}
