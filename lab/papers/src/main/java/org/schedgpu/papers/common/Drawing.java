package org.schedgpu.papers.common;

import java.awt.image.BufferedImage;

/** Something that can be drawn. */
public interface Drawing {
  /** Draws it. */
  BufferedImage draw();
}
