package org.schedgpu.gres.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@code scontrol -o show nodes} of 22.05 tells of starts. */
class ScontrolStartTimesTest {
  @Test
  void nodeThatDidNotRegisterHasNone() {
    assertEquals(
        Map.of("n1", "2026-11-22T02:41:48"),
        ScontrolStartTimes.slurmds(
            "NodeName=n1 State=IDLE BootTime=2026-11-22T02:21:11"
                + " SlurmdStartTime=2026-11-22T02:41:48 CfgTRES=cpu=6 Reason=see SlurmdStartTime=x\n"
                + "NodeName=n2 State=UNKNOWN BootTime=None SlurmdStartTime=None CfgTRES=cpu=6\n"));
  }
}
