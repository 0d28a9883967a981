package org.schedgpu.papers.paper004;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.schedgpu.papers.common.Part;

/** All of paper 004. */
public final class Paper004 {
  private Paper004() {}

  /**
   * Plays it.
   *
   * @param root the project's folder, which has what was measured on the emulator
   * @param progress is told what begins
   */
  public static List<Part> parts(Path root, Consumer<String> progress) {
    progress.accept("004: Table 2, 100 jobs in lanes, six seeds");
    List<Part> parts = new ArrayList<>(List.of(new TableTwo().part()));
    parts.addAll(small(root, progress));
    return parts;
  }

  /** All but Table 2, as {@link #parts}. */
  public static List<Part> small(Path root, Consumer<String> progress) {
    progress.accept("004: Figures 6 and 9 to 13, lanes");
    FairSharing sharing = new FairSharing();
    Preemption preemption = new Preemption();
    return List.of(
        FigureSix.part(),
        preemption.part(),
        sharing.part(),
        new Exploration().part(),
        Serving.part(),
        new Emulated(root).part(sharing, preemption));
  }

  /** The row of the first seed in the table of seeds, played alone. */
  public static List<String> firstSeed() {
    return TableTwo.firstSeed();
  }
}
