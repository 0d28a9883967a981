package org.schedgpu.agent.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.schedgpu.agent.user.ShareOwners;
import org.schedgpu.jna.Printable;
import org.schedgpu.jna.UserFiles;

/**
 * Reads /proc. It leaves out what this user may not read, and files that the process's user made
 * too long or too slow.
 */
public final class HostProcesses {
  private static final String JOB_VARIABLE = "SCHEDGPU_JOB=";

  /** A process of a user namespace may have 65,536 groups, and status lists each of them. */
  private static final int MAX_STATUS_BYTES = 1 << 20;

  private final Path proc;
  private final UserFiles files = UserFiles.shared();
  private final ShareOwners owners = ShareOwners.ofMachine();
  private final Sluids sluids;
  private final Freezer freezer;

  /** Of this machine, without the control groups of Slurm 26.05. */
  public HostProcesses() {
    this(Path.of("/proc"));
  }

  /** Of a folder as /proc. */
  public HostProcesses(Path proc) {
    this(proc, Sluids.NONE);
  }

  HostProcesses(Path proc, Sluids sluids) {
    this(proc, sluids, new Freezer(Path.of("/sys/fs/cgroup")));
  }

  HostProcesses(Path proc, Sluids sluids, Freezer freezer) {
    this.proc = proc;
    this.sluids = sluids;
    this.freezer = freezer;
  }

  /** Of this machine; the run directory tells the job of a control group. */
  public static HostProcesses ofNode(Path runDir) {
    return new HostProcesses(Path.of("/proc"), Sluids.in(runDir));
  }

  /** The folder of a process. */
  public Path folder(int pid) {
    return proc.resolve(Integer.toString(pid));
  }

  /** True if processes of other users are visible (mount option hidepid). */
  public boolean seesAll() {
    return Files.exists(folder(1));
  }

  /** Numbers of all processes that this user may see. */
  List<Integer> all() {
    try (Stream<Path> folders = Files.list(proc)) {
      return folders
          .map(folder -> folder.getFileName().toString())
          .filter(name -> name.matches("[0-9]{1,9}"))
          .map(Integer::valueOf)
          .toList();
    } catch (IOException | UncheckedIOException denied) {
      return List.of();
    }
  }

  /** The command line of a process, which it may change; "" if it has ended or is hidden. */
  String title(HostProcess process) {
    try {
      Path file = folder(process.pid()).resolve("cmdline");
      return Printable.of(files.textInTime(owners.of(process.uid()), file).replace('\0', ' '))
          .strip();
    } catch (IOException gone) {
      return "";
    }
  }

  /**
   * Returns the process with a pid; empty if there is none, or if it is hidden from this user. A
   * zombie does not count: it stays as long as its parent does not read its exit status.
   */
  public Optional<HostProcess> find(int pid) {
    try {
      Map<String, String> status = status(folder(pid));
      if (isZombie(status)) {
        return Optional.empty();
      }
      List<String> pids = words(status.getOrDefault("NSpid", Integer.toString(pid)));
      int uid = Integer.parseUnsignedInt(words(status.getOrDefault("Uid", "")).get(0));
      return Optional.of(
          new HostProcess(
              pid,
              Printable.of(status.getOrDefault("Name", "")),
              uid,
              Integer.parseInt(status.getOrDefault("PPid", "0")),
              Integer.parseInt(pids.get(pids.size() - 1)),
              // One number: the process is in the namespace of the reader.
              pidNamespace(pids.size() == 1 ? proc.resolve("self") : folder(pid)),
              lines(folder(pid).resolve("cgroup")).stream().map(sluids::withNumber).toList(),
              job(uid, folder(pid))));
    } catch (IOException | NumberFormatException gone) {
      return Optional.empty();
    }
  }

  /**
   * True if the process is stopped, by a signal, a debugger, or the freezer of its control group;
   * false if it cannot be seen.
   */
  boolean isStopped(int pid) {
    try {
      String state = status(folder(pid)).getOrDefault("State", "").toUpperCase(Locale.ROOT);
      return state.startsWith("T") || freezer.isFrozen(lines(folder(pid).resolve("cgroup")));
    } catch (IOException gone) {
      return false;
    }
  }

  /** Its number in its own PID namespace; empty if that is ours, or if it cannot be seen. */
  Optional<Integer> innerPid(int pid) {
    try {
      List<String> pids = words(status(folder(pid)).getOrDefault("NSpid", ""));
      return pids.size() < 2
          ? Optional.empty()
          : Optional.of(Integer.parseInt(pids.get(pids.size() - 1)));
    } catch (IOException | NumberFormatException gone) {
      return Optional.empty();
    }
  }

  /** The inode of our PID namespace. */
  public long ownPidNamespace() {
    return pidNamespace(proc.resolve("self"));
  }

  /** The inode of the PID namespace of a process; 0: it may not be seen. */
  long pidNamespace(int pid) {
    return pidNamespace(folder(pid));
  }

  /**
   * True if all threads have ended and only the exit status remains. The state alone does not show
   * that: it belongs to the main thread, which may end before the others.
   */
  private static boolean isZombie(Map<String, String> status) {
    return status.getOrDefault("State", "").startsWith("Z")
        && status.getOrDefault("Threads", "1").equals("1");
  }

  private static Map<String, String> status(Path folder) throws IOException {
    Map<String, String> values = new TreeMap<>();
    for (String line :
        UserFiles.text(folder.resolve("status"), MAX_STATUS_BYTES).lines().toList()) {
      int end = line.indexOf(':');
      if (end > 0) {
        values.put(line.substring(0, end), line.substring(end + 1).strip());
      }
    }
    return values;
  }

  private static List<String> words(String text) {
    return List.of(text.split("\\s+", -1));
  }

  private static long pidNamespace(Path folder) {
    try {
      String link = Files.readSymbolicLink(folder.resolve("ns/pid")).toString();
      return Long.parseLong(link.replaceAll("\\D", ""));
    } catch (IOException | NumberFormatException denied) {
      return 0;
    }
  }

  private String job(int uid, Path folder) {
    try {
      String environment = files.textInTime(owners.of(uid), folder.resolve("environ"));
      for (String variable : environment.split("\0", -1)) {
        if (variable.startsWith(JOB_VARIABLE)) {
          return variable.substring(JOB_VARIABLE.length());
        }
      }
    } catch (IOException denied) {
      return "";
    }
    return "";
  }

  private static List<String> lines(Path file) {
    try {
      return UserFiles.text(file, UserFiles.MAX_BYTES).lines().toList();
    } catch (IOException denied) {
      return List.of();
    }
  }
}
