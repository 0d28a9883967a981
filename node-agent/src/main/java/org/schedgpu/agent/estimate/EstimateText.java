package org.schedgpu.agent.estimate;

import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.schedgpu.agent.text.Texts;
import org.schedgpu.jna.Printable;

/** An estimate as text: at most 80 columns, except for file names. */
public final class EstimateText {
  private static final int WIDTH = 76;
  private static final String INDENT = "    ";

  private EstimateText() {}

  /**
   * The calls, the size of each as far as it is known, and the sum.
   *
   * @param answer of {@link EstimateJar#ask}
   * @param option formats the option for a number of bytes
   */
  public static String of(Map<String, Object> answer, LongFunction<String> option) {
    StringBuilder text = new StringBuilder();
    List<?> allocations = (List<?>) answer.get("allocations");
    allocations.forEach(one -> text.append(call((Map<?, ?>) one)));
    if (allocations.isEmpty()) {
      return text.append("no call allocates device memory\n").toString();
    }
    long unknown = number(answer, "unknown");
    long known = allocations.size() - unknown;
    text.append(known).append(" of ").append(Texts.count(allocations.size(), "call", "calls"));
    text.append(" known: ").append(size(number(answer, "knownBytes")));
    text.append(unknown > 0 ? ", and what the others need" : " together").append('\n');
    paragraph(text, frees(number(answer, "frees")));
    if (unknown > 0) {
      paragraph(text, "Give the missing values with -D NAME=VALUE, or run the program once.");
    } else {
      text.append(option.apply(number(answer, "knownBytes"))).append('\n');
    }
    return text.toString();
  }

  private static String frees(long frees) {
    return frees == 0
        ? "Nothing is freed: this is what it uses at its end. CUDA contexts are not included."
        : "The peak is at most this sum: "
            + Texts.count(frees, "call frees", "calls free")
            + " memory, perhaps earlier. CUDA contexts are not included.";
  }

  private static String call(Map<?, ?> one) {
    StringBuilder text = new StringBuilder();
    Object bytes = one.get("bytes");
    text.append(Printable.of(String.valueOf(one.get("file"))))
        .append(':')
        .append(one.get("line"))
        .append("  ");
    text.append(bytes instanceof Number size ? size(size.longValue()) : "unknown");
    text.append('\n');
    indented(text, String.valueOf(one.get("text")));
    if (one.get("unknown") != null) {
      indented(text, "because " + one.get("unknown"));
    }
    return text.toString();
  }

  /** As in other commands, but smaller sizes in KiB and bytes. */
  private static String size(long bytes) {
    if (bytes < 1L << 10) {
      return bytes + " B";
    }
    return bytes < 1L << 20 ? (bytes + 512) / 1024 + " KiB" : Texts.size(bytes);
  }

  private static void indented(StringBuilder text, String words) {
    Texts.wrap(words, WIDTH - INDENT.length())
        .forEach(line -> text.append(INDENT).append(line).append('\n'));
  }

  private static void paragraph(StringBuilder text, String words) {
    Texts.wrap(words, WIDTH).forEach(line -> text.append(line).append('\n'));
  }

  private static long number(Map<String, Object> answer, String key) {
    return answer.get(key) instanceof Number number ? number.longValue() : 0;
  }
}
