package org.schedgpu.agent;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Learns what a CUDA context takes of a kind of device: what NVML says of a process, less what the
 * process allocated. No clock, no NVML: it is told what was seen.
 *
 * <p>A single look may be wrong, and only by too little: a process reserves before it allocates,
 * and frees before it gives back. So of each process the largest counts; of the processes the
 * median, so that one that goes around the library does not make all contexts large.
 */
final class ContextLearner {
  /** Fewer processes say nothing. */
  static final int LEAST_PROCESSES = 3;

  /** No context is larger; what is, is a program that goes around the library. */
  static final long LARGEST_BYTES = 4L << 30;

  /** What the driver rounds up to. */
  static final long PAGE_BYTES = 2L << 20;

  private static final int REMEMBERED = 63;

  /** A process, for as long as it lives. */
  record Seen(int pid, int record) {}

  /**
   * What was seen of a process that asks for its memory.
   *
   * @param nvmlBytes that it has of the device
   * @param inUseBytesBefore that it allocated, before that
   * @param inUseBytesAfter and after
   */
  record Look(Seen process, long nvmlBytes, long inUseBytesBefore, long inUseBytesAfter) {
    private OptionalLong contextBytes() {
      long bytes = nvmlBytes - Math.max(inUseBytesBefore, inUseBytesAfter);
      return bytes > 0 && bytes <= LARGEST_BYTES ? OptionalLong.of(bytes) : OptionalLong.empty();
    }
  }

  private final Map<Seen, Long> alive = new HashMap<>();
  private final Deque<Long> ended = new ArrayDeque<>();

  /** Takes what was seen of all processes on devices of this kind. */
  void see(List<Look> looks) {
    for (Look look : looks) {
      look.contextBytes().ifPresent(bytes -> alive.merge(look.process(), bytes, Math::max));
    }
    Set<Seen> there =
        looks.stream().map(Look::process).collect(java.util.stream.Collectors.toSet());
    List<Seen> gone = alive.keySet().stream().filter(p -> !there.contains(p)).toList();
    gone.forEach(process -> ended.addLast(alive.remove(process)));
    while (ended.size() > REMEMBERED) {
      ended.removeFirst();
    }
  }

  /** How many processes were seen. */
  int processes() {
    return alive.size() + ended.size();
  }

  /** What a context takes, in whole pages of the driver; empty while too few were seen. */
  OptionalLong contextBytes() {
    List<Long> all = new ArrayList<>(ended);
    all.addAll(alive.values());
    if (all.size() < LEAST_PROCESSES) {
      return OptionalLong.empty();
    }
    all.sort(null);
    long median = all.get(all.size() / 2);
    return OptionalLong.of((median + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
  }
}
