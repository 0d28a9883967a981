package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class NvmlReaderTest {
  private static final long FOREVER_MS = Long.MAX_VALUE;

  @Test
  void theAnswerIsGivenOn() {
    Map<String, NvmlSource.Seen> answer =
        Map.of("GPU-0", new NvmlSource.Seen(5, OptionalInt.empty()));
    try (NvmlReader look = new NvmlReader(() -> answer, FOREVER_MS)) {
      assertEquals(answer, look.ask());
    }
  }

  /** No caller waits for a driver that hangs, and no threads pile up behind it. */
  @Test
  void aDriverThatHangsIsAskedOnceAndNotWaitedFor() {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch end = new CountDownLatch(1);
    try (NvmlReader look =
        new NvmlReader(
            () -> {
              calls.incrementAndGet();
              end.await();
              return Map.of("GPU-0", new NvmlSource.Seen(5, OptionalInt.empty()));
            },
            20)) {
      assertEquals(Map.of(), look.ask());
      assertEquals(Map.of(), look.ask());
      assertEquals(Map.of(), look.ask());
      assertEquals(1, calls.get());
      end.countDown();
      int more = 1;
      while (look.ask().isEmpty()) {
        more++;
      }
      assertTrue(calls.get() <= 1 + more, "questions had piled up");
    }
  }

  @Test
  void aDefectOfTheDriverIsNoAnswer() {
    try (NvmlReader look =
        new NvmlReader(
            () -> {
              throw new IllegalStateException("wrong");
            },
            FOREVER_MS)) {
      assertEquals(Map.of(), look.ask());
    }
  }
}
