package org.schedgpu.papers.paper004;

import java.util.List;
import java.util.function.Consumer;
import org.schedgpu.papers.common.Part;

/** All of paper 004. */
public final class Paper004 {
  private Paper004() {}

  /**
   * Plays it.
   *
   * @param progress is told what begins
   */
  public static List<Part> parts(Consumer<String> progress) {
    progress.accept("004: Table 2, 100 jobs in lanes, six seeds");
    Part two = new TableTwo().part();
    progress.accept("004: Figures 6 and 9 to 13, lanes");
    return List.of(
        two,
        FigureSix.part(),
        new Preemption().part(),
        new FairSharing().part(),
        new Exploration().part(),
        Serving.part());
  }
}
