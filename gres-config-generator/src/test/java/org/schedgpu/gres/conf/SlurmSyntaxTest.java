package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.common.GresException;

/**
 * The installed Slurm 22.05 and schedGPU accept and refuse the same texts, and expand the same
 * names. Another seed: {@code -Dschedgpu.test.seed=NUMBER}.
 */
class SlurmSyntaxTest {
  private static final int TEXTS = 400;

  /** Without an Include that has no name, because Slurm then reads leftover bytes. */
  private static final List<String> PIECES =
      List.of(
          "NodeName=a[1-2]",
          "JobCompLoc=7",
          "Gres=gpu:2",
          "NodeAddr = h",
          "Reason=\"x y\"",
          "TmpFS=\\1",
          "Feature=\"x",
          "Reason=a\"",
          "MailProg+=9",
          "\"\"",
          "\\#",
          " ",
          " ",
          " ",
          "\t",
          "\n",
          "\n",
          "\n",
          "\r\n",
          " \\\n",
          "\\ \t\n",
          " # c \\\n",
          "#",
          "\\\\",
          "\"",
          "=",
          "x",
          "\u000b");

  @TempDir static Path folder;

  @BeforeAll
  static void assumeSlurm() {
    new InstalledSlurm(folder).assume2205();
  }

  private static long seed(String test) {
    long seed = Long.getLong("schedgpu.test.seed", System.nanoTime());
    System.out.println("SlurmSyntaxTest." + test + " seed " + seed);
    return seed;
  }

  @Test
  void randomTextsAreTakenOrRefusedAlike() {
    Random random = new Random(seed("randomTextsAreTakenOrRefusedAlike"));
    InstalledSlurm slurm = new InstalledSlurm(folder);
    int taken = 0;
    for (int i = 0; i < TEXTS; i++) {
      StringBuilder text = new StringBuilder();
      random.ints(1 + random.nextInt(9), 0, PIECES.size()).forEach(p -> text.append(PIECES.get(p)));
      String all = text + "\n";
      InstalledSlurm.Answer answer = slurm.reads(all.getBytes(StandardCharsets.ISO_8859_1));
      boolean ours = takes(all);
      assertEquals(answer.status() == 0, ours, () -> shown(all) + "\n" + answer.output());
      taken += ours ? 1 : 0;
    }
    System.out.printf("SlurmSyntaxTest: %d texts, %d of them taken%n", TEXTS, taken);
  }

  /** Through the reader of slurm.conf. Slurm refuses unknown keys, schedGPU warns of them. */
  private boolean takes(String text) {
    try {
      ConfTree tree = ConfTree.read(Confs.write(folder, "ours.conf", text), ConfKind.SLURM_CONF);
      return tree.warnings().stream().noneMatch(warning -> warning.contains("is no key"));
    } catch (GresException e) {
      return false;
    }
  }

  private static String shown(String text) {
    return text.replace("\\", "\\\\")
        .replace("\n", "\\n")
        .replace("\t", "\\t")
        .replace("\r", "\\r");
  }

  @Test
  void hostlistsExpandAlike() {
    Random random = new Random(seed("hostlistsExpandAlike"));
    InstalledSlurm slurm = new InstalledSlurm(folder);
    for (int i = 0; i < 100; i++) {
      String list = randomList(random);
      assertEquals(
          slurm.scontrol("show", "hostnames", list).output().replace("\n", " "),
          String.join(" ", Hostlist.expand(list)),
          list);
    }
  }

  @Test
  void hostlistsAreCompressedAlike() {
    Random random = new Random(seed("hostlistsAreCompressedAlike"));
    InstalledSlurm slurm = new InstalledSlurm(folder);
    for (int i = 0; i < 100; i++) {
      List<String> names = randomNames(random);
      assertEquals(
          slurm.scontrol("show", "hostlist", String.join(",", names)).output(),
          Hostlist.compress(names),
          names.toString());
    }
  }

  private static String randomList(Random random) {
    List<String> words = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      StringBuilder word = new StringBuilder("n");
      for (int brackets = random.nextInt(4); brackets > 0; brackets--) {
        int low = random.nextInt(12);
        String width = random.nextBoolean() ? "%d" : "%03d";
        word.append('[')
            .append(width.formatted(low))
            .append('-')
            .append(low + random.nextInt(4))
            .append(random.nextBoolean() ? "," + random.nextInt(200) : "")
            .append(brackets == 1 ? "]" : "]-x");
      }
      words.add(word.toString());
    }
    return String.join(random.nextBoolean() ? "," : ", ", words);
  }

  private static List<String> randomNames(Random random) {
    List<String> forms = List.of("n%d", "n%02d", "n%03d", "m-%d", "m-%dx", "7%d");
    return IntStream.range(0, 1 + random.nextInt(12))
        .mapToObj(
            i -> forms.get(Math.max(0, random.nextInt(9) - 3)).formatted(8 + random.nextInt(4)))
        .toList();
  }

  @Test
  void severalSpecialTextsAreTakenOrRefusedAlike() {
    InstalledSlurm slurm = new InstalledSlurm(folder);
    for (String text :
        List.of(
            "NodeName=b Reason=\n",
            "NodeName=b Reason=\"\"\n",
            "NodeName=b Reason= x\n",
            "NodeName=b Reason=\"x # y\"\n",
            "NodeName=b Reason=\"x \\# y\"\n",
            "NodeName=b\\\n1\n",
            "SlurmdPort=1 SlurmctldPort=2\n",
            " include x\n",
            "\u00ef\u00bb\u00bfNodeName=b\n",
            "nodename=b gres=gpu:1\r\n",
            "NodeName=b \\\n# x\nSlurmdPort=1\n",
            "Foo=1\n",
            "NodeName=b Foo=1\n",
            "NodeName=b CPUs=x\n",
            "NodeName=b CPUs=65535\n",
            "NodeName=b CPUs=65536\n",
            "NodeName=b CPUs=1k\n",
            "NodeName=b CPUs=-1\n",
            "NodeName=b CPUs=+1\n",
            "NodeName=b CPUs=\"\"\n",
            "NodeName=b CPUs=08\n",
            "NodeName=b CPUs=0x1F\n",
            "NodeName=b Weight=1k\n",
            "NodeName=b Weight=4294967296\n",
            "NodeName=b RealMemory=unlimited\n",
            "TrackWCKey=perhaps\n",
            "TrackWCKey=Down\n",
            "PartitionName=p Nodes=b x\n",
            "NodeSet=s Feature=x Nodes=b\n")) {
      InstalledSlurm.Answer answer = slurm.reads(text.getBytes(StandardCharsets.ISO_8859_1));
      assertEquals(answer.status() == 0, takes1(text), () -> shown(text) + answer.output());
    }
  }

  private boolean takes1(String text) {
    try {
      java.nio.file.Files.write(
          folder.resolve("ours.conf"), text.getBytes(StandardCharsets.ISO_8859_1));
      ConfTree tree = ConfTree.read(folder.resolve("ours.conf"), ConfKind.SLURM_CONF);
      return tree.warnings().stream().noneMatch(warning -> warning.contains("is no key"));
    } catch (GresException e) {
      return false;
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }
}
