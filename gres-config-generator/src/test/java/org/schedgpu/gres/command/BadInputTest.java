package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.ChildJvm;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;

/**
 * Mistakes of administrators, through the commands: exit code 1, one message with the value and
 * what to do, and no byte is changed. A full disk and two runs at once are in ApplyFailureTest and
 * TwoRunsTest.
 */
class BadInputTest {
  private static final String SLURM =
      "GresTypes=gpu\nNodeName=gpu1 CPUs=16 Gres=gpu:2\nNodeName=gpu2 CPUs=16\n";

  @TempDir Path base;
  private Path folder;
  private Path facts;
  private Map<String, String> before;

  @BeforeEach
  void makeSite() throws IOException {
    Files.setPosixFilePermissions(base, PosixFilePermissions.fromString("rwxr-xr-x"));
    folder = Files.createDirectory(base.resolve("slurm")).toRealPath();
    facts = Files.writeString(base.resolve("gpu1.json"), Fixtures.facts(16, 2).toJson());
    site("slurm.conf", SLURM);
    site("gres.conf", "NodeName=gpu1 Name=gpu File=/dev/nvidia[0-1]\n");
  }

  @AfterEach
  void nothingIsChanged() throws IOException {
    assertEquals(before, contents());
  }

  private void site(String name, String text) throws IOException {
    site(name, text.getBytes(StandardCharsets.UTF_8));
  }

  private void site(String name, byte[] content) throws IOException {
    Files.write(folder.resolve(name), content);
    before = contents();
  }

