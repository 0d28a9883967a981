package org.schedgpu.agent.report;

import java.awt.Color;
import java.awt.Font;

/** Colours and fonts of the picture, as in report.css; told apart by the colour-blind, too. */
final class Colours {
  static final Color TEXT = new Color(0x22, 0x2b, 0x36);
  static final Color FAINT = new Color(0x56, 0x61, 0x70);
  static final Color LINE = new Color(0xe4, 0xe8, 0xed);
  static final Color TOTAL = new Color(0x8a, 0x94, 0xa0);
  static final Color GRANTED = new Color(0x8f, 0xbb, 0xe0);
  static final Color USED = new Color(0x2f, 0x6f, 0xb7);
  static final Color NVML = new Color(0xb2, 0x5a, 0x00);
  static final Color UTILISATION = new Color(0xb8, 0x77, 0x00);
  static final Color WAITING = new Color(0xd9, 0x48, 0x3b);
  static final Color ALONE = new Color(0xb9, 0xc5, 0xd3);
  static final Color WARNING = new Color(0x7a, 0x4b, 0x00);

  private Colours() {}

  static Color faded(Color colour, int alpha) {
    return new Color(colour.getRed(), colour.getGreen(), colour.getBlue(), alpha);
  }

  static Font plain(int size) {
    return new Font(Font.SANS_SERIF, Font.PLAIN, size);
  }

  static Font bold(int size) {
    return new Font(Font.SANS_SERIF, Font.BOLD, size);
  }
}
