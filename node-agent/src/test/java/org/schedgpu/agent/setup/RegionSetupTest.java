package org.schedgpu.agent.setup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.problem.AgentException;

class RegionSetupTest {
  @Test
  void theLargestNumberIsAGroup() {
    assertEquals(Integer.MAX_VALUE, RegionSetup.groupId("gpu", OptionalInt.of(Integer.MAX_VALUE)));
  }

  @Test
  void aLargerNumberIsRefusedAndNeverEverybody() {
    AgentException told =
        assertThrows(
            AgentException.class, () -> RegionSetup.groupId("gpu", OptionalInt.of(0x80000000)));
    assertEquals(
        "RegionGroup=gpu: its number 2147483648 is above 2147483647: take another group",
        told.getMessage());
  }

  @Test
  void aGroupThatIsNotThereIsReported() {
    assertThrows(AgentException.class, () -> RegionSetup.groupId("gpu", OptionalInt.empty()));
  }
}
