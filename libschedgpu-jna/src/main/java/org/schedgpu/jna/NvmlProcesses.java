package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The processes of a device, from NVML's three lists. The name of the function does not tell the
 * size of an entry: it is 16 bytes in the oldest drivers, 24 in most, and 32 in 535.43 to 535.86,
 * under the same name. So the buffer is filled with a pattern first; how much of it NVML overwrites
 * shows the size of an entry.
 */
final class NvmlProcesses {
  private static final List<String> COMPUTE = versions("Compute");

  /** The versions of each function, newest first. */
  private static final List<List<String>> KINDS =
      List.of(COMPUTE, versions("Graphics"), versions("MPSCompute"));

  private static final int NOT_SUPPORTED = 3;
  private static final int NO_PERMISSION = 4;
  private static final int INSUFFICIENT_SIZE = 7;
  private static final int FUNCTION_NOT_FOUND = 13;
  private static final int WORD = 8;
  private static final int LARGEST_ENTRY = 32;
  private static final int MIDDLE_ENTRY = 24;
  private static final int SMALLEST_ENTRY = 16;
  private static final byte PATTERN = (byte) 0xa5;
  private static final long UNTOUCHED = 0xa5a5a5a5a5a5a5a5L;
  private static final long NOT_AVAILABLE = -1;
  private static final int MAX_TRIES = 10;

  /** A function of NVML by its name; empty if this version lacks it. */
  interface Library {
    Optional<Integer> call(String function, Object... arguments);
  }

  private final Library library;
  private final Pointer device;

  /** Kept, because three lists are read for each device, again and again. */
  private final Memory count = new Memory(Integer.BYTES);

  NvmlProcesses(Library library, Pointer device) {
    this.library = library;
    this.device = device;
  }

  /**
   * Each process once, by pid. For a process in several lists, the largest use counts.
   *
   * @return empty if NVML does not report processes, or not to this user
   */
  Optional<List<GpuProcess>> all() {
    Map<Integer, OptionalLong> found = new TreeMap<>();
    for (List<String> kind : KINDS) {
      Optional<List<GpuProcess>> list = ofKind(kind);
      if (list.isEmpty() && kind.equals(COMPUTE)) {
        return Optional.empty();
      }
      list.ifPresent(processes -> largest(found, sums(processes)));
    }
    return Optional.of(
        found.entrySet().stream().map(e -> new GpuProcess(e.getKey(), e.getValue())).toList());
  }

  /** One list may name a process several times: once for each instance of a divided device. */
  private static Map<Integer, OptionalLong> sums(List<GpuProcess> processes) {
    Map<Integer, OptionalLong> sums = new TreeMap<>();
    processes.forEach(
        p ->
            sums.merge(
                p.pid(),
                p.usedBytes(),
                (a, b) ->
                    a.isPresent() && b.isPresent()
                        ? OptionalLong.of(a.getAsLong() + b.getAsLong())
                        : OptionalLong.empty()));
    return sums;
  }

  private static void largest(Map<Integer, OptionalLong> found, Map<Integer, OptionalLong> list) {
    list.forEach(
        (pid, bytes) -> found.merge(pid, bytes, (a, b) -> a.orElse(-1) >= b.orElse(-1) ? a : b));
  }

  private static List<String> versions(String kind) {
    String function = "nvmlDeviceGet" + kind + "RunningProcesses";
    return List.of(function + "_v3", function + "_v2", function);
  }

  private Optional<List<GpuProcess>> ofKind(List<String> functions) {
    for (String function : functions) {
      Optional<Optional<List<GpuProcess>>> answer = ask(function);
      if (answer.isPresent()) {
        return answer.get();
      }
    }
    return Optional.empty();
  }

  /** The answer, which may be that NVML does not know; empty if the function does not exist. */
  private Optional<Optional<List<GpuProcess>>> ask(String function) {
    count.setInt(0, 0);
    Memory entries = null;
    for (int i = 0; i < MAX_TRIES; i++) {
      Optional<Integer> result = library.call(function, device, count, entries);
      if (result.isEmpty() || result.get() == FUNCTION_NOT_FOUND) {
        return Optional.empty();
      }
      if (result.get() == NOT_SUPPORTED || result.get() == NO_PERMISSION) {
        return Optional.of(Optional.empty());
      }
      if (result.get() != INSUFFICIENT_SIZE) {
        Nvml.check(function, result.get());
        return Optional.of(Optional.of(entries == null ? List.of() : read(entries)));
      }
      entries = room(count.getInt(0));
    }
    Nvml.check(function, INSUFFICIENT_SIZE);
    return Optional.empty();
  }

  private static Memory room(int count) {
    Memory memory = new Memory((long) Math.max(1, count) * LARGEST_ENTRY);
    memory.setMemory(0, memory.size(), PATTERN);
    return memory;
  }

  private List<GpuProcess> read(Memory entries) {
    int found = (int) Math.min(count.getInt(0), entries.size() / LARGEST_ENTRY);
    int size = entrySize(entries, found);
    List<GpuProcess> processes = new ArrayList<>();
    for (int i = 0; i < found; i++) {
      long at = (long) i * size;
      long bytes = entries.getLong(at + WORD);
      processes.add(
          new GpuProcess(
              entries.getInt(at),
              bytes == NOT_AVAILABLE ? OptionalLong.empty() : OptionalLong.of(bytes)));
    }
    return processes;
  }

  /** Only entries of that size reach the last word of the last entry. */
  private static int entrySize(Memory entries, int count) {
    if (count == 0 || entries.getLong((long) count * LARGEST_ENTRY - WORD) != UNTOUCHED) {
      return LARGEST_ENTRY;
    }
    return entries.getLong((long) count * MIDDLE_ENTRY - WORD) != UNTOUCHED
        ? MIDDLE_ENTRY
        : SMALLEST_ENTRY;
  }
}
