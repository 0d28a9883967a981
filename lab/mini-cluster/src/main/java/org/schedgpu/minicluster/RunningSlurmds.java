package org.schedgpu.minicluster;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import org.schedgpu.jna.UserFiles;

/** The slurmd processes on this host, of any cluster. */
final class RunningSlurmds {
  private RunningSlurmds() {}

  /** The pid of a slurmd that was started with {@code -N} and this name. */
  static OptionalLong find(String node) {
    return ProcessHandle.allProcesses()
        .mapToLong(ProcessHandle::pid)
        .filter(pid -> isSlurmdOf(node, pid))
        .findFirst();
  }

  /** The program's file may be a link's target, such as slurmd-wlm, so its first word decides. */
  private static boolean isSlurmdOf(String node, long pid) {
    Path file = Path.of("/proc", Long.toString(pid), "cmdline");
    try {
      String line = UserFiles.shared().textInTime(file);
      List<String> words = List.of(line.split("\0", -1));
      int option = words.indexOf("-N");
      return Path.of(words.get(0)).endsWith("slurmd")
          && option > 0
          && option + 1 < words.size()
          && words.get(option + 1).equals(node);
    } catch (IOException e) {
      return false;
    }
  }
}
