package org.schedgpu.jna;

import com.sun.jna.Native;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The file {@code learned} in the run directory, by which the root side decides jobs with
 * DefaultMem=learned. libschedgpu alone knows its format ({@code schedgpu/conf_text.h}).
 */
public final class LearnedTable {
  private static final int ERROR_SIZE = 8192;

  private LearnedTable() {}

  /**
   * What a user's jobs of a name are to get.
   *
   * @param budgetBytes of each device
   * @param name of the job; one with control characters is left out
   */
  public record Line(int uid, long budgetBytes, String name) {}

  /**
   * Replaces the file as a whole, if something changed. Only one thread may do it.
   *
   * @param runDir where the region is
   * @param lines of more than 1 MiB the first
   * @throws SchedGpuException if the file cannot be written, with the reason
   */
  public static void write(Path runDir, List<Line> lines) {
    CLibrary.load();
    byte[] error = new byte[ERROR_SIZE];
    int result =
        CApi.schedgpu_learned_write(
            runDir.toString(),
            lines.stream().mapToInt(Line::uid).toArray(),
            lines.stream().mapToLong(Line::budgetBytes).toArray(),
            names(lines),
            lines.size(),
            error,
            error.length);
    if (result != 0) {
      throw new SchedGpuException(
          ErrorCode.of(result), Native.toString(error, StandardCharsets.UTF_8.name()));
    }
  }

  /** Each with its final NUL; none has one inside, lest it shift those behind it. */
  private static byte[] names(List<Line> lines) {
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    for (Line line : lines) {
      names.writeBytes(line.name().replace('\0', '\n').getBytes(StandardCharsets.UTF_8));
      names.write(0);
    }
    return names.toByteArray();
  }
}
