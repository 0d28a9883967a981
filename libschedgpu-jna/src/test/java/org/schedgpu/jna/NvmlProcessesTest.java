package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** NVML's process lists, in the formats that drivers of several years write. */
class NvmlProcessesTest {
  private static final int NOT_SUPPORTED = 3;
  private static final int NO_PERMISSION = 4;
  private static final int INSUFFICIENT_SIZE = 7;
  private static final int FUNCTION_NOT_FOUND = 13;
  private static final long NOT_AVAILABLE = -1;

  /** What a function of this NVML writes to its arguments. */
  private interface Answer {
    int to(IntByReference count, Memory entries);
  }

  private final Map<String, Answer> functions = new HashMap<>();

  private Optional<List<GpuProcess>> all() {
    return new NvmlProcesses(
            (function, arguments) ->
                Optional.ofNullable(functions.get(function))
                    .map(a -> a.to(count((Pointer) arguments[1]), (Memory) arguments[2])),
            null)
        .all();
  }

  private static IntByReference count(Pointer at) {
    IntByReference count = new IntByReference();
    count.setPointer(at);
    return count;
  }

  /** A list with entries of this size; pids and bytes alternate. */
  private static Answer list(int entrySize, long... processes) {
    return (count, entries) -> {
      int found = processes.length / 2;
      if (count.getValue() < found) {
        count.setValue(found);
        return INSUFFICIENT_SIZE;
      }
      count.setValue(found);
      for (int i = 0; i < found; i++) {
        byte[] entry = new byte[entrySize];
        entries.write((long) i * entrySize, entry, 0, entrySize);
        entries.setInt((long) i * entrySize, (int) processes[2 * i]);
        entries.setLong((long) i * entrySize + 8, processes[2 * i + 1]);
      }
      return 0;
    };
  }

  private static Answer fails(int result) {
    return (count, entries) -> result;
  }

  private static GpuProcess process(int pid, long bytes) {
    return new GpuProcess(pid, OptionalLong.of(bytes));
  }

  @ParameterizedTest
  @CsvSource({"'',16", "_v2,24", "_v3,24", "_v3,32", "_v3,16"})
  void entriesOfEachSizeAreRead(String version, int entrySize) {
    functions.put(
        "nvmlDeviceGetComputeRunningProcesses" + version, list(entrySize, 11, 100, 22, 0, 33, 300));
    assertEquals(Optional.of(List.of(process(11, 100), process(22, 0), process(33, 300))), all());
  }

  @Test
  void noProcessIsAnEmptyList() {
    functions.put("nvmlDeviceGetComputeRunningProcesses_v3", list(24));
    assertEquals(Optional.of(List.of()), all());
  }

  @Test
  void aFunctionThatIsNotThereGivesWayToTheNextOlder() {
    functions.put("nvmlDeviceGetComputeRunningProcesses_v3", fails(FUNCTION_NOT_FOUND));
    functions.put("nvmlDeviceGetComputeRunningProcesses_v2", list(24, 11, 100));
    functions.put("nvmlDeviceGetComputeRunningProcesses", list(16, 99, 9));
    assertEquals(Optional.of(List.of(process(11, 100))), all());
  }

  @Test
  void aProcessInSeveralListsCountsOnce() {
    functions.put("nvmlDeviceGetComputeRunningProcesses_v3", list(24, 11, 100, 12, 7));
    functions.put("nvmlDeviceGetGraphicsRunningProcesses_v3", list(24, 11, 100, 13, 5));
    functions.put("nvmlDeviceGetMPSComputeRunningProcesses_v3", list(24, 12, 9));
    assertEquals(Optional.of(List.of(process(11, 100), process(12, 9), process(13, 5))), all());
  }

  @Test
  void theInstancesOfOneProcessAreAddedUp() {
    functions.put("nvmlDeviceGetComputeRunningProcesses_v3", list(24, 11, 100, 11, 50));
    assertEquals(Optional.of(List.of(process(11, 150))), all());
  }

  @Test
  void aListThatGrewIsAskedForAgain() {
    int[] calls = {0};
    functions.put(
        "nvmlDeviceGetComputeRunningProcesses_v3",
        (count, entries) ->
            (calls[0]++ < 2 ? list(24, 11, 100) : list(24, 11, 100, 22, 200)).to(count, entries));
    assertEquals(Optional.of(List.of(process(11, 100))), all());
    calls[0] = 1;
    assertEquals(Optional.of(List.of(process(11, 100), process(22, 200))), all());
  }

  @Test
  void whatIsNotAvailableIsUnknownAndNotZero() {
    functions.put("nvmlDeviceGetComputeRunningProcesses_v3", list(24, 11, NOT_AVAILABLE));
    assertEquals(Optional.of(List.of(new GpuProcess(11, OptionalLong.empty()))), all());
  }

  @Test
  void aListThatMayNotBeReadIsUnknownAndNotEmpty() {
    functions.put("nvmlDeviceGetComputeRunningProcesses_v3", fails(NO_PERMISSION));
    assertEquals(Optional.empty(), all());
    functions.put("nvmlDeviceGetComputeRunningProcesses_v3", fails(NOT_SUPPORTED));
    assertEquals(Optional.empty(), all());
    functions.clear();
    assertEquals(Optional.empty(), all());
  }

  @Test
  void otherListsMayBeMissing() {
    functions.put("nvmlDeviceGetComputeRunningProcesses_v3", list(24, 11, 100));
    functions.put("nvmlDeviceGetGraphicsRunningProcesses_v3", fails(NOT_SUPPORTED));
    assertEquals(Optional.of(List.of(process(11, 100))), all());
  }
}
