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
 * The version 1 cgroups of this host, and the {@code slurm_<node>} folders that slurmd makes there.
 */
final class Cgroups {
  private static final Path ROOT = Path.of("/sys/fs/cgroup");
  private static final List<String> NEEDED = List.of("devices", "freezer");
  private static final Duration EMPTYING = Duration.ofSeconds(60);

  private Cgroups() {}

  /** Whether Slurm can constrain devices here: version 1, with its controllers writable. */
  static boolean canConstrainDevices() {
    return NEEDED.stream().allMatch(name -> isWritableV1(ROOT.resolve(name)));
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

  /** Wakes what Slurm may have frozen, so that it can be killed. */
  static void thaw(String node) {
    for (Path frozen : folders(ROOT.resolve("freezer").resolve("slurm_" + node))) {
      try {
        Files.writeString(frozen.resolve("freezer.state"), "THAWED", StandardCharsets.UTF_8);
      } catch (IOException e) {
        // The folder went meanwhile; then nothing in it is frozen.
      }
    }
  }

  private static List<Path> removeOnce(String node) {
    List<Path> left = new ArrayList<>();
    for (Path controller : controllers()) {
      for (Path folder : folders(controller.resolve("slurm_" + node))) {
        try {
          Files.deleteIfExists(folder);
        } catch (IOException e) {
          left.add(folder);
        }
      }
    }
    return left;
  }

  private static List<Path> controllers() {
    try (Stream<Path> all = Files.list(ROOT)) {
      return all.filter(Files::isDirectory).toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** A folder and those in it, the deepest first; empty if it is not there. */
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
