package org.schedgpu.charts;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.Graphics2D;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;

/** Writes pictures as SVG. A class of its own: programs that do not call it need no library. */
final class Svg {
  private Svg() {}

  static void write(Consumer<Graphics2D> painter, int width, int height, OutputStream out)
      throws IOException {
    VectorGraphics2D graphics = new VectorGraphics2D();
    painter.accept(graphics);
    new SVGProcessor()
        .getDocument(graphics.getCommands(), new PageSize(width, height))
        .writeTo(out);
  }
}
