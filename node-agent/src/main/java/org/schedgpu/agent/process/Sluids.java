package org.schedgpu.agent.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which job a SLUID is of: from Slurm 26.05 on a job's control group of version 2 is named by it,
 * and no more by its number. The prolog records it in the run directory
 * (libschedgpu/shell/sluid.h).
 */
public final class Sluids {
  /** Where nobody records any. */
  public static final Sluids NONE = new Sluids(Path.of("/nonexistent"));

  private static final Pattern GROUP =
      Pattern.compile("(/[^/]*slurmstepd\\.scope/)(?!system(?:/|$))([0-9A-Za-z]{1,31})(?=/|$)");

  private final Path folder;

  private Sluids(Path folder) {
    this.folder = folder;
  }

  /** Those that are recorded in a run directory. */
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

  /** A line of /proc/PID/cgroup with the job's number, as other releases of Slurm have it. */
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
