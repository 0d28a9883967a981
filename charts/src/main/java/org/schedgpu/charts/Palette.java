package org.schedgpu.charts;

import java.awt.Color;
import java.awt.Font;
import java.util.List;

/**
 * Colours and fonts of all pictures, on white. People who are colour-blind can tell the colours of
 * one chart apart: neighbours in {@link #series} differ in brightness, too.
 */
public final class Palette {
  public static final Color TEXT = new Color(0x22, 0x2b, 0x36);
  public static final Color FAINT = new Color(0x5b, 0x65, 0x72);
  public static final Color GRID = new Color(0xe4, 0xe8, 0xed);
  public static final Color BLUE = new Color(0x2f, 0x6f, 0xb7);
  public static final Color ORANGE = new Color(0xe0, 0x8a, 0x00);
  public static final Color RED = new Color(0xd9, 0x48, 0x3b);
  public static final Color GREEN = new Color(0x3c, 0x9a, 0x77);
  public static final Color PALE_BLUE = new Color(0x8f, 0xbb, 0xe0);
  public static final Color BROWN = new Color(0xb2, 0x5a, 0x00);
  public static final Color GREY = new Color(0x8a, 0x94, 0xa0);
  public static final Color PALE_GREY = new Color(0xb9, 0xc5, 0xd3);
  public static final Color PALEST_GREY = new Color(0xed, 0xf0, 0xf4);

  private static final List<Color> SERIES =
      List.of(
          new Color(0x1b, 0x4f, 0x8f),
          ORANGE,
          new Color(0xcd, 0xd5, 0xde),
          new Color(0x6b, 0x2f, 0x8e),
          new Color(0x93, 0xc4, 0x7d),
          new Color(0x7a, 0x1f, 0x14),
          new Color(0x56, 0xb4, 0xe9));

  private Palette() {}

  /** The colour of the i-th of several things that have no colour of their own; from 0. */
  public static Color series(int i) {
    return SERIES.get(i % SERIES.size());
  }

  /**
   * The same colour, so that what is behind it shows through.
   *
   * @param alpha 0 (invisible) to 255 (opaque)
   */
  public static Color faded(Color colour, int alpha) {
    return new Color(colour.getRed(), colour.getGreen(), colour.getBlue(), alpha);
  }

  /** The font of texts, of a size in pixels. */
  public static Font plain(int size) {
    return new Font(Font.SANS_SERIF, Font.PLAIN, size);
  }

  /** The font of titles, of a size in pixels. */
  public static Font bold(int size) {
    return new Font(Font.SANS_SERIF, Font.BOLD, size);
  }
}