  private Map<String, String> contents() throws IOException {
    Map<String, String> contents = new TreeMap<>();
    try (Stream<Path> all = Files.walk(folder)) {
      all.filter(Files::isRegularFile)
          .filter(file -> !file.toString().contains("schedgpu-backup"))
          .forEach(file -> contents.put(file.toString(), text(file)));
    }
    return contents;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CommandMain.Result plan(String... more) {
    List<String> words = new ArrayList<>(List.of("gres", "plan", "--json"));
    words.addAll(List.of("--slurm-conf", folder.resolve("slurm.conf").toString()));
    words.addAll(List.of("--slurm-version", "22.05"));
    words.addAll(Arrays.asList(more));
    if (!words.contains("--facts")) {
      words.addAll(List.of("--facts", facts.toString()));
    }
    if (Stream.of("--per-gpu", "--per-cpu", "--share").noneMatch(words::contains)) {
      words.addAll(List.of("--per-gpu", "4"));
    }
    return CommandMain.run(words.toArray(String[]::new));
  }

  private void refused(CommandMain.Result result, String... parts) {
    assertEquals(1, result.exitCode(), () -> result.out() + result.err());
    String message = result.err().replace(folder + "/", "");
    assertEquals("", result.out());
    assertTrue(message.startsWith("schedgpu gres: "), message);
    assertEquals(1, message.lines().count(), message);
    for (String part : parts) {
      assertTrue(message.contains(part), message);
    }
  }

  @Test
  void theSiteItselfIsFine() {
    CommandMain.Result result = plan();
    assertEquals(0, result.exitCode(), result.err());
  }

  @Test
  void syntaxErrorsHaveFileAndLine() throws IOException {
    site("slurm.conf", SLURM + "NodeName=gpu3 CPUs\n");
    refused(plan(), "slurm.conf line 4", "CPUs", ": ");
    site("slurm.conf", SLURM + "Include racks.conf\n");
    refused(plan(), "slurm.conf line 4", "racks.conf does not exist", "create it");
    site("racks.conf", "\n\nNodeName=gpu[3-\n");
    refused(plan(), "racks.conf line 3", "gpu[3-");
  }

  @Test
  void syntaxErrorsOfGresConfToo() throws IOException {
    site("gres.conf", "# two\nName=gpu File=/dev/nvidia0 Count=3\n");
    refused(plan(), "gres.conf line 2", "3");
    site("gres.conf", "Name=gpu Fil=/dev/nvidia0 = 4\n");
    refused(plan(), "gres.conf line 1");
  }

  @Test
  void nodeThatTheClusterDoesNotHave() throws IOException {
    Files.writeString(facts, Fixtures.facts(16, 2).toJson().replace("gpu1", "gpu9"));
    refused(plan(), "node gpu9 is not in slurm.conf", "use the NodeName that slurm.conf has");
  }

  @Test
  void nodeThatIsDefinedTwice() throws IOException {
    site("slurm.conf", SLURM + "NodeName=gpu[2-3]\n");
    refused(plan(), "slurm.conf line 4, node gpu2 is defined already in", "line 3", "once");
  }

  @Test
  void nodeThatHasTwoFactsFiles() {
    refused(
        plan("--facts", facts.toString(), "--facts", facts.toString()), "gpu1", "twice", "once");
  }

  @Test
  void numbersThatCannotBe() {
    refused(plan("--per-gpu", "0"), "0", "1 to 256");
    refused(plan("--per-gpu", "257"), "257", "1 to 256");
    refused(plan("--share", "900G"), "900", "GiB");
    refused(plan("--share", "0"), "0");
    refused(plan("--share", "lots"), "'lots'");
  }

  @Test
  void moreThanSlurmCountsOnANode() throws IOException {
    Files.writeString(facts, Fixtures.facts(16, 16).toJson());
    refused(plan("--per-gpu", "100"), "gpu1", "1600 virtual GPUs", "at most 64");
  }

  /** The devices are already shared, by Slurm's own means or by lines like ours. */
  @Test
  void gpusThatAreSharedAlready() throws IOException {
    site("slurm.conf", "GresTypes=gpu,shard\nNodeName=gpu1 CPUs=16 Gres=gpu:2,shard:8\n");
    site("gres.conf", "Name=gpu File=/dev/nvidia[0-1]\nName=shard Count=8\n");
    refused(plan(), "slurm.conf line 2, node gpu1 has shard:8", "--remove-shards");
  }

  @Test
  void fileThatIsNoText() throws IOException {
    byte[] garbage = new byte[4096];
    new Random(1).nextBytes(garbage);
    garbage[100] = 0;
    site("slurm.conf", garbage);
    refused(plan(), "slurm.conf line ");
    site("slurm.conf", SLURM);
    site("gres.conf", garbage);
    refused(plan(), "gres.conf line ");
    site("gres.conf", "");
    Files.write(facts, garbage);
    refused(plan(), "facts file " + facts);
  }

  @Test
  void emptyFiles() throws IOException {
    site("slurm.conf", "");
    refused(plan(), "node gpu1 is not in slurm.conf");
    site("slurm.conf", SLURM);
    Files.writeString(facts, "");
    refused(plan(), "facts file " + facts, "schedgpu gres facts");
  }

  @Test
  void folderInPlaceOfAFile() throws IOException {
    Files.delete(folder.resolve("gres.conf"));
    Files.createDirectory(folder.resolve("gres.conf"));
    before = contents();
    refused(plan(), "gres.conf");
    Files.delete(folder.resolve("gres.conf"));
    Files.delete(folder.resolve("slurm.conf"));
    Files.createDirectory(folder.resolve("slurm.conf"));
    before = contents();
    refused(plan(), "slurm.conf");
  }

  @Test
  void planThatIsCutOff() throws IOException {
    String whole = plan().out();
    for (int part = 0; part < 10; part++) {
      Path plan =
          Files.writeString(
              base.resolve("plan.json"), whole.substring(0, whole.length() * part / 10));
      refused(apply(plan), "plan " + plan, "make it with schedgpu gres plan --json");
    }
  }

  private static CommandMain.Result apply(Path plan) {
    return CommandMain.run("gres", "apply", "--plan", plan.toString());
  }

  @Test
  void planThatIsSomethingElse() throws IOException {
    byte[] garbage = new byte[1000];
    new Random(2).nextBytes(garbage);
    refused(apply(Files.write(base.resolve("plan.json"), garbage)), "plan.json");
    refused(apply(facts), "has no files or no nodes", "make it with schedgpu gres plan --json");
    refused(apply(base), "cannot be read");
  }

  @Test
  void fileThatTheUserMayNotRead() throws Exception {
    String why = ChildJvm.whyNotAsNobody();
    assumeTrue(why.isEmpty(), why);
    Path classes = Files.createDirectory(base.resolve("classes"));
    Files.setPosixFilePermissions(
        folder.resolve("slurm.conf"), PosixFilePermissions.fromString("rw-------"));
    String result =
        ChildJvm.run(
            ChildJvm.commandAsNobody(
                classes,
                CommandMain.class.getName(),
                "gres",
                "plan",
                "--facts",
                facts.toString(),
                "--per-gpu",
                "4",
                "--slurm-conf",
                folder.resolve("slurm.conf").toString()));
    assertTrue(
        result.startsWith("1\nschedgpu gres: file " + folder + "/slurm.conf cannot be read"),
        result);
    assertTrue(result.contains("make it readable"), result);
  }
}
