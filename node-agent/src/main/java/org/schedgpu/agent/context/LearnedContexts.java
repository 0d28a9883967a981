package org.schedgpu.agent.context;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.schedgpu.gres.common.WholeFile;

/**
 * The size of a CUDA context, by kind of device and driver, in a file that outlives the agent.
 * {@code schedgpu gres facts} reads it, too. One line each: {@code ContextBytes=N Driver=V
 * Name="..."}.
 */
public final class LearnedContexts {
  private static final Pattern LINE =
      Pattern.compile("ContextBytes=(\\d{1,18}) Driver=(\\S+) Name=\"([^\"]*)\"");

  private final Path file;
  private final Map<Kind, Long> bytes;

  /** Contexts have one size if both are equal. */
  public record Kind(String name, String driver) implements Comparable<Kind> {
    @Override
    public int compareTo(Kind other) {
      int byName = name.compareTo(other.name);
      return byName != 0 ? byName : driver.compareTo(other.driver);
    }
  }

  private LearnedContexts(Path file, Map<Kind, Long> bytes) {
    this.file = file;
    this.bytes = bytes;
  }

  /** Reads the file; empty if it does not exist. Skips lines in another form. */
  public static LearnedContexts read(Path file) {
    Map<Kind, Long> bytes = new TreeMap<>();
    try {
      for (String line : Files.readAllLines(file)) {
        Matcher matcher = LINE.matcher(line.strip());
        if (matcher.matches()) {
          bytes.put(new Kind(matcher.group(3), matcher.group(2)), Long.parseLong(matcher.group(1)));
        }
      }
    } catch (IOException none) {
      return new LearnedContexts(file, bytes);
    }
    return new LearnedContexts(file, bytes);
  }

  /** The size of a context; empty if it was not learned. */
  public OptionalLong of(Kind kind) {
    Long known = bytes.get(kind);
    return known == null ? OptionalLong.empty() : OptionalLong.of(known);
  }

  /** Stores a size, also in the file. */
  void put(Kind kind, long contextBytes) throws IOException {
    bytes.put(kind, contextBytes);
    StringBuilder text =
        new StringBuilder(
            "# Written by schedgpu agent: what CUDA contexts take. May be removed.\n");
    bytes.forEach(
        (one, size) ->
            text.append(
                "ContextBytes=%d Driver=%s Name=\"%s\"\n"
                    .formatted(size, one.driver(), one.name().replace('"', '\''))));
    Files.createDirectories(file.toAbsolutePath().getParent());
    WholeFile.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
  }
}
