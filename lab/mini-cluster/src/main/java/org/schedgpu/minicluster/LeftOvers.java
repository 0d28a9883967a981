package org.schedgpu.minicluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.schedgpu.jna.UserFiles;

/**
 * Processes of a cluster that are not children of this JVM: job steps (slurmstepd detaches itself),
 * tasks, hooks. They are recognised by their cgroup, by {@code SLURM_CONF}, or, for Slurm's own
 * programs, by their open files. Their descendants count too. Zombies count as ended.
 */
final class LeftOvers {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final ClusterPaths paths;
  private final List<String> nodes;

  /**
   * The processes of a cluster.
   *
   * @param nodes the nodes whose cgroups hold only this cluster's processes
   */
  LeftOvers(ClusterPaths paths, List<String> nodes) {
    this.paths = paths;
    this.nodes = nodes;
  }

  /**
   * Kills them until none is left.
   *
   * @return pids of processes that still run after 60 s
   */
  List<Long> kill() {
    nodes.forEach(Cgroups::thaw);
    Waiting.until(PATIENCE, () -> killOnce() == 0);
    return find().stream().map(ProcessHandle::pid).toList();
  }

  /** The processes now. */
  List<ProcessHandle> find() {
    Set<Long> spared = selfAndAncestors();
    Set<ProcessHandle> found = new HashSet<>();
    ProcessHandle.allProcesses()
        .filter(process -> !spared.contains(process.pid()))
        .filter(process -> belongs(Path.of("/proc", Long.toString(process.pid()))))
        .forEach(
            process -> {
              found.add(process);
              process.descendants().forEach(found::add);
            });
    return found.stream().filter(LeftOvers::isRunning).collect(Collectors.toList());
  }

  private int killOnce() {
    List<ProcessHandle> found = find();
    found.forEach(ProcessHandle::destroyForcibly);
    return found.size();
  }

  private boolean belongs(Path process) {
    return isInCgroup(read(process.resolve("cgroup")))
        || ("\0" + environment(process)).contains("\0SLURM_CONF=" + paths.slurmConf() + "\0")
        || (read(process.resolve("comm")).startsWith("slurm") && hasOurFileOpen(process));
  }

  private boolean isInCgroup(String cgroups) {
    return nodes.stream().anyMatch(node -> Cgroups.isOfNode(node, cgroups));
  }

  private boolean hasOurFileOpen(Path process) {
    List<Path> descriptors = new ArrayList<>();
    try (Stream<Path> all = Files.list(process.resolve("fd"))) {
      all.forEach(descriptors::add);
    } catch (IOException e) {
      return false;
    }
    return descriptors.stream().anyMatch(this::leadsToUs);
  }

  private boolean leadsToUs(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).startsWith(paths.base());
    } catch (IOException e) {
      return false;
    }
  }

  private static boolean isRunning(ProcessHandle process) {
    String status = read(Path.of("/proc", Long.toString(process.pid()), "status"));
    return !status.isEmpty() && !status.contains("\nState:\tZ") && !status.contains("\nState:\tX");
  }

  private static Set<Long> selfAndAncestors() {
    return Stream.iterate(ProcessHandle.current(), p -> p != null, p -> p.parent().orElse(null))
        .map(ProcessHandle::pid)
        .collect(Collectors.toSet());
  }

  private static String environment(Path process) {
    try {
      return UserFiles.shared().textInTime(process.resolve("environ"));
    } catch (IOException e) {
      return "";
    }
  }

  private static String read(Path file) {
    try {
      return UserFiles.text(file, UserFiles.MAX_BYTES);
    } catch (IOException e) {
      return "";
    }
  }
}
