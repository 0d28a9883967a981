package org.schedgpu.agent.user;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Stream;
import org.schedgpu.jna.Posix;

/**
 * The owners of the user ids of rootless containers ({@code /etc/subuid}, see subuid(5)), which
 * share the agent with their owner. Malformed lines are skipped, as useradd does.
 */
public final class SubordinateUsers {
  /** The broker's limit (SCHEDGPU_BROKER_MAX_SUBORDINATES); only the first ranges count. */
  static final int MOST = 4096;

  private static final long USER_IDS = 1L << 32;

  /** {@code count} ids from {@code first} on; if the owner is unknown, it is {@code first}. */
  public record Range(int first, int count, int owner) {}

  private final Path file;
  private final Function<String, OptionalInt> userId;
  private Optional<FileTime> read = Optional.empty();
  private boolean readOnce;

  /** Of this machine. */
  public SubordinateUsers() {
    this(Path.of("/etc/subuid"), Posix::userId);
  }

  SubordinateUsers(Path file, Function<String, OptionalInt> userId) {
    this.file = file;
    this.userId = userId;
  }

  /** The ranges, if the file has changed since the last call. */
  public Optional<List<Range>> changed() {
    Optional<FileTime> now = modified();
    if (readOnce && now.equals(read)) {
      return Optional.empty();
    }
    readOnce = true;
    read = now;
    return Optional.of(ranges());
  }

  private Optional<FileTime> modified() {
    try {
      return Optional.of(Files.getLastModifiedTime(file));
    } catch (IOException none) {
      return Optional.empty();
    }
  }

  private List<Range> ranges() {
    try (Stream<String> lines = Files.lines(file)) {
      Map<String, OptionalInt> owners = new HashMap<>();
      List<Range> ranges = new ArrayList<>();
      lines.limit(MOST).forEach(line -> range(line, owners).ifPresent(ranges::add));
      return ranges;
    } catch (IOException | java.io.UncheckedIOException none) {
      return List.of();
    }
  }

  private Optional<Range> range(String line, Map<String, OptionalInt> owners) {
    String[] parts = line.strip().split(":", -1);
    if (parts.length != 3) {
      return Optional.empty();
    }
    try {
      long first = Long.parseLong(parts[1]);
      long count = Long.parseLong(parts[2]);
      if (first <= 0 || count <= 0 || first + count > USER_IDS) {
        return Optional.empty();
      }
      int owner =
          owners.computeIfAbsent(parts[0], this::number).orElse((int) first); // not known here
      return Optional.of(new Range((int) first, (int) count, owner));
    } catch (NumberFormatException none) {
      return Optional.empty();
    }
  }

  /** A name of digits is a user id, as in subuid(5). */
  private OptionalInt number(String owner) {
    try {
      return OptionalInt.of(Integer.parseUnsignedInt(owner));
    } catch (NumberFormatException name) {
      return userId.apply(owner);
    }
  }
}
