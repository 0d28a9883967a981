package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The page on installation. */
final class InstallPageTest extends PageTest {
  @Test
  void installationWorksAndInstallsWhatThePageNames() throws IOException {
    Path prefix = run("how-to/install.md").resolve("installed/usr/local");

    for (String file :
        List.of(
            "lib/libschedgpu.so",
            "lib/libschedgpu-launches.so",
            "lib/libschedgpu-preload.so",
            "lib/schedgpu/container/libschedgpu-launches.so",
            "lib/schedgpu/container/libschedgpu-preload.so",
            "lib/schedgpu/proxy/libcuda.so.1",
            "lib/slurm/schedgpu.so",
            "lib/pkgconfig/schedgpu.pc",
            "libexec/schedgpu/schedgpu-prolog",
            "libexec/schedgpu/schedgpu-epilog",
            "bin/schedgpu",
            "lib/systemd/system/schedgpu-agent.service",
            "include/schedgpu/schedgpu.h",
            "share/man/man1/schedgpu.1",
            "share/man/man5/schedgpu.conf.5",
            "share/man/man7/schedgpu-options.7",
            "share/man/man8/schedgpu-prolog.8",
            "share/doc/schedgpu/NOTICE",
            "share/doc/schedgpu/examples/schedgpu.conf.example")) {
      assertTrue(Files.exists(prefix.resolve(file)), file);
    }
    try (Stream<Path> all = Files.walk(prefix)) {
      assertEquals(
          List.of(),
          all.filter(p -> !p.startsWith(prefix.resolve("lib/schedgpu/proxy")))
              .filter(p -> p.toString().matches(".*(emulat|cudart|libcuda|nvidia-ml).*"))
              .toList(),
          "the emulator is never installed");
    }
  }
}
