package org.schedgpu.agent.overrun;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import org.schedgpu.agent.user.ShareOwners;
import org.schedgpu.jna.Posix;
import org.schedgpu.jna.UserFiles;

/**
 * Knows the server of MPS, which belongs to nobody's program: the programs behind it are seen one
 * by one. A user may give any program its name, so the file counts: it is the one of the driver on
 * this node, also in a container that has it from there.
 */
final class MpsServer {
  private static final String NAME = "nvidia-cuda-mps";
  private static final List<Path> FOLDERS =
      List.of(Path.of("/usr/bin"), Path.of("/usr/local/bin"), Path.of("/opt/nvidia/bin"));
  private static final List<String> PROGRAMS = List.of(NAME + "-server", NAME + "-control");

  private final List<Path> folders;

  MpsServer(List<Path> folders) {
    this.folders = folders;
  }

  static MpsServer ofNode() {
    return new MpsServer(FOLDERS);
  }

  /**
   * @param process its folder in /proc; who may not read it believes the name
   * @param name of its program, as in {@code ps -o comm}
   * @param uid its user
   */
  boolean is(Path process, String name, int uid) {
    if (!name.startsWith(NAME)) {
      return false;
    }
    try {
      Object program =
          UserFiles.shared()
              .inTime(ShareOwners.ofMachine().of(uid), () -> key(process.resolve("exe")));
      return folders.stream()
          .flatMap(folder -> PROGRAMS.stream().map(folder::resolve))
          .anyMatch(file -> isAt(file, program));
    } catch (IOException denied) {
      return Posix.effectiveUid() != 0;
    }
  }

  private static boolean isAt(Path file, Object program) {
    try {
      return key(file).equals(program);
    } catch (IOException absent) {
      return false;
    }
  }

  /** Device and inode. */
  private static Object key(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
  }
}
