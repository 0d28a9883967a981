package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;

/**
 * Every change on the disk goes through this class, one call for one operation, so that a test can
 * stop the run before and after each of them.
 */
class Disk {
  /** Writes a new file that only its owner may read. An existing file is removed first. */
  void write(Path file, byte[] content) throws IOException {
    Files.deleteIfExists(file);
    Set<StandardOpenOption> options =
        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try (FileChannel channel = FileChannel.open(file, options, ownerOnly)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /** Sets the owner before the mode, because a change of owner may clear bits of the mode. */
  void own(Path file, FileState state) throws IOException {
    Map<String, Object> now = Files.readAttributes(file, "unix:uid,gid", LinkOption.NOFOLLOW_LINKS);
    if (!now.get("uid").equals(state.owner())) {
      Files.setAttribute(file, "unix:uid", state.owner(), LinkOption.NOFOLLOW_LINKS);
    }
    if (!now.get("gid").equals(state.group())) {
      Files.setAttribute(file, "unix:gid", state.group(), LinkOption.NOFOLLOW_LINKS);
    }
    Files.setAttribute(file, "unix:mode", state.modeBits());
  }

  /** Makes the content of a file, or the names in a folder, survive a loss of power. */
  void sync(Path fileOrFolder) throws IOException {
    try (FileChannel channel = FileChannel.open(fileOrFolder, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Renames atomically within one file system; replaces a file that has the new name. */
  void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Deletes a file or an empty folder, if it exists. */
  void delete(Path file) throws IOException {
    Files.deleteIfExists(file);
  }

  /** Makes a folder that only its owner may enter. */
  void makeFolder(Path folder) throws IOException {
    Files.createDirectory(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }
}
