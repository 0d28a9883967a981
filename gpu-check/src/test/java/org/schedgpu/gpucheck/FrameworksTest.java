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

  @Test
  void oneThatCrashesOrHangsSpoilsNoOther() throws Exception {
    Files.createDirectory(folder.resolve("python"));
    Files.writeString(
        folder.resolve("python/versions.py"),
        """
        import os, signal, sys, time
        if sys.argv[1] == "jax":
            os.kill(os.getpid(), signal.SIGSEGV)
        if sys.argv[1] == "cupy":
            time.sleep(3600)
        print("noise")
        print(sys.argv[1], "2.11.0", "", sep="\\t", flush=True)
        """);
    Frameworks found =
        Frameworks.find(new Bundle(folder), MACHINE, Deadline.in(Duration.ofSeconds(5)));
    assertTrue(found.has("torch"), found::toString);
    assertFalse(found.has("jax"));
    assertEquals("its import ends with 139", found.reason("jax"));
    assertEquals("its import takes too long", found.reason("cupy"));
  }
}
