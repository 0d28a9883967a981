package org.schedgpu.agent.device;

import java.util.Map;

/** The meaning of those Xids for which NVIDIA's documentation ("XID Errors") asks for an action. */
final class Xids {
  private static final Map<Long, String> TEXTS =
      Map.ofEntries(
          Map.entry(13L, "graphics engine exception: look at the program first"),
          Map.entry(31L, "memory page fault: look at the program first"),
          Map.entry(43L, "a program was stopped: look at the program"),
          Map.entry(45L, "a program was torn down, as after kill -9: nothing to do"),
          Map.entry(48L, "double bit ECC error: drain the node and reset the device"),
          Map.entry(63L, "a memory row is to be remapped: reset the device when it is idle"),
          Map.entry(64L, "a memory row could not be remapped: drain the node, ask the vendor"),
          Map.entry(74L, "NVLink error: check the link, drain the node if it comes again"),
          Map.entry(79L, "fell off the bus: drain the node and reboot it"),
          Map.entry(94L, "ECC error contained to one program: reset the device when it is idle"),
          Map.entry(95L, "ECC error not contained: drain the node and reset the device"),
          Map.entry(119L, "GPU system processor does not answer: drain the node, reset the device"),
          Map.entry(120L, "GPU system processor failed: drain the node and reset the device"));

  private Xids() {}

  /** The meaning and the action, or where to look. */
  static String text(long number) {
    return TEXTS.getOrDefault(number, "see NVIDIA's XID Errors, and dmesg");
  }
}
