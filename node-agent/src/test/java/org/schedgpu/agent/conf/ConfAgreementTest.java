package org.schedgpu.agent.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.RealLibrary;
import org.schedgpu.agent.problem.AgentException;

/**
 * schedgpu.conf is read twice: here, and by the hooks and the plugin in C. What the one takes the
 * other must not refuse, or a configuration that was checked drains the node.
 */
class ConfAgreementTest {
  private static final Path PROLOG =
      Path.of(System.getProperty("schedgpu.root"), "slurm-prolog/target/native/schedgpu-prolog");
  private static final Pattern PLACE = Pattern.compile("schedgpu\\.conf:(\\d+): ");
  private static final String OF_THE_FILE = "schedgpu.conf: ";
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

  /** The lines that are wrong, 0 for the whole file, and what was said. */
  private record Said(SortedSet<Integer> lines, String text) {}

  private static Said said(String text) {
    SortedSet<Integer> lines = new TreeSet<>();
    PLACE.matcher(text).results().forEach(found -> lines.add(Integer.parseInt(found.group(1))));
    if (text.contains(OF_THE_FILE)) {
      lines.add(0);
    }
    return new Said(lines, text);
  }

  private Said saidHere(Path conf) {
    try {
      Conf.read(Optional.of(conf));
      return said("");
    } catch (AgentException problem) {
      return said(problem.getMessage());
    }
  }

  /** It says what is wrong with the configuration before anything else. */
  private Said saidByTheProlog() throws IOException, InterruptedException {
    Path output = folder.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(PROLOG.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().clear();
    builder
        .environment()
        .putAll(
            Map.of(
                "SLURM_CONF", folder.resolve("slurm.conf").toString(),
                "SLURM_JOB_ID", "1",
                "SLURM_JOB_UID", "0",
                "SLURM_JOB_GPUS", "0",
                "SLURMD_NODENAME", "gpu1"));
    builder.start().waitFor();
    return said(Files.readString(output));
  }

  private static <T> T any(List<T> all, Random random) {
    return all.get(random.nextInt(all.size()));
  }

  private static String anyLine(ConfKey key, Random random) {
    String name = random.nextInt(8) == 0 ? key.text().toUpperCase(Locale.ROOT) : key.text();
    String blank = any(List.of("", "", "", "", "", "", "", " ", "\t", "\f"), random);
    String between =
        any(List.of("=", "=", "=", "=", "=", "=", "=", "=", "=", "=", " =", "= ", ""), random);
    boolean right = random.nextBoolean() && !key.fallback().isEmpty();
    return blank + name + between + (right ? key.fallback() : any(VALUES, random));
  }

  /** What each says of a file with these lines, of the keys. */
  private void compare(List<ConfKey> keys, String text) throws Exception {
    Path conf = folder.resolve("schedgpu.conf");
    Files.write(conf, text.getBytes(StandardCharsets.UTF_8));
    Said here = saidHere(conf);
    Said there = saidByTheProlog();
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
    long seed = Long.getLong("schedgpu.seed", System.nanoTime());
    System.out.println("ConfAgreementTest seed " + seed + " (-Dschedgpu.seed=... repeats)");
    Random random = new Random(seed);
    for (int file = 0; file < FILES; file++) {
      List<ConfKey> keys = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      for (int line = 0; line < 1 + random.nextInt(LINES); line++) {
        keys.add(any(List.of(ConfKey.values()), random));
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
