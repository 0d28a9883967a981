package org.schedgpu.agent.report;

import java.util.Locale;

/** Whether a device belongs to the emulator, which its name shows. */
final class Emulated {
  private Emulated() {}

  static boolean says(String deviceName) {
    return deviceName.toLowerCase(Locale.ROOT).contains("emulated");
  }
}
