package org.schedgpu.papers.phases;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class KernelsTest {
  private final Kernels kernels = new Kernels();

  @Test
  void aLoneKernelLastsItsTime() {
    kernels.begin(0, 100);
    assertEquals(100, kernels.nextEndNs());
    kernels.advance(100);
    assertEquals(List.of(0), kernels.takeEnded());
    assertEquals(0, kernels.count());
  }

  @Test
  void kernelsShareTheDeviceEquallyAndTheRestIsLeftToTheLonger() {
    kernels.begin(0, 100);
    kernels.begin(1, 300);
    assertEquals(200, kernels.nextEndNs());
    kernels.advance(200);
    assertEquals(List.of(0), kernels.takeEnded());
    assertEquals(400, kernels.nextEndNs());
    kernels.advance(400);
    assertEquals(List.of(1), kernels.takeEnded());
  }

  @Test
  void theDeviceIsBusyWhileAnyKernelRuns() {
    kernels.advance(50);
    kernels.begin(0, 100);
    kernels.begin(1, 100);
    kernels.advance(250);
    assertEquals(List.of(0, 1), kernels.takeEnded());
    kernels.advance(400);
    assertEquals(200, kernels.busyNs());
  }
}
