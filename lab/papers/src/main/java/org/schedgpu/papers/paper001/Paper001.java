package org.schedgpu.papers.paper001;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.schedgpu.papers.common.Part;

/** All of paper 001. */
public final class Paper001 {
  private Paper001() {}

  /**
   * Plays it.
   *
   * @param root the project's folder, for what the demo measured
   * @param progress is told what begins
   */
  public static List<Part> parts(Path root, Consumer<String> progress) {
    progress.accept("001: Table 3, twelve jobs in six configurations");
    Part three = new TableThree(root).part();
    progress.accept("001: Figure 10, twelve instances of 18 benchmarks");
    Part ten = new FigureTen().part();
    progress.accept("001: Figure 11, one to twelve instances of three programs");
    return List.of(three, ten, new FigureEleven().part());
  }
}
