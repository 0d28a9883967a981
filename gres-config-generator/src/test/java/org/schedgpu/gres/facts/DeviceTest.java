package org.schedgpu.gres.facts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.gres.Fixtures.assertRefused;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceTest {
  private static Device of(int index, String uuid, String file, String name) {
    return new Device(index, uuid, file, 1000, 10, 20, name);
  }

  @Test
  void usableIsTotalLessDriverLessOneContext() {
    assertEquals(970, of(0, "GPU-0", "/dev/nvidia0", "T4").usableBytes());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 16})
  void indexIs0To15(int index) {
    assertRefused(
        "schedgpu gres: device index is " + index + ": use a number from 0 to 15",
        () -> of(index, "GPU-0", "/dev/nvidia0", "T4"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "GPU 0", "GPU-0,1", "GPU-0#"})
  void uuidIsOneWord(String uuid) {
    assertRefused(
        "schedgpu gres: device UUID '"
            + uuid
            + "' is not a UUID: give what nvidia-smi -L shows, such as GPU-..., at most 47"
            + " characters",
        () -> of(0, uuid, "/dev/nvidia0", "T4"));
  }

  @Test
  void uuidFitsTheRegion() {
    assertEquals(47, of(0, "G".repeat(47), "/dev/nvidia0", "T4").uuid().length());
    assertRefused(
        "schedgpu gres: device UUID '"
            + "G".repeat(48)
            + "' is not a UUID: give what nvidia-smi -L shows, such as GPU-..., at most 47"
            + " characters",
        () -> of(0, "G".repeat(48), "/dev/nvidia0", "T4"));
  }

  @Test
  void fileHasNoBlank() {
    assertRefused(
        "schedgpu gres: device file '/dev/nvidia 0' has a blank: use a path without blanks",
        () -> of(0, "GPU-0", "/dev/nvidia 0", "T4"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"nvidia0", "/dev/nvidia[0-1]", "/dev/nvidia0,1", "/dev/nvidia0#", "/dev/", "/"})
  void fileIsOneAbsolutePathForSlurm(String file) {
    assertRefused(
        "schedgpu gres: device file '"
            + file
            + "' is not an absolute path that Slurm reads as one file: use a path such as"
            + " /dev/nvidia0; Slurm expands brackets and splits at commas",
        () -> of(0, "GPU-0", file, "T4"));
  }

  @ParameterizedTest
  @ValueSource(strings = {" ", "a\"b", "a#b", "a\u0007b"})
  void nameCanBeWritten(String name) {
    assertRefused(
        "schedgpu gres: device name '"
            + name.replace('\u0007', '?')
            + "' cannot be written to devices.conf: use 1 to 63 bytes without '\"', '#' and line"
            + " breaks",
        () -> of(0, "GPU-0", "/dev/nvidia0", name));
  }

  @Test
  void nameIsCountedInBytes() {
    String name = "\u00e9".repeat(32);
    assertRefused(
        "schedgpu gres: device name '"
            + name
            + "' cannot be written to devices.conf: use 1 to 63 bytes without '\"', '#' and line"
            + " breaks",
        () -> of(0, "GPU-0", "/dev/nvidia0", name));
  }

  @Test
  void bytesAreNotNegativeAndTotalNotZero() {
    assertRefused(
        "schedgpu gres: device 3 has totalBytes 0, reservedBytes 0, contextBytes 0: give bytes as"
            + " NVML shows them; only reservedBytes and contextBytes may be 0",
        () -> new Device(3, "GPU-3", "/dev/nvidia3", 0, 0, 0, "T4"));
    assertRefused(
        "schedgpu gres: device 3 has totalBytes 9, reservedBytes -1, contextBytes 0: give bytes as"
            + " NVML shows them; only reservedBytes and contextBytes may be 0",
        () -> new Device(3, "GPU-3", "/dev/nvidia3", 9, -1, 0, "T4"));
    assertRefused(
        "schedgpu gres: device 3 has totalBytes 9, reservedBytes 0, contextBytes -1: give bytes as"
            + " NVML shows them; only reservedBytes and contextBytes may be 0",
        () -> new Device(3, "GPU-3", "/dev/nvidia3", 9, 0, -1, "T4"));
  }

  @Test
  void somethingIsLeftForJobs() {
    assertRefused(
        "schedgpu gres: device 3 has reservedBytes 4 and contextBytes 6, nothing is left of"
            + " totalBytes 10: correct the facts of the device",
        () -> new Device(3, "GPU-3", "/dev/nvidia3", 10, 4, 6, "T4"));
    assertRefused(
        "schedgpu gres: device 3 has reservedBytes 9223372036854775807 and contextBytes"
            + " 9223372036854775807, nothing is left of totalBytes 10: correct the facts of the"
            + " device",
        () -> new Device(3, "GPU-3", "/dev/nvidia3", 10, Long.MAX_VALUE, Long.MAX_VALUE, "T4"));
    assertEquals(1, new Device(3, "GPU-3", "/dev/nvidia3", 10, 4, 5, "T4").usableBytes());
  }
}
