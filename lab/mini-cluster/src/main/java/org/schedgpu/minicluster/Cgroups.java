package org.schedgpu.minicluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The cgroups of this host: of version 1 with the {@code slurm_<node>} folders that slurmd makes
 * there, or of version 2 alone with its {@code <node>_slurmstepd.scope}.
 */
final class Cgroups {
  private static final Path ROOT = Path.of("/sys/fs/cgroup");
  private static final Path SCOPES = ROOT.resolve("system.slice");
  private static final List<String> NEEDED = List.of("devices", "freezer");
  private static final Duration EMPTYING = Duration.ofSeconds(60);

  private Cgroups() {}

  /** True if Slurm can constrain devices here: either version, writable. */
  static boolean canConstrainDevices() {
    return isVersionTwo()
        ? Files.isWritable(SCOPES)
        : NEEDED.stream().allMatch(name -> isWritableV1(ROOT.resolve(name)));
  }

  /** True if this host has only cgroups of version 2. */
  static boolean isVersionTwo() {
    return Files.exists(ROOT.resolve("cgroup.controllers"));
  }

  /** True if a process with these lines of {@code /proc/PID/cgroup} is in a cgroup of a node. */
  static boolean isOfNode(String node, String cgroups) {
    String one = "/slurm_" + node;
    return cgroups.contains(one + "/")
        || cgroups.contains(one + "\n")
        || cgroups.contains("/" + scope(node) + "/");
  }

  private static String scope(String node) {
    return node + "_slurmstepd.scope";
  }

  /**
   * Removes a node's cgroups. Its processes must be gone; the last ones may take a moment to leave.
   *
   * @return what could not be removed
   */
  static List<Path> remove(String node) {
    List<Path> left = new ArrayList<>();
    Waiting.until(
        EMPTYING,
        () -> {
          left.clear();
          left.addAll(removeOnce(node));
          return left.isEmpty();
        });
    return left;
  }

  /** Thaws processes that Slurm may have frozen, so that they can be killed. */
  static void thaw(String node) {
    for (Path frozen : folders(ROOT.resolve("freezer").resolve("slurm_" + node))) {
      try {
        Files.writeString(frozen.resolve("freezer.state"), "THAWED", StandardCharsets.UTF_8);
      } catch (IOException e) {
        // The folder has disappeared, so nothing in it is frozen.
      }
    }
  }

  private static List<Path> removeOnce(String node) {
    List<Path> left = new ArrayList<>();
    for (Path top : of(node)) {
      for (Path folder : folders(top)) {
        try {
          Files.deleteIfExists(folder);
        } catch (IOException e) {
          left.add(folder);
        }
      }
    }
    return left;
  }

  /** A node's own cgroups, of one controller each; those of version 2 may be absent. */
  static List<Path> of(String node) {
    return isVersionTwo()
        ? List.of(SCOPES.resolve(scope(node)))
        : controllers().stream().map(c -> c.resolve("slurm_" + node)).toList();
  }

  private static List<Path> controllers() {
    try (Stream<Path> all = Files.list(ROOT)) {
      return all.filter(Files::isDirectory).toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** A folder and its subfolders, the deepest first; empty if it does not exist. */
  private static List<Path> folders(Path top) {
    try (Stream<Path> all = Files.walk(top)) {
      return all.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).toList();
    } catch (IOException | UncheckedIOException e) {
      return List.of();
    }
  }

  private static boolean isWritableV1(Path controller) {
    return Files.isWritable(controller)
        && Files.exists(controller.resolve("cgroup.clone_children"));
  }
}
