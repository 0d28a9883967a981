package org.schedgpu.agent.slurm;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.schedgpu.agent.process.Sluids;
import org.schedgpu.agent.text.Texts;

/**
 * The control groups of Slurm's jobs, of version 2 (plugin cgroup/v2): {@code
 * /system.slice/slurmstepd.scope/job_N}, from Slurm 26.05 on its SLUID instead of job_N, with the
 * node's name before {@code slurmstepd.scope} where several slurmd share a host.
 */
public final class SlurmCgroups {
  private static final Path MOUNTS = Path.of("/proc/self/mounts");
  private static final String VERSION_2 = "cgroup2";
  private static final String SLICE = "system.slice";
  private static final String SCOPES = "*slurmstepd.scope";

  private final Path mounts;

  /** Of this machine. */
  public SlurmCgroups() {
    this(MOUNTS);
  }

  /**
   * @param mounts as /proc/self/mounts
   */
  SlurmCgroups(Path mounts) {
    this.mounts = mounts;
  }

  /**
   * The folders that contain the control groups of Slurm's jobs now; the mounts are read once.
   * Empty if only version 1 is mounted, or slurmd has not run a step yet.
   */
  public List<Path> scopes() {
    return roots().stream().flatMap(root -> scopes(root.resolve(SLICE)).stream()).toList();
  }

  /** The folder of a job; empty while it has none in {@link #scopes}. */
  public static Optional<Path> ofJob(List<Path> scopes, long jobId, Sluids sluids) {
    Optional<Path> byNumber = ofName(scopes, "job_" + Long.toUnsignedString(jobId));
    return byNumber.or(() -> sluids.sluid(jobId).flatMap(sluid -> ofName(scopes, sluid)));
  }

  private static Optional<Path> ofName(List<Path> scopes, String name) {
    return scopes.stream().map(scope -> scope.resolve(name)).filter(Files::isDirectory).findFirst();
  }

  private List<Path> roots() {
    return Texts.lines(mounts).stream()
        .map(line -> line.split(" ", -1))
        .filter(mount -> mount.length > 2 && mount[2].equals(VERSION_2))
        .map(mount -> Path.of(mount[1]))
        .toList();
  }

  private static List<Path> scopes(Path slice) {
    List<Path> scopes = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(slice, SCOPES)) {
      found.forEach(scopes::add);
    } catch (IOException none) {
      return List.of();
    }
    return scopes;
  }
}
