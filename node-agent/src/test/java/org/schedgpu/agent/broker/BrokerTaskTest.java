package org.schedgpu.agent.broker;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;

class BrokerTaskTest {
  @TempDir(factory = SharedMemoryDir.class)
  private Path inMemory;

  /** /sys stands for every other file system: the test's folders may all be on tmpfs. */
  @Test
  void aRunDirOutsideMemoryIsRefused() {
    assertDoesNotThrow(() -> BrokerTask.requireMemory(inMemory));
    AgentException told =
        assertThrows(AgentException.class, () -> BrokerTask.requireMemory(Path.of("/sys")));
    assertTrue(told.getMessage().startsWith("RunDir=/sys is on sysfs: with Mode=brokered"));
    assertThrows(AgentException.class, () -> BrokerTask.requireMemory(inMemory.resolve("none")));
  }

  @Test
  void noServerIsMadeOutsideMemory() {
    AgentException told =
        assertThrows(
            AgentException.class,
            () -> BrokerTask.serving(Path.of("/sys"), Conf.read(Optional.empty())));
    assertTrue(told.getMessage().startsWith("RunDir=/sys is on sysfs"), told.getMessage());
  }
}
