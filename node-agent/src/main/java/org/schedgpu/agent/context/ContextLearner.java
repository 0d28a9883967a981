package org.schedgpu.agent.context;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Learns how much memory a CUDA context takes on a type of device: the memory that NVML reports for
 * a process, minus what the process allocated. The caller passes the samples in; this class uses
 * neither a clock nor NVML.
 *
 * <p>A single sample can be too small, never too large: a process reserves memory before it
 * allocates it, and frees it before it gives the reservation back. So the largest sample of a
 * process counts, then the median of a user's processes, then the median of all users. A user who
 * starts many processes still has one vote.
 */
final class ContextLearner {
  /** With fewer processes the result is unknown. */
  static final int LEAST_PROCESSES = 3;

  /** No context is larger. A larger value means that the program allocates around the library. */
  static final long LARGEST_BYTES = 4L << 30;

  /** The page size to which the driver rounds. */
  static final long PAGE_BYTES = 2L << 20;

  /** How many ended processes are remembered for each user. */
  static final int REMEMBERED = 15;

  /** How many users are remembered; the user whose last process ended first is forgotten. */
  static final int REMEMBERED_USERS = 64;

  /** A process, for as long as it lives. */
  record Seen(int uid, int pid, int record) {}

  /**
   * A sample of a process that asks for its memory.
   *
   * @param nvmlBytes its use of the device according to NVML
   * @param inUseBytesBefore its allocations before NVML was asked
   * @param inUseBytesAfter its allocations afterwards
   */
  record Sample(Seen process, long nvmlBytes, long inUseBytesBefore, long inUseBytesAfter) {
    private OptionalLong contextBytes() {
      long bytes = nvmlBytes - Math.max(inUseBytesBefore, inUseBytesAfter);
      return bytes > 0 && bytes <= LARGEST_BYTES ? OptionalLong.of(bytes) : OptionalLong.empty();
    }
  }

  private final Map<Seen, Long> alive = new HashMap<>();

  /** By user, oldest first. */
  private final Map<Integer, Deque<Long>> ended = new LinkedHashMap<>();

  /** Takes samples of all processes on devices of this kind. */
  void observe(List<Sample> samples) {
    for (Sample sample : samples) {
      sample.contextBytes().ifPresent(bytes -> alive.merge(sample.process(), bytes, Math::max));
    }
    Set<Seen> there = samples.stream().map(Sample::process).collect(Collectors.toSet());
    List<Seen> gone = alive.keySet().stream().filter(p -> !there.contains(p)).toList();
    gone.forEach(process -> remember(process.uid(), alive.remove(process)));
  }

  private void remember(int uid, long bytes) {
    Deque<Long> its = ended.containsKey(uid) ? ended.remove(uid) : new ArrayDeque<>();
    its.addLast(bytes);
    if (its.size() > REMEMBERED) {
      its.removeFirst();
    }
    ended.put(uid, its); // at the end
    if (ended.size() > REMEMBERED_USERS) {
      ended.remove(ended.keySet().iterator().next());
    }
  }

  private Map<Integer, List<Long>> byUser() {
    Map<Integer, List<Long>> all = new TreeMap<>();
    ended.forEach((uid, sizes) -> all.put(uid, new ArrayList<>(sizes)));
    alive.forEach(
        (process, bytes) ->
            all.computeIfAbsent(process.uid(), uid -> new ArrayList<>()).add(bytes));
    return all;
  }

  /** The number of processes seen. */
  int processes() {
    return alive.size() + ended.values().stream().mapToInt(Deque::size).sum();
  }

  /** The number of their users. */
  int users() {
    return byUser().size();
  }

  /** The size of a context in whole pages of the driver; empty until enough processes were seen. */
  OptionalLong contextBytes() {
    if (processes() < LEAST_PROCESSES) {
      return OptionalLong.empty();
    }
    long bytes = median(byUser().values().stream().map(ContextLearner::median).toList());
    return OptionalLong.of((bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES);
  }

  /** Of two middle values the larger: rather too much than too little is reserved. */
  private static long median(List<Long> sizes) {
    return sizes.stream().sorted().skip(sizes.size() / 2).findFirst().orElseThrow();
  }
}
