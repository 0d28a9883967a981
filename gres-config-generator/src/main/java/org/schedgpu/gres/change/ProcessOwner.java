package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The user and group of this process, which own the files that it makes.
 *
 * @param owner uid
 * @param group gid
 */
record ProcessOwner(int owner, int group) {
  static ProcessOwner ofThisProcess() {
    try {
      Map<String, Object> ids = Files.readAttributes(Path.of("/proc/self"), "unix:uid,gid");
      return new ProcessOwner((int) ids.get("uid"), (int) ids.get("gid"));
    } catch (IOException e) {
      throw DiskProblem.of("/proc/self cannot be read", e);
    }
  }

  FileState newFile(byte[] content, int modeBits) {
    return FileState.of(content, owner, group, modeBits);
  }
}
