package org.schedgpu.agent.report;

import java.util.Locale;

/** Whether a device is one of the emulator, which its name says. */
final class Emulated {
  private Emulated() {}

  static boolean says(String deviceName) {
    return deviceName.toLowerCase(Locale.ROOT).contains("emulated");
  }
}
