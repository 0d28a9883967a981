package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FrameworksTest {
  private static final Machine MACHINE =
      new Machine(0, "GPU-1", "Emulated GPU 0", 1L << 30, 0, 0, 1, 13000, "580.0");

  @TempDir Path folder;

  private Frameworks find(String program, Duration limit) throws Exception {
    Files.createDirectory(folder.resolve("python"));
    Files.writeString(folder.resolve("python/versions.py"), program);
    return Frameworks.find(new Bundle(folder), MACHINE, Deadline.in(limit));
  }

  @Test
  void oneThatCrashesSpoilsNoOther() throws Exception {
    Frameworks found =
        find(
            """
            import os, signal, sys
            if sys.argv[1] == "jax":
                os.kill(os.getpid(), signal.SIGSEGV)
            print("noise")
            print(sys.argv[1], "2.11.0", "", sep="\t", flush=True)
            """,
            Duration.ofMinutes(9));
    assertTrue(found.has("torch"), found::toString);
    assertTrue(found.has("cupy"), found::toString);
    assertFalse(found.has("jax"));
    assertEquals("its import ends with 139", found.reason("jax"));
  }

  @Test
  void onesThatHangEndNothing() throws Exception {
    Frameworks found = find("import time\ntime.sleep(3600)\n", Duration.ofSeconds(1));
    assertEquals("its import takes too long", found.reason("torch"));
    assertEquals("its import takes too long", found.reason("cupy"));
  }
}
