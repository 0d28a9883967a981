package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import java.util.BitSet;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NvmlTopologyTest {
  private static final int NOT_SUPPORTED = 3;
  private static final int UNKNOWN = 999;

  private static NvmlTopology answering(Optional<Integer> result, int mode, long... cpus) {
    return new NvmlTopology(
        (function, arguments) -> {
          if (function.equals("nvmlDeviceGetMigMode")) {
            ((IntByReference) arguments[1]).setValue(mode);
          } else {
            assertEquals(cpus.length, arguments[1]);
            ((Pointer) arguments[2]).write(0, cpus, 0, cpus.length);
          }
          return result;
        },
        Pointer.NULL);
  }

  @Test
  void theModeOfNowCounts() {
    assertEquals(Optional.of(true), answering(Optional.of(0), 1).migMode());
    assertEquals(Optional.of(false), answering(Optional.of(0), 0).migMode());
  }

  @Test
  void aDeviceOrADriverWithoutMigHasNoMode() {
    assertEquals(Optional.empty(), answering(Optional.of(NOT_SUPPORTED), 1).migMode());
    assertEquals(Optional.empty(), answering(Optional.empty(), 1).migMode());
  }

  @Test
  void cpusHaveLinuxNumbers() {
    BitSet near = new BitSet();
    near.set(1, 4);
    near.set(64);
    near.set(127);
    assertEquals(
        Optional.of(near), answering(Optional.of(0), 0, 0b1110, 1 | Long.MIN_VALUE).nearCpus(65));
  }

  @Test
  void whatNvmlDoesNotKnowIsEmpty() {
    assertEquals(Optional.empty(), answering(Optional.of(0), 0, 0).nearCpus(64));
    assertEquals(Optional.empty(), answering(Optional.of(NOT_SUPPORTED), 0, 1).nearCpus(1));
    assertEquals(Optional.empty(), answering(Optional.of(UNKNOWN), 0, 1).nearCpus(1));
    assertEquals(Optional.empty(), answering(Optional.empty(), 0, 1).nearCpus(1));
  }
}
