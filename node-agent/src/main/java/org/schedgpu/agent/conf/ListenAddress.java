package org.schedgpu.agent.conf;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address for metrics: a value of MetricsListen.
 *
 * @param text as written
 */
public record ListenAddress(String text, SocketAddress address) {
  /** The allowed values, in words. */
  static final String ALLOWED = "127.0.0.1:PORT, [::1]:PORT or the absolute path of a UNIX socket";

  private static final String BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
  private static final Pattern HOST_AND_PORT =
      Pattern.compile(
          "(localhost|%s(?:\\.%s){3}|\\[[0-9a-fA-F:.]+\\]):([1-9][0-9]{0,4})"
              .formatted(BYTE, BYTE));
  private static final int MAX_PORT = 65535;

  /** The size of sun_path in unix(7), without the final byte. */
  private static final int MAX_PATH_BYTES = 107;

  /** Parses a value; empty if it is wrong. Asks no name server. */
  public static Optional<ListenAddress> of(String text) {
    if (text.startsWith("/")) {
      return text.getBytes(StandardCharsets.UTF_8).length > MAX_PATH_BYTES
          ? Optional.empty()
          : Optional.of(new ListenAddress(text, UnixDomainSocketAddress.of(text)));
    }
    Matcher matcher = HOST_AND_PORT.matcher(text);
    if (!matcher.matches() || Integer.parseInt(matcher.group(2)) > MAX_PORT) {
      return Optional.empty();
    }
    try {
      String host = matcher.group(1).equals("localhost") ? "127.0.0.1" : matcher.group(1);
      InetAddress address = InetAddress.getByName(host);
      int port = Integer.parseInt(matcher.group(2));
      return Optional.of(new ListenAddress(text, new InetSocketAddress(address, port)));
    } catch (UnknownHostException noAddress) {
      return Optional.empty();
    }
  }

  /** The file of a UNIX socket. */
  public Optional<Path> socketFile() {
    return address instanceof UnixDomainSocketAddress unix
        ? Optional.of(unix.getPath())
        : Optional.empty();
  }

  /** True if other machines could reach it. */
  boolean isPublic() {
    return address instanceof InetSocketAddress inet && !inet.getAddress().isLoopbackAddress();
  }
}
