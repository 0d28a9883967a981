package org.schedgpu.gres.common;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Set;

/**
 * Writes a file as a whole or not at all, also as root in a folder where users may make links: the
 * new file has a name that nobody can guess, is made by the call that opens it (O_EXCL), and takes
 * the place of whatever has the name of the target. No link of a user is followed.
 */
public final class WholeFile {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final int RANDOM_BYTES = 8;

  /** Where a link is the system's: /dev/stdout, /dev/fd/63, /proc/self/fd/1. */
  private static final Set<String> SYSTEM = Set.of("dev", "proc");

  private WholeFile() {}

  /**
   * Replaces a regular file or a link. What is neither nor a folder, such as /dev/stdout or a named
   * pipe, is opened and written to.
   *
   * @param attributes of a new file, as its mode
   * @throws IOException if it cannot be written; the file is as before then
   */
  public static void write(Path file, byte[] content, FileAttribute<?>... attributes)
      throws IOException {
    if (isSpecial(file)) {
      OpenOption[] options =
          isOfTheSystem(file)
              ? new OpenOption[] {StandardOpenOption.WRITE}
              : new OpenOption[] {StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS};
      try (OutputStream out = Files.newOutputStream(file, options)) {
        out.write(content);
      }
      return;
    }
    Path whole = file.toAbsolutePath();
    Path fresh = whole.resolveSibling("." + whole.getFileName() + "." + unguessable());
    try {
      store(fresh, content, attributes);
      Files.move(fresh, whole, StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** The same, with a mode such as {@code rw-------}, less the umask. */
  public static void write(Path file, byte[] content, String mode) throws IOException {
    write(
        file, content, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
  }

  private static boolean isSpecial(Path file) throws IOException {
    if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    BasicFileAttributes what =
        Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (Files.isDirectory(file)) {
      throw new FileSystemException(file.toString(), null, "it is a folder");
    }
    return what.isOther() || (what.isSymbolicLink() && isOfTheSystem(file));
  }

  private static boolean isOfTheSystem(Path file) {
    Path whole = file.toAbsolutePath().normalize();
    return whole.getNameCount() > 1
        && SYSTEM.contains(whole.getName(0).toString())
        && !whole.startsWith("/dev/shm");
  }

  private static String unguessable() {
    byte[] bytes = new byte[RANDOM_BYTES];
    RANDOM.nextBytes(bytes);
    return HexFormat.of().formatHex(bytes) + ".new";
  }

  private static void store(Path fresh, byte[] content, FileAttribute<?>... attributes)
      throws IOException {
    Set<OpenOption> options =
        Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW, LinkOption.NOFOLLOW_LINKS);
    try (FileChannel channel = FileChannel.open(fresh, options, attributes)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }
}
