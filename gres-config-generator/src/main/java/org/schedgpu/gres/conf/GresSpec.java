package org.schedgpu.gres.conf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.schedgpu.gres.common.GresException;

/**
 * One part of a node's {@code Gres=} in slurm.conf: {@code gpu:k20m:2}.
 *
 * @param name such as gpu
 * @param type empty if none is named
 * @param count 1 if none is given
 * @param noConsume whether jobs share it without being counted
 */
public record GresSpec(String name, Optional<String> type, long count, boolean noConsume) {
  /**
   * Parses all parts of a node's Gres=.
   *
   * @throws org.schedgpu.gres.common.GresException if a part has a count that Slurm rejects
   */
  public static List<GresSpec> parse(Setting gres) {
    try {
      return parse(gres.value());
    } catch (GresException e) {
      throw e.in(gres.place().toString());
    }
  }

  /** Parses a value that does not come from a file. */
  public static List<GresSpec> parse(String gres) {
    return Arrays.stream(gres.split(",", -1))
        .filter(part -> !part.isBlank())
        .map(GresSpec::part)
        .toList();
  }

  private static GresSpec part(String part) {
    int sockets = part.lastIndexOf('(');
    List<String> words =
        new ArrayList<>(List.of((sockets < 0 ? part : part.substring(0, sockets)).split(":", -1)));
    String name = words.remove(0);
    long count = 1;
    if (!words.isEmpty() && words.get(words.size() - 1).matches("[0-9].*")) {
      String number = words.remove(words.size() - 1);
      OptionalLong value = GresCounts.parse(number);
      if (value.isEmpty()) {
        throw new GresException(
            "Gres= has the count %s in %s".formatted(number, Spaces.shown(part)),
            "write name:type:count, the count a number such as 4 or 32G");
      }
      count = value.getAsLong();
    }
    boolean noConsume = words.removeIf(word -> word.equalsIgnoreCase("no_consume"));
    return new GresSpec(name, words.stream().findFirst(), count, noConsume);
  }
}
