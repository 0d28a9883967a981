package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * A port, or a socket in the file system to which everybody may connect. Java's own sockets would
 * do, but they report the name of the user at the other end, and two users can have the same name.
 * Never blocks.
 */
public final class SocketListener implements AutoCloseable {
  private static final int AF_UNIX = 1;
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int SOCK_STREAM = 1;
  private static final int SOL_SOCKET = 1;
  private static final int SO_REUSEADDR = 2;
  private static final int IPPROTO_IPV6 = 41;
  private static final int IPV6_V6ONLY = 26;
  private static final int PATH_SIZE = 108;
  private static final int INET6_SIZE = 28;
  private static final int IPV6_BYTES = 16;
  private static final Path IPV6 = Path.of("/proc/net/if_inet6");
  private static final int O_PATH = 0x200000;
  private static final int O_NOFOLLOW =
      Set.of("aarch64", "ppc64le").contains(System.getProperty("os.arch")) ? 0x8000 : 0x20000;
  private static final int S_IFMT = 0170000;
  private static final int S_IFSOCK = 0140000;
  private static final int BACKLOG = 64;

  private final int descriptor;
  private Optional<Path> removed = Optional.empty();

  private SocketListener(int descriptor) {
    this.descriptor = descriptor;
  }

  /** Listens at {@code path} from now on, in place of an earlier listener. */
  public static SocketListener inPlaceOf(Path path) {
    Path made = path.resolveSibling(path.getFileName() + ".new");
    byte[] address = unix(made);
    try {
      Files.deleteIfExists(made);
      SocketListener listener = listen(address, Optional.of(made));
      try {
        // moved into place, so that the name never leads to a socket on which nobody listens
        Files.move(made, path, StandardCopyOption.ATOMIC_MOVE);
      } catch (IOException problem) {
        listener.close();
        throw problem;
      }
      return listener;
    } catch (IOException problem) {
      throw new SchedGpuException(
          ErrorCode.ESYSTEM,
          "cannot listen at " + path + " (" + IoReason.of(problem) + "): check the folder");
    }
  }

  /**
   * Listens at a port or a path that is free. A socket on which nobody listens remains from a
   * killed process, and is replaced; nothing else is removed. The path is removed at the end.
   *
   * @throws IOException with the reason of the system
   */
  public static SocketListener at(SocketAddress address) throws IOException {
    if (address instanceof UnixDomainSocketAddress unix) {
      removeLeft(unix);
      SocketListener listener = listen(unix(unix.getPath()), Optional.of(unix.getPath()));
      listener.removed = Optional.of(unix.getPath());
      return listener;
    }
    return listen(port((InetSocketAddress) address), Optional.empty());
  }

  private static SocketListener listen(byte[] address, Optional<Path> file) throws IOException {
    int family = ByteBuffer.wrap(address).order(ByteOrder.nativeOrder()).getShort();
    int socket = -1;
    boolean listens = false;
    try {
      socket = Linux.socket(family, SOCK_STREAM | Linux.CLOEXEC | Linux.NONBLOCK, 0);
      if (family != AF_UNIX) {
        Linux.setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, new int[] {1}, Integer.BYTES);
      }
      if (family == AF_INET6) { // :: is also every address of IPv4, whatever the host's default is
        Linux.setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, new int[] {0}, Integer.BYTES);
      }
      Linux.bind(socket, address, address.length);
      if (file.isPresent()) {
        openToAll(file.get());
      }
      Linux.listen(socket, BACKLOG);
      listens = true;
      return new SocketListener(socket);
    } catch (LastErrorException problem) {
      throw new IOException(Posix.errorText(problem.getErrorCode()), problem);
    } finally {
      if (!listens && socket >= 0) {
        Linux.close(socket);
      }
    }
  }

  private static void removeLeft(UnixDomainSocketAddress address) throws IOException {
    Path file = address.getPath();
    if (!Files.exists(file)) {
      return;
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(address);
    } catch (ConnectException refused) {
      if (isSocket(file)) {
        Files.delete(file);
      }
    }
  }

  private static boolean isSocket(Path file) throws IOException {
    return ((int) Files.getAttribute(file, "unix:mode") & S_IFMT) == S_IFSOCK;
  }

  /**
   * Lets everybody connect to a socket that this process has just made. Users may be able to
   * replace its name, by a link to a file of root's for example: that changes no mode.
   *
   * @throws IOException if the name leads to no socket, or the mode cannot be changed
   */
  static void openToAll(Path socket) throws IOException {
    int handle;
    try {
      handle = Linux.open(socket.toString(), O_PATH | O_NOFOLLOW | Linux.CLOEXEC);
    } catch (LastErrorException problem) {
      throw new IOException(socket + ": " + Posix.errorText(problem.getErrorCode()), problem);
    }
    try {
      Path same = Path.of("/proc/self/fd/" + handle); // leads to what is open, whatever its name
      if (!isSocket(same)) {
        throw new IOException(socket + ": somebody replaced the socket: choose another folder");
      }
      Files.setPosixFilePermissions(same, PosixFilePermissions.fromString("rw-rw-rw-"));
    } finally {
      Linux.close(handle);
    }
  }

  /** struct sockaddr_un. */
  private static byte[] unix(Path path) {
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

  /** struct sockaddr_in or sockaddr_in6. */
  private static byte[] port(InetSocketAddress port) {
    InetAddress host = port.getAddress();
    boolean isEvery = host.isAnyLocalAddress() && Files.exists(IPV6); // those of IPv6 included
    byte[] bytes = isEvery ? new byte[IPV6_BYTES] : host.getAddress();
    boolean isIpv6 = bytes.length == IPV6_BYTES;
    ByteBuffer to =
        ByteBuffer.allocate(INET6_SIZE)
            .order(ByteOrder.nativeOrder())
            .putShort((short) (isIpv6 ? AF_INET6 : AF_INET))
            .order(ByteOrder.BIG_ENDIAN)
            .putShort((short) port.getPort());
    if (isIpv6) {
      to.putInt(0); // flow
    }
    to.put(bytes);
    if (host instanceof Inet6Address scoped) {
      to.order(ByteOrder.nativeOrder()).putInt(scoped.getScopeId());
    }
    return to.array();
  }

  /** Readable when somebody has connected. */
  public int descriptor() {
    return descriptor;
  }

  /** The next connection; empty if there is none, or none can be taken now. */
  public Optional<SocketPeer> accept() {
    try {
      return Optional.of(
          SocketPeer.of(Linux.accept4(descriptor, null, null, Linux.CLOEXEC | Linux.NONBLOCK)));
    } catch (LastErrorException nobody) {
      return Optional.empty();
    }
  }

  /**
   * A name that replaced another one stays. Until the next listener takes it over, connecting
   * fails.
   */
  @Override
  public void close() {
    Linux.close(descriptor);
    try {
      if (removed.isPresent()) {
        Files.deleteIfExists(removed.get());
      }
    } catch (IOException stays) {
      return; // the next listener replaces it
    }
  }
}
