package org.schedgpu.rest;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where slurmrestd listens, and as whom to ask it.
 *
 * @param uri {@code http://HOST:PORT}, or {@code unix:/PATH} for its socket (rest_auth/local: asks
 *     as the user who runs this process)
 * @param user for a token; empty with a socket
 * @param token a JWT of {@code scontrol token}; sent as {@code X-SLURM-USER-TOKEN}
 * @param timeout for a whole call, the answer's last byte included
 */
public record SlurmRestAddress(
    URI uri, Optional<String> user, Optional<String> token, Duration timeout) {
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** Checks the URI and the token. No message contains the token. */
  public SlurmRestAddress {
    boolean unix = "unix".equals(uri.getScheme()) && uri.getSchemeSpecificPart().startsWith("/");
    boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
    if (!unix && !(http && uri.getHost() != null)) {
      throw new IllegalArgumentException(
          uri + ": no address of slurmrestd: give http://HOST:PORT or unix:/PATH");
    }
    if (!token.map(SlurmRestAddress::isToken).orElse(true)) {
      throw new IllegalArgumentException("the token is not one word of ASCII characters");
    }
  }

  /**
   * True for text that can be a token: one word. Anything else would be refused as a header, by a
   * message that contains it.
   */
  public static boolean isToken(String text) {
    return text.matches("[!-~]+");
  }

  /** Without the token. */
  @Override
  public String toString() {
    return uri + user.map(name -> " as " + name).orElse("");
  }

  /** slurmrestd's UNIX socket. */
  public static SlurmRestAddress socket(Path socket) {
    return new SlurmRestAddress(
        URI.create("unix:" + socket.toAbsolutePath()), Optional.empty(), Optional.empty(), TIMEOUT);
  }

  /** slurmrestd over TCP, with a token of {@code scontrol token}. */
  public static SlurmRestAddress token(URI uri, String user, String token) {
    return new SlurmRestAddress(uri, Optional.of(user), Optional.of(token), TIMEOUT);
  }

  /** The same with another time-out for each call. */
  public SlurmRestAddress within(Duration other) {
    return new SlurmRestAddress(uri, user, token, other);
  }

  Optional<Path> unixSocket() {
    return "unix".equals(uri.getScheme())
        ? Optional.of(Path.of(uri.getSchemeSpecificPart()))
        : Optional.empty();
  }

  /** The address for the generated clients, which support only HTTP addresses. */
  String baseUri() {
    String text = unixSocket().isPresent() ? "http://localhost" : uri.toString();
    return text.endsWith("/") ? text.substring(0, text.length() - 1) : text;
  }
}
