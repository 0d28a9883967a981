package org.schedgpu.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.schedgpu.minicluster.CommandResult;

/**
 * Runs every command that a page shows (lines that begin with "$ " in a console block), in the
 * page's order, in one shell on a real cluster. Only placeholders are replaced: your-program is a
 * program that allocates, and make installs into a folder of the test.
 */
abstract class PageTest extends ClusterTest {
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
    placeholders(bin);
    return bin;
  }

  /** Makes in a folder what a page's own placeholders are. */
  void placeholders(Path bin) throws IOException {}

  /** Runs the commands of a page below docs, and returns the folder in which they ran. */
  Path run(String name) throws IOException {
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
}
