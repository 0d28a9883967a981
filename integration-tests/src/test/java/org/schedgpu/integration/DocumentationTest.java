package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.schedgpu.minicluster.CommandResult;

/**
 * Runs every command that a page shows (lines that begin with "$ " in a console block), in the
 * page's order, in one shell on a real cluster. Only placeholders are replaced: your-program is a
 * program that allocates, and make installs into a folder of the test.
 */
@RelinksTheBuild
final class DocumentationTest extends ClusterTest {
  @Override
  ClusterSetup setup() {
    return ClusterSetup.oneDevice();
  }

  /** A folder in which the placeholders are commands. */
  private Path commands(Path folder) throws IOException {
    Path bin = Files.createDirectory(folder.resolve("bin"));
    Page.script(bin.resolve("your-program"), "exec " + cluster.gpuUser("alloc", 600));
    Page.script(
        bin.resolve("schedgpu"),
        "SLURMD_NODENAME=%s exec %s \"$@\"".formatted(cluster.node(), Build.command()));
    Page.script(
        bin.resolve("make"),
        "exec /usr/bin/make -s -C %s %s DESTDIR=%s"
            .formatted(Build.root(), "\"$1\"-only", folder.resolve("installed")));
    return bin;
  }

  private Path run(String name) throws IOException {
    Path page = Page.named(name);
    Path folder = Files.createTempDirectory(cluster.slurm().paths().files(), "page");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    List<String> commands = Page.commandsOf(page);
    assertFalse(commands.isEmpty(), page + " shows no command");
    String script =
        "set -e\ncd %s\nexport PATH=%s:$PATH\n".formatted(folder, commands(folder))
            + String.join("\n", commands.stream().map(c -> "echo '+' >&2; " + c).toList());
    CommandResult result = cluster.slurm().run(List.of("bash", "-xc", script), Map.of(), null);
    assertEquals(0, result.exitCode(), () -> page + ":\n" + result);
    return folder;
  }

  @Test
  void tutorialWorks() throws IOException {
    run("tutorial/first-job.md");
  }

  @Test
  void whatCannotBePreloadedWorks() throws IOException {
    run("how-to/without-preload.md");
  }

  @Test
  void theAgentsConfigurationCanBeChecked() throws IOException {
    run("how-to/agent.md");
  }

  @Test
  void memoryThatNobodyReservedCanBeLookedFor() throws IOException {
    cluster.srun(List.of("--gres=gpu:1"), "show").orThrow(); // makes the region
    run("how-to/unreserved-memory.md");
  }

  @Test
  void whoWaitsCanBeSeen() throws IOException {
    cluster.srun(List.of("--gres=gpu:1"), "show").orThrow(); // makes the region
    run("how-to/see-who-waits.md");
  }

  @Test
  void installationWorksAndInstallsWhatThePageNames() throws IOException {
    Path prefix = run("how-to/install.md").resolve("installed/usr/local");

    for (String file :
        List.of(
            "lib/libschedgpu.so",
            "lib/libschedgpu-preload.so",
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
