package org.schedgpu.jna;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.ConfText.Value;
import org.schedgpu.jna.ConfText.WrongConfException;

/**
 * Checks that Java gets the values that libschedgpu read. Which values it accepts is tested in
 * {@code libschedgpu/tests/conf}.
 */
class ConfTextTest {
  private static final String DEVICE =
      "NodeName=n Device=0 UUID=GPU-0 File=/dev/nvidia0 TotalBytes=4096 ReservedBytes=0"
          + " ContextBytes=1 Virtual=0 Name=\"%s\"\n";

  /** What ends a line for some programs, what steers a terminal, and what the syntax uses. */
  private static final List<String> PIECES =
      List.of(
          "a",
          "/",
          " ",
          "=",
          "#",
          "0",
          "\u00e4",
          "\ud83d\ude00",
          "\r",
          "\t",
          "\u000b",
          "\f",
          "\u001b",
          "\u007f",
          "\u0085",
          "\u2028",
          "\u2029",
          "\u00a0");

  @BeforeEach
  void library() {
    RealLibrary.require();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Map<String, Value> parse(String text) {
    return ConfText.parse("s.conf", bytes(text));
  }

  private static String problems(String text) {
    return assertThrows(WrongConfException.class, () -> parse(text)).getMessage();
  }

  @Test
  void eachValueHasItsLine() {
    Map<String, Value> values = parse("# first\nrundir=\"/a  b \"\n\nRegionGroup=\n");

    assertEquals(new Value(2, "/a  b "), values.get("RunDir"));
    assertEquals(new Value(4, ""), values.get("RegionGroup"));
    assertEquals(new Value(0, "fifo"), values.get("Policy"));
    assertEquals(new Value(0, ""), values.get("HistoryFile"));
  }

  @Test
  void aControlCharacterIsRefusedAsByTheHooks() {
    assertEquals(
        "s.conf:2: RunDir: the value has a control character (0x0d): remove it",
        problems("Policy=mmu\nRunDir=\"/a\rb\"\n"));
    assertEquals(
        "d.conf:1: Name: the value has a control character (0x0d): remove it",
        assertThrows(
                WrongConfException.class,
                () -> ConfText.devices("d.conf", bytes(DEVICE.formatted("Tesla\rK20m")), "n"))
            .getMessage());
  }

  @Test
  void onlyCommentsMayHaveOtherBytesThanUtf8() {
    byte[] comment = "Policy=mmu # M\u00fcller\n".getBytes(StandardCharsets.ISO_8859_1);
    assertEquals(new Value(1, "mmu"), ConfText.parse("s.conf", comment).get("Policy"));
    byte[] value = "RunDir=/M\u00fcller\n".getBytes(StandardCharsets.ISO_8859_1);
    assertEquals(
        "s.conf:1: RunDir: the value has a byte that is not UTF-8 (0xfc): remove it",
        assertThrows(WrongConfException.class, () -> ConfText.parse("s.conf", value)).getMessage());
  }

  /** Whatever a later libschedgpu may accept. */
  @Test
  void onlyALineFeedEndsALine() {
    String text = "/a\rb\u000b\f\u0085\u2028c";

    assertEquals(
        Map.of("RunDir", new Value(3, text), "Policy", new Value(0, "fifo")),
        ConfText.values("0 Policy fifo\n3 RunDir " + text + "\n"));
  }

  private static String randomText(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(6); i > 0; i--) {
      text.append(PIECES.get(random.nextInt(PIECES.size())));
    }
    return text.toString();
  }

  private static boolean hasControlCharacter(String text) {
    return text.chars().anyMatch(c -> c < ' ' || c == 0x7f);
  }

  /**
   * A text is refused with its line and key, or arrives as it was written. {@code
   * -Dschedgpu.seed=NUMBER} repeats a run.
   */
  @Test
  void randomTextsArriveOrAreRefused() {
    long seed = Long.getLong("schedgpu.seed", System.nanoTime());
    System.out.println("ConfTextTest: seed " + seed);
    Random random = new Random(seed);
    for (int round = 0; round < 2000; round++) {
      String runDir = "/" + randomText(random);
      String group = randomText(random);
      List<String> wrong = new ArrayList<>();
      if (hasControlCharacter(runDir)) {
        wrong.add("s.conf:1: RunDir");
      }
      if (hasControlCharacter(group)) {
        wrong.add("s.conf:2: RegionGroup");
      }
      String text = "RunDir=\"%s\"\nRegionGroup=\"%s\" # last\n".formatted(runDir, group);
      if (wrong.isEmpty()) {
        Map<String, Value> values = parse(text);
        assertEquals(new Value(1, runDir), values.get("RunDir"), "seed " + seed);
        assertEquals(new Value(2, group), values.get("RegionGroup"), "seed " + seed);
      } else {
        List<String> places =
            List.of(problems(text).split("\n")).stream()
                .map(line -> line.replaceFirst(": the value has a control character.*", ""))
                .toList();
        assertEquals(wrong, places, "seed " + seed);
      }
    }
  }
}
