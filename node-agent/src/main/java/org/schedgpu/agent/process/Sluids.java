package org.schedgpu.agent.process;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Maps a SLUID to its job: from Slurm 26.05 on a job's control group of version 2 is named by its
 * SLUID, and no longer by its number. The prolog records the SLUID in the run directory
 * (libschedgpu/shell/sys/sluid.h).
 */
public final class Sluids {
  /** For nodes without records. */
  public static final Sluids NONE = new Sluids(Path.of("/nonexistent"));

  private static final Pattern GROUP =
      Pattern.compile("(/[^/]*slurmstepd\\.scope/)(?!system(?:/|$))([0-9A-Za-z]{1,31})(?=/|$)");

  private final Path folder;

  private Sluids(Path folder) {
    this.folder = folder;
  }

  /** The records of a run directory. */
  public static Sluids in(Path runDir) {
    return new Sluids(runDir.resolve("sluid"));
  }

  /** The number of a job; empty if it is not recorded. */
  OptionalLong job(String sluid) {
    try {
      return OptionalLong.of(
          Long.parseUnsignedLong(Files.readSymbolicLink(folder.resolve(sluid)).toString()));
    } catch (IOException | NumberFormatException notRecorded) {
      return OptionalLong.empty();
    }
  }

  /** The SLUID of a job; empty if none is recorded. */
  public Optional<String> sluid(long jobId) {
    try (DirectoryStream<Path> links = Files.newDirectoryStream(folder)) {
      for (Path link : links) {
        String name = link.getFileName().toString();
        if (job(name).equals(OptionalLong.of(jobId))) {
          return Optional.of(name);
        }
      }
    } catch (IOException none) {
      return Optional.empty();
    }
    return Optional.empty();
  }

  /**
   * A record of the prolog.
   *
   * @param key differs from that of a later record of the same SLUID
   */
  public record Link(String sluid, long jobId, Object key) {}

  /** All that are recorded. */
  public List<Link> all() {
    List<Link> all = new ArrayList<>();
    try (DirectoryStream<Path> links = Files.newDirectoryStream(folder)) {
      for (Path link : links) {
        String sluid = link.getFileName().toString();
        job(sluid).ifPresent(id -> all.add(new Link(sluid, id, key(link))));
      }
    } catch (IOException | DirectoryIteratorException none) {
      return List.of();
    }
    return all;
  }

  /** Its inode number, which a later file may get, and the time at which it was made. */
  private static Object key(Path link) {
    try {
      BasicFileAttributes facts =
          Files.readAttributes(link, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      return facts.fileKey() + " " + facts.lastModifiedTime();
    } catch (IOException gone) {
      return "";
    }
  }

  /** Removes a record, unless a newer one has replaced it. */
  public boolean forget(Link link) {
    Path file = folder.resolve(link.sluid());
    try {
      return key(file).equals(link.key()) && Files.deleteIfExists(file);
    } catch (IOException denied) {
      return false;
    }
  }

  /** A line of /proc/PID/cgroup with the job's number, as in other releases of Slurm. */
  String withNumber(String line) {
    Matcher group = GROUP.matcher(line);
    if (!group.find()) {
      return line;
    }
    OptionalLong job = job(group.group(2));
    return job.isEmpty()
        ? line
        : line.substring(0, group.start(2))
            + "job_"
            + Long.toUnsignedString(job.getAsLong())
            + line.substring(group.end(2));
  }
}
