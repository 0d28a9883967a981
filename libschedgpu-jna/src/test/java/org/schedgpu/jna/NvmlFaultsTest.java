package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Xids, ECC errors and limits, with an NVML whose answers the test chooses. */
class NvmlFaultsTest {
  private static final int NOT_SUPPORTED = 3;
  private static final int TIMEOUT = 10;
  private static final Pointer DEVICE = new Memory(1);
  private static final Path GROUP = Path.of("/sys/fs/cgroup/slurm/job_7");

  private final Deque<Long> events = new ArrayDeque<>();
  private final List<String> calls = new ArrayList<>();
  private long supportedTypes = 0xff;

  private Optional<Integer> answer(String function, Object... arguments) {
    calls.add(function);
    switch (function) {
      case "nvmlEventSetCreate" -> ((PointerByReference) arguments[0]).setValue(new Memory(1));
      case "nvmlDeviceGetSupportedEventTypes" ->
          ((LongByReference) arguments[1]).setValue(supportedTypes);
      case "nvmlEventSetWait_v2" -> {
        if (events.isEmpty()) {
          return Optional.of(TIMEOUT);
        }
        ((Pointer) arguments[1]).setPointer(0, DEVICE);
        ((Pointer) arguments[1]).setLong(16, events.poll());
      }
      default -> {}
    }
    return Optional.of(0);
  }

  @Test
  void xidsAreTakenInTheirOrder() {
    try (NvmlXids xids = NvmlXids.of(this::answer, Map.of(DEVICE, "GPU-0")).orElseThrow()) {
      assertEquals(List.of(), xids.take());
      events.addAll(List.of(13L, 79L));
      assertEquals(
          List.of(new NvmlXids.Xid("GPU-0", 13), new NvmlXids.Xid("GPU-0", 79)), xids.take());
      assertEquals(List.of(), xids.take());
    }
    assertEquals("nvmlEventSetFree", calls.get(calls.size() - 1));
  }

  @Test
  void aDeviceThatReportsWithoutEndHoldsNobodyUp() {
    try (NvmlXids xids = NvmlXids.of(this::answer, Map.of(DEVICE, "GPU-0")).orElseThrow()) {
      for (long i = 0; i < 150; i++) {
        events.add(i);
      }
      assertEquals(100, xids.take().size());
      assertEquals(50, xids.take().size());
    }
  }

  @Test
  void withoutADeviceThatReportsThereIsNothingToTake() {
    supportedTypes = 0x7;
    assertEquals(Optional.empty(), NvmlXids.of(this::answer, Map.of(DEVICE, "GPU-0")));
    assertEquals("nvmlEventSetFree", calls.get(calls.size() - 1));
    assertEquals(
        Optional.empty(), NvmlXids.of((f, arguments) -> Optional.empty(), Map.of(DEVICE, "")));
  }

  private static OptionalLong errors(Optional<Integer> result, long count) {
    return new NvmlHealth(
            (function, arguments) -> {
              ((LongByReference) arguments[3]).setValue(count);
              return result;
            },
            DEVICE)
        .uncorrectedErrors();
  }

  @Test
  void errorsAreCountedWhereTheDeviceHasEcc() {
    assertEquals(OptionalLong.of(3), errors(Optional.of(0), 3));
    assertEquals(OptionalLong.empty(), errors(Optional.of(NOT_SUPPORTED), 3));
    assertEquals(OptionalLong.empty(), errors(Optional.empty(), 3));
  }

  private static NvmlLimits limits(Optional<Integer> result, List<String> set) {
    return new NvmlLimits(
        (function, arguments) -> {
          Pointer structure = (Pointer) arguments[1];
          set.add(
              "%s %d %d"
                  .formatted(
                      structure.getPointer(0).getString(0),
                      structure.getLong(8),
                      structure.getLong(16)));
          return result;
        },
        DEVICE);
  }

  @Test
  void aLimitIsHardAndGuaranteesNothing() {
    List<String> set = new ArrayList<>();
    assertEquals(true, limits(Optional.of(0), set).set(GROUP, 1024));
    assertEquals(List.of(GROUP + " 0 1024"), set);
  }

  @Test
  void anOlderDriverHasNoLimits() {
    List<String> set = new ArrayList<>();
    assertEquals(false, limits(Optional.empty(), set).set(GROUP, 1));
    assertEquals(false, limits(Optional.of(NOT_SUPPORTED), set).set(GROUP, 1));
  }
}
