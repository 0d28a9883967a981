package org.schedgpu.jna;

import com.sun.jna.Native;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * The files {@code learned} and {@code learned.persistent} in the run directory. From the first the
 * root side takes budgets, with DefaultMem=learned; from the second what a lane job keeps between
 * its turns. Only libschedgpu knows its format ({@code schedgpu/conf_text.h}).
 */
public final class LearnedTable {
  private static final int ERROR_SIZE = 8192;

  private LearnedTable() {}

  /**
   * What a user's jobs of one name needed.
   *
   * @param bytes of each device
   * @param name of the job; a name with control characters is left out
   */
  public record Line(int uid, long bytes, String name) {}

  /** A file, by its number in {@code schedgpu/conf_text.h}. */
  public enum Table {
    BUDGETS(0),
    PERSISTENT(1);

    private final int number;

    Table(int number) {
      this.number = number;
    }
  }

  /**
   * Replaces the whole file if something changed. Only one thread may call it.
   *
   * @param runDir folder of the region
   * @param lines if they exceed 1 MiB, only the first ones are written
   * @throws SchedGpuException if the file cannot be written, with the reason
   */
  public static void write(Path runDir, Table table, List<Line> lines) {
    CLibrary.load();
    byte[] error = new byte[ERROR_SIZE];
    int result =
        CApi.schedgpu_learned_write(
            runDir.toString(),
            table.number,
            lines.stream().mapToInt(Line::uid).toArray(),
            lines.stream().mapToLong(Line::bytes).toArray(),
            names(lines),
            lines.size(),
            error,
            error.length);
    if (result != 0) {
      throw new SchedGpuException(
          ErrorCode.of(result), Native.toString(error, StandardCharsets.UTF_8.name()));
    }
  }

  /**
   * Each text has its final NUL. None has one inside, because that would shift the texts behind it.
   */
  private static byte[] names(List<Line> lines) {
    ByteArrayOutputStream names = new ByteArrayOutputStream();
    for (Line line : lines) {
      names.writeBytes(line.name().replace('\0', '\n').getBytes(StandardCharsets.UTF_8));
      names.write(0);
    }
    return names.toByteArray();
  }
}
