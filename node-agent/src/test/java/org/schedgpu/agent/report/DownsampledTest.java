package org.schedgpu.agent.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class DownsampledTest {
  private static final Window DAY = MadeHistory.window(0, 86_400);

  private static List<String> shown(Downsampled<Long> thinned) {
    return thinned.points().stream()
        .map(p -> (p.timeNs() - MadeHistory.ZERO_NS) / MadeHistory.SECOND_NS + "=" + p.value())
        .toList();
  }

  @Test
  void fewPointsStayAsTheyAre() {
    Downsampled<Long> thinned = new Downsampled<>(DAY, 10, Math::max);
    thinned.add(MadeHistory.at(20), 2L);
    thinned.add(MadeHistory.at(10), 1L);
    assertEquals(List.of("10=1", "20=2"), shown(thinned));
    assertEquals(MadeHistory.SECOND_NS, thinned.slotNs());
  }

  @Test
  void ofManyPointsTheMostInEachSlotIsKept() {
    Downsampled<Long> thinned = new Downsampled<>(DAY, 4, Math::max);
    for (long i = 0; i < 8; i++) {
      thinned.add(MadeHistory.at(i), i % 3);
    }
    assertEquals(List.of("0=1", "2=2", "4=2", "6=1"), shown(thinned));
    assertEquals(2 * MadeHistory.SECOND_NS, thinned.slotNs());
  }

  @Test
  void neverMorePointsThanAskedFor() {
    Downsampled<Long> thinned = new Downsampled<>(DAY, 480, Math::max);
    for (long i = 0; i < 86_400; i += 2) {
      thinned.add(MadeHistory.at(i), i);
    }
    assertTrue(thinned.points().size() <= 480 && thinned.points().size() > 240);
  }

  @Test
  void aGapIsAPointWithoutAValue() {
    Downsampled<Long> thinned = new Downsampled<>(DAY, 100, Math::max);
    for (long second : new long[] {0, 10, 20, 80, 90}) {
      thinned.add(MadeHistory.at(second), 1L);
    }
    assertEquals(List.of("0=1", "10=1", "20=1", "30=null", "80=1", "90=1"), shown(thinned));
  }

  @Test
  void aSampleThatIsLateOrLostIsNoGap() {
    Downsampled<Long> thinned = new Downsampled<>(DAY, 100, Math::max);
    for (long second : new long[] {0, 10, 20, 43, 53}) {
      thinned.add(MadeHistory.at(second), 1L);
    }
    assertEquals(5, thinned.points().size());
  }

  @Test
  void aClockThatWasSetBackMakesNoOrderOfItsOwn() {
    Downsampled<Long> thinned = new Downsampled<>(DAY, 100, Math::max);
    for (long second : new long[] {10, 20, 30, 15, 25, 35, -5, 90_000}) {
      thinned.add(MadeHistory.at(second), second);
    }
    assertEquals(List.of("10=10", "15=15", "20=20", "25=25", "30=30", "35=35"), shown(thinned));
  }
}
