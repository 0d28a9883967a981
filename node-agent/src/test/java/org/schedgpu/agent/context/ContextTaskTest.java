package org.schedgpu.agent.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;

/** The agent with an emulated NVML, and with context sizes that an earlier agent learned. */
class ContextTaskTest {
  private static final Path EMULATOR =
      Path.of("../lab/gpu-emulator/target/native").toAbsolutePath().normalize();
  private static final long MIB = 1L << 20;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;
  private Path log;
  private Path faults;
  private Process agent;

  @BeforeEach
  void node() throws IOException {
    RealLibrary.require();
    node = new TestNode(folder);
    log = folder.resolve("log");
    faults = Files.createFile(folder.resolve("faults"));
    Files.delete(folder.resolve("devices.conf")); // the device is NVML's, with 512 MiB a context
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (node != null) {
      node.close();
    }
  }

  /** Two errors, reported one after the other: by then every task has run since the start. */
  private void start(long learnedMib, String conf) throws Exception {
    Files.writeString(
        folder.resolve("contexts"),
        "ContextBytes=%d Driver=580.00.00 Name=\"Emulated GPU 0\"\n".formatted(learnedMib * MIB));
    node.configure("CheckEvery=1s\n" + conf);
    agent =
        node.startAgent(
            log,
            Map.of(
                "LD_LIBRARY_PATH", EMULATOR.toString(),
                "EMULATED_GPU_STATE", folder.resolve("gpu").toString(),
                "EMULATED_GPU_FAULTS", faults.toString(),
                "EMULATED_GPU_COUNT", "1"));
    for (int errors = 1; errors <= 2; errors++) {
      Files.writeString(faults, "ecc 0 " + errors + "\n", StandardOpenOption.APPEND);
      TestNode.await(log, "has " + errors + " memory errors", 1, agent);
    }
  }

  private long contextMib() {
    return node.snapshot().devices().get(0).contextBytes() / MIB;
  }

  @Test
  void whatWasLearnedIsUsed() throws Exception {
    start(300, "");
    assertEquals(300, contextMib());
  }

  @Test
  void noMoreThanTwiceWhatIsConfiguredIsUsed() throws Exception {
    start(4000, "");
    assertEquals(1024, contextMib());
    TestNode.await(log, "learned 4194304000, but at most twice ContextBytes=536870912", 1, agent);
  }

  @Test
  void withABrokerItIsNotUsed() throws Exception {
    start(300, "Mode=brokered\n");
    assertEquals(512, contextMib());
  }
}
