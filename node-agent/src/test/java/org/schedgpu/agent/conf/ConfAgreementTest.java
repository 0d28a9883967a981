package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;

/** schedgpu.conf: the agent and the hooks take the same. */
class ConfAgreementTest {
  private static final int FILES = 300;
  private static final int LINES = 6; // more problems than the hook's line has room for

  /** Of which the hooks look at the form alone: their agent may refuse more. */
  private static final Set<ConfKey> OF_THE_AGENT =
      Set.of(
          ConfKey.SLURM_REST,
          ConfKey.SLURM_REST_USER,
          ConfKey.SLURM_REST_TOKEN,
          ConfKey.SLURM_COMMENT,
          ConfKey.OVERRUN_EVERY,
          ConfKey.OVERRUN_GRACE,
          ConfKey.CHECK_EVERY,
          ConfKey.LEFT_JOB_GRACE,
          ConfKey.CONTEXT_FILE,
          ConfKey.HISTORY_FILE,
          ConfKey.HISTORY_KEEP,
          ConfKey.HISTORY_MAX,
          ConfKey.SAMPLE_EVERY,
          ConfKey.METRICS_LISTEN,
          ConfKey.METRICS_PUBLIC);

  private static final List<String> VALUES =
      Stream.concat(
              Stream.of(
                      "fifo FIFO mmu priority-mmu 6G 6GiB 0 1 -1 +1 512 01 0.5G 1e3 6g 40% 0% 100%",
                      "101% 4.5% % 1s 500ms 1:30 01:00:00 1:60 1:30:99 301 300s 2h 30d forever FOREVER",
                      "none None learned learned,4G learned,none learned,x low normal high 100 101",
                      "1000000 1000001 99999999999999999999 yes no Yes true /a / a ./a /a:b /a#b root",
                      "root,0 root,,0 ,root root,no-such-user no-such-group avoid detect run refuse",
                      "ignore drain fail wait reserve pass shared brokered jobs leave warn end error",
                      "debug a=b = # \"\" \"x \"x\"y \"/a\"#")
                  .flatMap(line -> Stream.of(line.split(" "))),
              Stream.of(
                  "",
                  "6 G",
                  "\"6 G\"",
                  "\"/a b\"",
                  "\t",
                  "x\0",
                  "\u00a0",
                  "\f6G",
                  "6G\f",
                  "\u000b",
                  "\u2003",
                  "\uff16G",
                  "caf\u00e9",
                  "\r",
                  "6G\r"))
          .toList();

  /** As long as there is room for in C, and longer by one. */
  private static final List<String> LONG_VALUES =
      List.of(
          "x".repeat(63),
          "x".repeat(64),
          "/" + "x".repeat(4094),
          "/" + "x".repeat(4095),
          "1,".repeat(511) + "1",
          "1,".repeat(512),
          "0".repeat(30) + "1",
          "0".repeat(31) + "1");

  @TempDir Path folder;
  private int taken;

  private static String anyLine(ConfKey key, Random random) {
    String name = random.nextInt(8) == 0 ? key.text().toUpperCase(Locale.ROOT) : key.text();
    String blank = HookReading.any(List.of("", "", "", "", "", "", "", " ", "\t", "\f"), random);
    String between =
        HookReading.any(
            List.of("=", "=", "=", "=", "=", "=", "=", "=", "=", "=", " =", "= ", ""), random);
    boolean right = random.nextBoolean() && !key.fallback().isEmpty();
    return blank + name + between + (right ? key.fallback() : HookReading.any(VALUES, random));
  }

  /** What each says of a file with these lines, of the keys. */
  private void compare(List<ConfKey> keys, String text) throws Exception {
    Path conf = folder.resolve("schedgpu.conf");
    Files.write(conf, text.getBytes(StandardCharsets.UTF_8));
    HookReading reading = new HookReading(folder, "schedgpu.conf");
    HookReading.Said here = reading.here(() -> Conf.read(Optional.of(conf)));
    HookReading.Said there = reading.byTheProlog();
    SortedSet<Integer> expected = new TreeSet<>(here.lines());
    expected.removeIf(
        line ->
            line > 0 && OF_THE_AGENT.contains(keys.get(line - 1)) && !there.lines().contains(line));
    assertEquals(
        expected, there.lines(), () -> text + "\nhere: " + here.text() + "\nhook: " + there.text());
    taken += there.lines().isEmpty() ? 1 : 0;
  }

  @Test
  void whatIsRefusedHereIsRefusedByTheHooksAndWhatIsTakenIsTaken() throws Exception {
    RealLibrary.require();
    Random random = HookReading.random(getClass());
    for (int file = 0; file < FILES; file++) {
      List<ConfKey> keys = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      for (int line = 0; line < 1 + random.nextInt(LINES); line++) {
        keys.add(HookReading.any(List.of(ConfKey.values()), random));
        text.append(anyLine(keys.get(line), random)).append('\n');
      }
      compare(keys, text.toString());
    }
    assertTrue(taken > FILES / 20, taken + " were right"); // else only refusals were compared
  }

  @Test
  void whatTheHooksHaveNoRoomForIsRefusedHere() throws Exception {
    RealLibrary.require();
    for (ConfKey key : ConfKey.values()) {
      for (String value : LONG_VALUES) {
        compare(List.of(key), key.text() + "=" + value + "\n");
      }
    }
  }
}
