package org.schedgpu.papers.paper001;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What {@code make demo} printed, as a page of the project shows it. */
final class Measured {
  /**
   * A row of the demo's table.
   *
   * @param done jobs that completed
   * @param totalS seconds
   * @param busyPercent GPU utilisation
   * @param memoryPercent memory used
   */
  record Run(int done, double totalS, double busyPercent, double memoryPercent) {}

  private static final String NUMBER = "([-0-9,.]+)";
  private static final Pattern ROW =
      Pattern.compile(
          "^(.{22}) +(\\d+)/12 +"
              + String.join(" +", NUMBER, NUMBER, NUMBER, NUMBER, NUMBER, NUMBER)
              + "$",
          Pattern.MULTILINE);

  private final Map<Configuration, Run> runs = new EnumMap<>(Configuration.class);

  private Measured() {}

  /** Of a page with the demo's table; its speed-ups come later and have other columns. */
  static Measured of(Path page) {
    Measured measured = new Measured();
    try {
      Matcher rows = ROW.matcher(Files.readString(page, StandardCharsets.UTF_8));
      while (rows.find()) {
        measured.add(rows);
      }
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
    return measured;
  }

  private void add(Matcher row) {
    for (Configuration configuration : Configuration.values()) {
      if (configuration.title().equals(row.group(1).strip())) {
        runs.putIfAbsent(
            configuration,
            new Run(
                Integer.parseInt(row.group(2)), number(row, 4), number(row, 6), number(row, 8)));
      }
    }
  }

  private static double number(Matcher row, int group) {
    return Double.parseDouble(row.group(group).replace(",", ""));
  }

  Optional<Run> of(Configuration configuration) {
    return Optional.ofNullable(runs.get(configuration));
  }
}
