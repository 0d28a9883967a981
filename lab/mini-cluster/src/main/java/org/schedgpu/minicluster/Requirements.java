package org.schedgpu.minicluster;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What a cluster needs from its host and does not find, in plain words. An empty list means that
 * nothing is missing. Thread-safe.
 */
public final class Requirements {
  private static final List<String> SLURM =
      List.of("slurmctld", "slurmd", "srun", "sbatch", "squeue", "sinfo", "scontrol", "scancel");
  private static final List<String> SYSTEM = List.of("setsid", "setpriv", "mknod", "id");
  private static final List<String> FOLDERS =
      List.of("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin");

  private Requirements() {}

  /** What any cluster lacks: Linux, root, Slurm, munge. */
  public static List<String> missing() {
    List<String> missing = new ArrayList<>();
    if (!Files.isDirectory(Path.of("/proc/self"))) {
      missing.add("this is not Linux: run it on Linux, in a container for example");
      return missing;
    }
    if (!isRoot()) {
      missing.add("not running as root: run it as root, in a container for example");
    }
    SLURM.forEach(name -> missingProgram(name, "Slurm (slurmctld, slurmd, slurm-client)", missing));
    missingProgram("munged", "munge", missing);
    SYSTEM.forEach(name -> missingProgram(name, "util-linux and coreutils", missing));
    if (missing.isEmpty() && !CommandRunner.run("id", "munge").ok()) {
      missing.add("there is no user 'munge': install munge");
    }
    return missing;
  }

  /** What a cluster with fake device nodes lacks besides. */
  public static List<String> missingForFakeDevices() {
    Path directory = null;
    try {
      directory = Files.createTempDirectory("minicluster");
      FakeDevices.create(directory, FakeDevices.numbered(1));
      return canReach(directory.resolve("nvidia0"))
          ? List.of()
          : List.of("device nodes in " + directory + " cannot be opened: allow character 241:*");
    } catch (IOException | MiniClusterException e) {
      return List.of("cannot make device nodes: allow mknod (CAP_MKNOD): " + e.getMessage());
    } finally {
      discard(directory);
    }
  }

  /** What a cluster with slurmrestd lacks besides. */
  public static List<String> missingForRest() {
    List<String> missing = new ArrayList<>();
    missingProgram("slurmrestd", "slurmrestd", missing);
    return missing;
  }

  /** What a cluster with slurmrestd and JWT lacks besides. */
  public static List<String> missingForRestJwt() {
    List<String> missing = new ArrayList<>(missingForRest());
    if (slurmPlugin("auth_jwt.so").isEmpty()) {
      missing.add("Slurm's plugin auth_jwt.so is missing: install slurm-wlm-jwt-plugin");
    }
    return missing;
  }

  /** What a cluster with accounting lacks besides. */
  public static List<String> missingForAccounting() {
    List<String> missing = new ArrayList<>();
    missingProgram("slurmdbd", "slurmdbd", missing);
    for (String name : List.of("mariadbd", "mariadb-install-db")) {
      missingProgram(name, "mariadb-server-core", missing);
    }
    missingProgram("mariadb", "mariadb-client-core", missing);
    return missing;
  }

  private static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException e) {
      return false;
    }
  }

  private static void missingProgram(String name, String packages, List<String> missing) {
    String path = System.getenv().getOrDefault("PATH", "");
    boolean found =
        Stream.concat(FOLDERS.stream(), Stream.of(path.split(":", -1)))
            .filter(folder -> !folder.isEmpty())
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    if (!found) {
      missing.add("the program " + name + " is missing: install " + packages);
    }
  }

  /** ENXIO is the expected answer here: the node may be opened, and has no driver. */
  private static boolean canReach(Path device) {
    try {
      new FileInputStream(device.toFile()).close();
      return true;
    } catch (IOException e) {
      return e.getMessage().contains("No such device or address");
    }
  }

  private static Optional<Path> slurmPlugin(String name) {
    try (Stream<Path> all = Files.find(Path.of("/usr/lib"), 3, (p, a) -> p.endsWith(name))) {
      return all.findFirst();
    } catch (IOException | UncheckedIOException e) {
      return Optional.empty();
    }
  }

  private static void discard(Path directory) {
    if (directory == null) {
      return;
    }
    try {
      DirectoryTrees.delete(directory);
    } catch (IOException e) {
      throw new MiniClusterException("cannot remove " + directory, e);
    }
  }
}
