package org.schedgpu.demo;

import java.awt.Color;
import java.awt.Font;

/** Colours and fonts of the picture; told apart by people who are colour-blind too. */
final class Palette {
  static final Color TEXT = new Color(0x22, 0x2b, 0x36);
  static final Color FAINT_TEXT = new Color(0x6b, 0x75, 0x82);
  static final Color GRID = new Color(0xe4, 0xe8, 0xed);
  static final Color MEMORY = new Color(0x2f, 0x6f, 0xb7);
  static final Color UTILISATION = new Color(0xe0, 0x8a, 0x00);
  static final Color QUEUED = new Color(0xed, 0xf0, 0xf4);
  static final Color COMPUTING = new Color(0xb9, 0xc5, 0xd3);
  static final Color WAITING = new Color(0xd9, 0x48, 0x3b);
  static final Color HOLDING = MEMORY;

  private Palette() {}

  static Font plain(int size) {
    return new Font(Font.SANS_SERIF, Font.PLAIN, size);
  }

  static Font bold(int size) {
    return new Font(Font.SANS_SERIF, Font.BOLD, size);
  }
}
