package org.schedgpu.integration;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pyxis behind our plugin, with Enroot and the hook of etc/enroot, as root. */
final class PyxisTest extends ContainersTestCase {
  private static final Path PLUGIN = Path.of("/usr/local/lib/slurm/spank_pyxis.so");

  private String version;
  private Path squashed;

  @Override
  ClusterSetup setup() {
    need("enroot");
    assumeTrue(Files.exists(PLUGIN), PLUGIN + " is not installed");
    return super.setup().plugstack("required " + PLUGIN);
  }

  @BeforeAll
  void squash() {
    version = version("sed -n 's/^PYXIS_VER ?= //p' /usr/src/pyxis/Makefile");
    squashed = cluster.slurm().paths().files().resolve("debian-11.sqsh");
    cluster
        .slurm()
        .run(
            List.of(
                "mksquashfs",
                madeImage("debian-11").toString(),
                squashed.toString(),
                "-noI",
                "-noD",
                "-noF",
                "-noX",
                "-quiet",
                "-no-progress"),
            Map.of(),
            null)
        .orThrow();
  }

  private String pyxis(Object... actions) {
    Path base = cluster.slurm().paths().base();
    return "srun --container-image=%s --container-mounts=%s:%s,%s:%s env %s %s"
        .formatted(
            squashed,
            base,
            base,
            cluster.sharedMemory(),
            cluster.sharedMemory(),
            variables(""),
            cluster.gpuUser(actions));
  }

  @Test
  void jobsQueue() {
    queue(cluster.slurm().commands(), this::pyxis);
    recordRun("Pyxis", version, "--container-image", "debian-11", "two jobs queue");
  }
}
