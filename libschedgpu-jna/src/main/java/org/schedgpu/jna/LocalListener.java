package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * A socket in the file system to which everybody may connect. Java's own socket would do, but it
 * reports the name of the user at the other end, and two users can have the same name. Never
 * blocks.
 */
public final class LocalListener implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int SOCK_STREAM = 1;
  private static final int PATH_SIZE = 108;
  private static final int O_PATH = 0x200000;
  private static final int O_NOFOLLOW =
      Set.of("aarch64", "ppc64le").contains(System.getProperty("os.arch")) ? 0x8000 : 0x20000;
  private static final int S_IFMT = 0170000;
  private static final int S_IFSOCK = 0140000;
  private static final int BACKLOG = 64;

  private final Path path;
  private final int descriptor;

  private LocalListener(Path path, int descriptor) {
    this.path = path;
    this.descriptor = descriptor;
  }

  /** Listens at {@code path} from now on, in place of an earlier listener. */
  public static LocalListener open(Path path) {
    Path made = path.resolveSibling(path.getFileName() + ".new");
    byte[] address = address(made);
    int socket = -1;
    try {
      Files.deleteIfExists(made);
      socket = Linux.socket(AF_UNIX, SOCK_STREAM | Linux.CLOEXEC | Linux.NONBLOCK, 0);
      Linux.bind(socket, address, address.length);
      openToAll(made);
      Linux.listen(socket, BACKLOG);
      // moved into place, so that the name never leads to a socket on which nobody listens
      Files.move(made, path, StandardCopyOption.ATOMIC_MOVE);
      return new LocalListener(path, socket);
    } catch (LastErrorException problem) {
      closeIfOpen(socket);
      throw Linux.failure("listen at " + path, problem);
    } catch (IOException problem) {
      closeIfOpen(socket);
      throw new SchedGpuException(
          ErrorCode.ESYSTEM,
          "cannot listen at " + path + " (" + IoReason.of(problem) + "): check the folder");
    }
  }

  /**
   * Lets everybody connect to a socket that this process has just made. Users may be able to
   * replace its name, by a link to a file of root's for example: that changes no mode. Thread-safe.
   *
   * @throws IOException if the name leads to no socket, or the mode cannot be changed
   */
  public static void openToAll(Path socket) throws IOException {
    int handle;
    try {
      handle = Linux.open(socket.toString(), O_PATH | O_NOFOLLOW | Linux.CLOEXEC);
    } catch (LastErrorException problem) {
      throw new IOException(socket + ": " + Posix.errorText(problem.getErrorCode()), problem);
    }
    try {
      Path same = Path.of("/proc/self/fd/" + handle); // leads to what is open, whatever its name
      if (((int) Files.getAttribute(same, "unix:mode") & S_IFMT) != S_IFSOCK) {
        throw new IOException(socket + ": somebody replaced the socket: choose another folder");
      }
      Files.setPosixFilePermissions(same, PosixFilePermissions.fromString("rw-rw-rw-"));
    } finally {
      Linux.close(handle);
    }
  }

  private static void closeIfOpen(int socket) {
    if (socket >= 0) {
      Linux.close(socket);
    }
  }

  /** struct sockaddr_un. */
  private static byte[] address(Path path) {
    byte[] name = path.toString().getBytes(StandardCharsets.UTF_8);
    if (name.length >= PATH_SIZE) {
      throw new SchedGpuException(
          ErrorCode.EINVAL,
          "cannot listen at %s: %d bytes are too long for a socket, %d are possible: choose a shorter RunDir"
              .formatted(path, name.length, PATH_SIZE - 1));
    }
    return ByteBuffer.allocate(2 + name.length + 1)
        .order(ByteOrder.nativeOrder())
        .putShort((short) AF_UNIX)
        .put(name)
        .array();
  }

  public Path path() {
    return path;
  }

  /** Readable when somebody has connected. */
  public int descriptor() {
    return descriptor;
  }

  /** The next connection; empty if there is none, or if its client has already gone. */
  public Optional<LocalPeer> accept() {
    try {
      return Optional.of(
          LocalPeer.of(Linux.accept4(descriptor, null, null, Linux.CLOEXEC | Linux.NONBLOCK)));
    } catch (LastErrorException nobody) {
      return Optional.empty();
    }
  }

  /** The name stays, and the next listener takes it over. Until then connecting fails. */
  @Override
  public void close() {
    Linux.close(descriptor);
  }
}
