package org.schedgpu.gres.live;

import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The GPUs and shards in a {@code Gres=}; other GRES and sockets are ignored. */
public final class GpuCounts {
  private static final int KIBI = 1024;

  /** Slurm may write 1024 as 1K. */
  private static final Pattern COUNT = Pattern.compile("([0-9]{1,9})([kK]?)");

  private GpuCounts() {}

  /** The count of each type; no type is the empty text. */
  public static Map<String, Long> of(String gres) {
    Map<String, Long> counts = new TreeMap<>();
    for (String part : gres.replaceAll("\\([^)]*\\)", "").split(",", -1)) {
      String[] words = part.strip().split(":", -1);
      if (words[0].equals("gpu")) {
        Matcher count = COUNT.matcher(words[words.length - 1]);
        boolean counted = words.length > 1 && count.matches();
        String type = words.length > (counted ? 2 : 1) ? words[1] : "";
        counts.merge(type, counted ? number(count) : 1, Long::sum);
      }
    }
    return counts;
  }

  private static long number(Matcher count) {
    return Long.parseLong(count.group(1)) * (count.group(2).isEmpty() ? 1 : KIBI);
  }

  /** The count of all types together. */
  public static long total(String gres) {
    return of(gres).values().stream().mapToLong(Long::longValue).sum();
  }

  /** The number of shards, of all types together. */
  public static long shards(String gres) {
    long shards = 0;
    for (String part : gres.replaceAll("\\([^)]*\\)", "").split(",", -1)) {
      String[] words = part.strip().split(":", -1);
      Matcher count = COUNT.matcher(words[words.length - 1]);
      if (words[0].equals("shard") && words.length > 1 && count.matches()) {
        shards += number(count);
      }
    }
    return shards;
  }

  /** True if both have the same count of each type, in any order, and of shards. */
  public static boolean same(String oneGres, String otherGres) {
    return of(oneGres).equals(of(otherGres)) && shards(oneGres) == shards(otherGres);
  }

  /** The text for messages, also for a node without GPUs. */
  public static String shown(String gres) {
    return gres.isEmpty() ? "no GPU" : gres;
  }
}
