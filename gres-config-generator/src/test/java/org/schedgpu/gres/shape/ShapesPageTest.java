package org.schedgpu.gres.shape;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The page of tested clusters lists every shape with the first line of its description. */
class ShapesPageTest {
  private static final Path PAGE = Path.of("..", "docs", "reference", "proven-shapes.md");

  @Test
  void pageListsTheShapes() throws IOException {
    List<String> rows = new ArrayList<>();
    for (String name : ShapesTest.allShapes()) {
      Shape shape = Shape.read(ShapesTest.folder().resolve(name));
      rows.add("| `%s` | %s |".formatted(name, shape.title()));
    }
    String page = Files.readString(PAGE);
    List<String> told =
        page.lines()
            .dropWhile(line -> !line.startsWith("|---"))
            .skip(1)
            .takeWhile(line -> line.startsWith("| `"))
            .toList();
    assertEquals(rows, told, "make the table of " + PAGE + " the one that is expected");
    assertTrue(rows.size() >= 15);
  }
}
