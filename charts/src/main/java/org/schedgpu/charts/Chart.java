package org.schedgpu.charts;

import java.awt.Graphics2D;

/** Something that a {@link Sheet} has a place for. */
public interface Chart {
  /**
   * Draws the chart with its upper left corner at the origin.
   *
   * @param width in pixels, with the labels of the axes
   * @param height as width
   */
  void paint(Graphics2D graphics, int width, int height);
}
