package org.schedgpu.minicluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The configuration of other releases; needs no Slurm. */
final class SlurmReleaseTest {
  private static final SlurmRelease DEBIAN_12 = new SlurmRelease(22, 5);
  private static final SlurmRelease DEBIAN_13 = new SlurmRelease(24, 11);

  @Test
  void whatTheProgramsSayIsRead() {
    assertEquals(DEBIAN_12, SlurmRelease.parse("slurm-wlm 22.05.8"));
    assertEquals(DEBIAN_13, SlurmRelease.parse("slurm 24.11.5"));
    assertThrows(MiniClusterException.class, () -> SlurmRelease.parse("bash: not found"));
  }

  @Test
  void releasesAreInOrder() {
    assertTrue(DEBIAN_13.isAtLeast(24, 11) && DEBIAN_13.isAtLeast(23, 12));
    assertFalse(DEBIAN_13.isAtLeast(25, 5) || DEBIAN_12.isAtLeast(22, 11));
  }

  @Test
  void slurmrestdLoadsAPluginThatItHas() {
    assertEquals(
        List.of("v0.0.38", "slurmctld"), List.of(DEBIAN_12.restPlugin(), DEBIAN_13.restPlugin()));
  }

  @Test
  void cgroupsAreMountedBySlurmOnlyWhereItStillKnowsHow() {
    assertEquals(
        "CgroupPlugin=cgroup/v1\nCgroupAutomount=yes\nConstrainDevices=yes\n",
        DEBIAN_12.cgroupConf(false));
    assertEquals("CgroupPlugin=cgroup/v1\nConstrainDevices=yes\n", DEBIAN_13.cgroupConf(false));
    assertEquals(
        "CgroupPlugin=cgroup/v2\nIgnoreSystemd=yes\nConstrainDevices=yes\n",
        DEBIAN_12.cgroupConf(true));
    assertEquals("CgroupPlugin=disabled\n", DEBIAN_13.noCgroupConf());
    assertEquals("CgroupPlugin=disabled\n", new SlurmRelease(24, 5).noCgroupConf());
    assertEquals(DEBIAN_12.noCgroupConf(), new SlurmRelease(23, 11).noCgroupConf());
  }
}
