package org.schedgpu.papers.common;

import java.awt.Color;
import java.awt.Font;
import java.util.List;

/** Colours and fonts of all pictures; told apart by the colour-blind, too. */
final class Style {
  static final Color TEXT = new Color(0x22, 0x2b, 0x36);
  static final Color FAINT = new Color(0x56, 0x61, 0x70);
  static final Color LINE = new Color(0xe4, 0xe8, 0xed);

  /** Of the series, in their order. */
  static final List<Color> SERIES =
      List.of(
          new Color(0x2f, 0x6f, 0xb7),
          new Color(0xb8, 0x77, 0x00),
          new Color(0xd9, 0x48, 0x3b),
          new Color(0x2a, 0x8f, 0x6a),
          new Color(0x7a, 0x5a, 0xa8),
          new Color(0x8a, 0x94, 0xa0));

  private Style() {}

  static Font plain(int size) {
    return new Font(Font.SANS_SERIF, Font.PLAIN, size);
  }

  static Font bold(int size) {
    return new Font(Font.SANS_SERIF, Font.BOLD, size);
  }
}
