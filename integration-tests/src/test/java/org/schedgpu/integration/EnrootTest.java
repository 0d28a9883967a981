package org.schedgpu.integration;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Enroot with the hook of etc/enroot, as an ordinary user. */
final class EnrootTest extends ContainersTestCase {
  private String version;

  @Override
  ClusterSetup setup() {
    need("enroot");
    assumeTrue(
        Files.isExecutable(Path.of("/etc/enroot/hooks.d/50-schedgpu.sh")),
        "our hook of Enroot is not installed");
    return super.setup();
  }

  @BeforeAll
  void askVersion() {
    version = version(need("enroot") + " version");
  }

  /** Enroot writes into the image, which then has to belong to the user. */
  private Path copied(String name) {
    Path image = madeImage(name);
    Path folder = cluster.slurm().paths().jobs().resolve("enroot");
    cluster
        .slurm()
        .run(
            List.of(
                "sh",
                "-c",
                "mkdir -p \"$2\" && cp -a \"$1\" \"$2/$3\" && chown -R \"$4\" \"$2\"",
                "sh",
                image.toString(),
                folder.toString(),
                name,
                USER),
            Map.of(),
            null)
        .orThrow();
    return folder;
  }

  private String enroot(Path folder, String name, String command) {
    return ("ENROOT_DATA_PATH=%1$s ENROOT_RUNTIME_PATH=%1$s/run ENROOT_CACHE_PATH=%1$s/cache"
            + " ENROOT_TEMP_PATH=/tmp %2$s start --mount %3$s:%3$s --mount %4$s:%4$s %5$s %6$s"
            + " %7$s")
        .formatted(
            folder,
            need("enroot"),
            cluster.slurm().paths().base(),
            cluster.sharedMemory(),
            variables("--env "),
            name,
            command);
  }

  @ParameterizedTest
  @ValueSource(strings = {"debian-11", "debian-13"})
  void jobsQueue(String name) {
    Path folder = copied(name);
    queue(alice(), actions -> enroot(folder, name, cluster.gpuUser(actions)));
    recordRun("Enroot", version, "start", name, "two jobs queue");
  }
}
