package org.schedgpu.bench;

import java.awt.Color;
import java.awt.Font;

/** Colours and fonts; bars beside each other differ in grey too. */
final class Palette {
  static final Color TEXT = new Color(0x22, 0x2b, 0x36);
  static final Color FAINT_TEXT = new Color(0x5b, 0x65, 0x72);
  static final Color GRID = new Color(0xe4, 0xe8, 0xed);
  static final Color BOUND = new Color(0xb0, 0x3a, 0x2e);
  private static final Color[] BARS = {
    new Color(0x1b, 0x4f, 0x8f),
    new Color(0xe0, 0x8a, 0x00),
    new Color(0xcd, 0xd5, 0xde),
    new Color(0x6b, 0x2f, 0x8e),
    new Color(0x93, 0xc4, 0x7d)
  };

  private Palette() {}

  /** Of the i-th approach. */
  static Color bar(int i) {
    return BARS[i % BARS.length];
  }

  static Font plain(int size) {
    return new Font(Font.SANS_SERIF, Font.PLAIN, size);
  }

  static Font bold(int size) {
    return new Font(Font.SANS_SERIF, Font.BOLD, size);
  }
}
