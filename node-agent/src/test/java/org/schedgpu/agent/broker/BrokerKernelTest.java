package org.schedgpu.agent.broker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.SharedMemoryDir;
import org.schedgpu.agent.TestNode;

/** The agent and doctor on a kernel before Linux 5.3: a filter answers as such a kernel does. */
class BrokerKernelTest {
  private static final String MISSING =
      "Mode=brokered: this system has no pidfd_open(2), which Linux has from 5.3 on, or a filter of"
          + " system calls refuses it";
  private static final String TODO = "set Mode=shared, or start a newer kernel";

  /** Lets pidfd_open (434 everywhere) fail with ENOSYS (38), then starts the words behind it. */
  private static final String WITHOUT_PIDFD =
      """
      import ctypes, os, struct, sys
      rules = b''.join(struct.pack('HBBI', *rule) for rule in (
          (0x20, 0, 0, 0), (0x15, 0, 1, 434), (6, 0, 0, 0x50000 | 38), (6, 0, 0, 0x7fff0000)))
      code = ctypes.create_string_buffer(rules)
      program = struct.pack('HP', 4, ctypes.addressof(code))
      prctl = ctypes.CDLL(None).prctl
      if prctl(38, 1, 0, 0, 0) or prctl(22, 2, program):
          sys.exit('no filter')
      os.execvp(sys.argv[1], sys.argv[1:])
      """;

  @TempDir(factory = SharedMemoryDir.class)
  Path folder;

  private TestNode node;
  private Path log;

  @BeforeEach
  void node() throws Exception {
    RealLibrary.require();
    node = new TestNode(folder);
    log = folder.resolve("log");
  }

  @AfterEach
  void removeNode() throws InterruptedException {
    if (node != null) {
      node.close();
    }
  }

  /** The status of a command on the old kernel. */
  private int run(String... words) throws Exception {
    List<String> line = new ArrayList<>(List.of("python3", "-c", WITHOUT_PIDFD));
    line.addAll(TestNode.java(words));
    return new ProcessBuilder(line)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start()
        .waitFor();
  }

  @Test
  void theAgentRefusesToStart() throws Exception {
    node.configure("Mode=brokered\n");
    for (String check : List.of("--check-config", "--foreground")) {
      assertEquals(78, run("agent", "--config", node.conf().toString(), "--node", "n", check));
      assertEquals("schedgpu: " + MISSING + ": " + TODO + "\n", Files.readString(log));
    }
  }

  @Test
  void modeSharedNeedsNothing() throws Exception {
    assertEquals(
        0, run("agent", "--config", node.conf().toString(), "--node", "n", "--check-config"));
  }

  @Test
  void doctorSaysSo() throws Exception {
    node.configure("Mode=brokered\n");
    assertEquals(1, run("doctor", "--config", node.conf().toString()));
    String told = Files.readString(log);
    assertTrue(told.contains(MISSING) && told.contains(TODO), told);
    node.configure("");
    run("doctor", "--config", node.conf().toString());
    assertTrue(!Files.readString(log).contains("pidfd"), told);
  }
}
