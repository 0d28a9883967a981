package org.schedgpu.bench;

import java.util.Comparator;
import java.util.List;

/** The time of one stage of the life cycle with one of the approaches. */
record StageTime(String approach, String stage, double p50Us, double p99Us) {
  private static final List<String> LIFE =
      List.of(
          "server-start",
          "initialisation",
          "pre-allocation",
          "post-free",
          "shutdown",
          "server-stop",
          "total");

  /** The stages of these times, in the order of a life; unknown ones come last. */
  static List<String> stages(List<StageTime> times) {
    return times.stream()
        .map(StageTime::stage)
        .distinct()
        .sorted(Comparator.comparingInt(StageTime::position))
        .toList();
  }

  private static int position(String stage) {
    int position = LIFE.indexOf(stage);
    return position < 0 ? LIFE.size() : position;
  }
}
