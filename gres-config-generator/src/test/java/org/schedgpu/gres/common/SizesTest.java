package org.schedgpu.gres.common;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.schedgpu.gres.Fixtures.assertRefused;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SizesTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "7, 7340032",
    "64K, 65536",
    "512M, 536870912",
    "6G, 6442450944",
    "6GiB, 6442450944",
    "6gib, 6442450944",
    "1T, 1099511627776",
    "1P, 1125899906842624",
    "8388607T, 9223370937343148032",
    "00000000000000000000000001K, 1024",
  })
  void unitsAreOf1024AndABareNumberIsMiB(String text, long bytes) {
    assertEquals(bytes, Sizes.parseBytes(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "G", "6GB", "6 G", "-1G", "1.5G", "6X", "40%", " 6G", "6G ", "6Gıb", "٦G"})
  void whatIsNoSizeIsRefused(String text) {
    assertRefused(
        "schedgpu gres: size '"
            + text
            + "' cannot be read: use a size such as 512M, 6G, 6GiB or 1T; a bare number is MiB",
        () -> Sizes.parseBytes(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"8388608T", "9999999999999999999"})
  void whatDoesNotFitIsRefused(String text) {
    assertRefused(
        "schedgpu gres: size '" + text + "' is more than 2^63 - 1 bytes: use a smaller size",
        () -> Sizes.parseBytes(text));
  }

  @Test
  void percentageIsOfTheWholeRoundedDown() {
    assertEquals(40, Sizes.parseBytes("40%", 101));
    assertEquals(0, Sizes.parseBytes("0%", 101));
    assertEquals(101, Sizes.parseBytes("100%", 101));
    assertEquals(Long.MAX_VALUE / 2, Sizes.parseBytes("50%", Long.MAX_VALUE));
    assertEquals(1 << 20, Sizes.parseBytes("1", 101));
  }

  @ParameterizedTest
  @ValueSource(strings = {"101%", "%", "2.5%", " 5%", "5% ", "-1%", "40 %"})
  void aPercentageIs0To100(String text) {
    assertRefused(
        "schedgpu gres: size '"
            + text
            + "' cannot be read: use a percentage from 0% to 100%, without a fraction",
        () -> Sizes.parseBytes(text, 1000));
  }

  @Test
  void peopleReadGiBWithOneDecimal() {
    assertEquals("4.7 GiB", Sizes.format(5_032_116_224L));
    assertEquals("0.0 GiB", Sizes.format(0));
  }
}
