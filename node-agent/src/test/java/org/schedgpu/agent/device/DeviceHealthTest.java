package org.schedgpu.agent.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.Cli;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;

/** The agent, and an emulated NVML whose devices fail on command. */
class DeviceHealthTest {
  private static final Path EMULATOR =
      Path.of("../lab/gpu-emulator/target/native").toAbsolutePath().normalize();

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;
  private Path log;
  private Path faults;
  private Map<String, String> environment;

  @BeforeEach
  void node() throws IOException {
    RealLibrary.require();
    node = new TestNode(folder);
    log = folder.resolve("log");
    faults = Files.createFile(folder.resolve("faults"));
    Files.delete(folder.resolve("devices.conf")); // the devices are NVML's
    node.configure("CheckEvery=1s\n");
    environment =
        Map.of(
            "LD_LIBRARY_PATH", EMULATOR.toString(),
            "EMULATED_GPU_STATE", folder.resolve("gpu").toString(),
            "EMULATED_GPU_FAULTS", faults.toString(),
            "EMULATED_GPU_MIG", "5",
            "EMULATED_GPU_COUNT", "2");
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (node != null) {
      node.close();
    }
  }

  private void happens(String line) throws IOException {
    Files.writeString(faults, line + "\n", StandardOpenOption.APPEND);
  }

  private long told(String words) throws IOException {
    try (Stream<String> lines = Files.lines(log)) {
      return lines.filter(line -> line.contains(words)).count();
    }
  }

  @Test
  void whatGoesWrongIsReportedOnceAndDoctorKnowsIt() throws Exception {
    happens("xid 0 13");
    Process agent = node.startAgent(log, environment);
    TestNode.await(log, "region " + node.runDir() + ": ready, 2 devices of NVML", 1, agent);
    String uuid = node.snapshot().devices().get(1).uuid();
    TestNode.await(log, "ready: process", 1, agent);
    // the first check registers for Xids; earlier ones are lost
    node.configure("CheckEvery=1s\nLogLevel=debug\n");
    happens("ecc 1 3");
    TestNode.await(log, "device=1 uuid=" + uuid + " has 3 memory errors", 1, agent);
    happens("xid 1 79");
    happens("xid 1 4711");
    TestNode.await(log, "device=1 xid=79 uuid=" + uuid + ": fell off the bus: drain", 1, agent);
    TestNode.await(log, "device=1 xid=4711 uuid=" + uuid + ": see NVIDIA's XID", 1, agent);
    happens("lost 1");
    TestNode.await(log, "device=1 uuid=" + uuid + " is lost: NVML does not see it", 1, agent);
    Files.writeString(faults, "ecc 1 3\n");
    TestNode.await(log, "device=1 uuid=" + uuid + " is back", 1, agent);
    assertEquals(0, told("xid=13 "));
    assertEquals(1, told("is lost"));
    assertEquals(1, told("memory errors"));
    List<String> health =
        Cli.run("doctor", "--config", node.conf().toString())
            .out()
            .lines()
            .filter(line -> line.contains(" health "))
            .toList();
    assertEquals(4, health.size(), health::toString);
    assertTrue(health.get(1).startsWith("WRONG health   device 1 at "), health::toString);
    assertTrue(health.get(1).endsWith(": xid=79 uuid=" + uuid), health::toString);
  }
}
