package org.schedgpu.simulator.input;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The GPUs in the {@code Gres=} of a node, as Slurm prints it: {@code gpu:2080ti:4(S:0-1),shard:8}.
 *
 * @param type empty if they have none
 * @param count at least 1
 */
record NodeGpus(String type, long count) {
  private static final String NAME = "gpu";

  /** A {@code Gres=} that cannot be played. */
  static final class Unplayable extends Exception {
    private static final long serialVersionUID = 1L;

    Unplayable(String why) {
      super(why);
    }
  }

  /** Empty if there are none. */
  static Optional<NodeGpus> of(String gres) throws Unplayable {
    Map<String, Long> counts = new LinkedHashMap<>();
    for (String entry : gres.replaceAll("\\([^)]*\\)?", "").split(",", -1)) {
      String[] words = entry.split(":", -1);
      if (words[0].equals(NAME)) {
        boolean hasCount = words.length > 1 && words[words.length - 1].matches("[0-9]{1,9}");
        int types = words.length - (hasCount ? 2 : 1);
        if (types > 1) {
          throw new Unplayable("has a Gres= that cannot be read");
        }
        long count = hasCount ? Long.parseLong(words[words.length - 1]) : 1;
        counts.merge(types == 1 ? words[1] : "", count, Long::sum);
      }
    }
    counts.values().removeIf(count -> count == 0);
    if (counts.size() > 1) {
      throw new Unplayable("has GPUs of several types");
    }
    return counts.entrySet().stream().map(e -> new NodeGpus(e.getKey(), e.getValue())).findFirst();
  }
}
