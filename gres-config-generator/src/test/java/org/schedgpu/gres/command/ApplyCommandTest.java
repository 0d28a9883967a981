package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.Fixtures;
import org.schedgpu.gres.files.GresConfWriter;
import org.schedgpu.gres.files.SlurmConfFolder;

/** {@code plan}, {@code apply} and {@code revert} as users type them, one after the other. */
class ApplyCommandTest {
  @TempDir Path base;
  private Path folder;
  private Path plan;

  @BeforeEach
  void planForAFolder() throws IOException {
    folder = Files.createDirectory(base.resolve("slurm")).toRealPath();
    Files.writeString(folder.resolve("gres.conf"), "Name=gpu File=/dev/nvidia0\n");
    plan = base.resolve("plan.json");
    makePlan(6);
  }

  private void makePlan(int perGpu) throws IOException {
    Path facts = Files.writeString(base.resolve("gpu1.json"), Fixtures.facts(16, 2).toJson());
    CommandMain.Result result =
        gres(
            "plan",
            "--facts",
            facts.toString(),
            "--per-gpu",
            Integer.toString(perGpu),
            "--json",
            "--output",
            folder.toString(),
            "--dry-run");
    assertEquals(0, result.exitCode(), result.err());
    Files.writeString(plan, result.out());
  }

  private static CommandMain.Result gres(String... args) {
    return CommandMain.run(
        Stream.concat(Stream.of("gres"), Arrays.stream(args)).toArray(String[]::new));
  }

  private CommandMain.Result apply(String... args) {
    return gres(
        Stream.concat(Stream.of("apply", "--plan", plan.toString()), Arrays.stream(args))
            .toArray(String[]::new));
  }

  private CommandMain.Result revert(String... args) {
    return gres(
        Stream.concat(Stream.of("revert", "--folder", folder.toString()), Arrays.stream(args))
            .toArray(String[]::new));
  }

  private static JsonNode json(CommandMain.Result result) throws IOException {
    assertEquals(0, result.exitCode(), result.err());
    return new ObjectMapper().readTree(result.out());
  }

  private static void assertRefused(int exitCode, String part, CommandMain.Result result) {
    assertEquals(exitCode, result.exitCode(), result.out());
    assertTrue(result.err().contains(part), result.err());
    assertEquals("", result.out());
  }

  @Test
  void planThenApplyThenRevert() throws IOException {
    CommandMain.Result applied = apply();
    assertEquals(0, applied.exitCode(), applied.err());
    assertTrue(
        applied
            .out()
            .startsWith(
                "replaced: %1$s/gres.conf\ncreated: %1$s/slurm-schedgpu.conf\n".formatted(folder)
                    + "created: %1$s/devices.conf\nbackup: %1$s/schedgpu-backup/2"
                        .formatted(folder)),
        applied.out());
    assertTrue(applied.out().contains("note: slurm.conf is as it was: put the lines of"));
    assertTrue(applied.out().contains("note: Slurm reads the files when slurmctld and every"));
    assertTrue(Files.readString(folder.resolve("gres.conf")).startsWith(GresConfWriter.MARK));
    assertEquals(
        "nothing to do: the files in " + folder + " are those of the plan\n", apply().out());

    CommandMain.Result reverted = revert();
    assertEquals(0, reverted.exitCode(), reverted.err());
    assertTrue(reverted.out().contains("removed: " + folder + "/devices.conf\n"));
    assertEquals("Name=gpu File=/dev/nvidia0\n", Files.readString(folder.resolve("gres.conf")));
    assertFalse(Files.exists(folder.resolve("devices.conf")));
    assertEquals(
        "nothing to do: the latest change is taken back; older ones: --to, --list\n",
        revert().out());
  }

  @Test
  void jsonSaysWhatWasDone() throws IOException {
    JsonNode dry = json(apply("--json", "--dry-run"));
    assertTrue(dry.get("dryRun").asBoolean() && dry.get("changed").asBoolean());
    assertTrue(dry.get("backup").isNull());
    JsonNode applied = json(apply("--json"));
    assertEquals("replaced", applied.get("files").get(0).get("change").asText());
    assertEquals(folder + "/gres.conf", applied.get("files").get(0).get("target").asText());
    assertTrue(applied.get("files").get(1).get("before").isNull());
    assertFalse(json(apply("--json")).get("changed").asBoolean());
    JsonNode backups = json(revert("--list", "--json")).get("backups");
    assertEquals(applied.get("backup"), backups.get(0).get("id"));
    assertEquals("applied", backups.get(0).get("step").asText());
    JsonNode reverted = json(revert("--json"));
    assertEquals("removed", reverted.get("files").get(2).get("change").asText());
    assertFalse(json(revert("--json")).get("changed").asBoolean());
  }

  @Test
  void listIsATableOf80Columns() {
    assertEquals("no backups\n", revert("--list").out());
    apply();
    revert();
    String list = revert("--list").out();
    assertTrue(list.startsWith("BACKUP              STATE     FILES\n"), list);
    assertTrue(list.contains("-1  reverted  gres.conf slurm-schedgpu.conf devices.conf\n"), list);
    list.lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  @Test
  void dryRunPrintsTheDifferenceAndWritesNothing() {
    String out = apply("--dry-run").out();
    assertTrue(
        out.startsWith(
            "==> %s/gres.conf <==\n@@ line 1 @@\n-Name=gpu File=/dev/nvidia0\n+# BEGIN"
                .formatted(folder)),
        out);
    assertTrue(out.contains("nothing was written: --dry-run\n"));
    assertFalse(Files.exists(folder.resolve("schedgpu-backup")));
  }

  @Test
  void editedSlurmConfIsPartOfTheSet() throws IOException {
    Path slurmConf = Files.writeString(folder.resolve("slurm.conf"), "old\n");
    Path edited = Files.writeString(base.resolve("edited.conf"), "new\n");
    CommandMain.Result applied = apply("--file", "slurm.conf=" + edited);
    assertEquals(0, applied.exitCode(), applied.err());
    assertFalse(applied.out().contains("slurm.conf is as it was"));
    assertEquals("new\n", Files.readString(slurmConf));
    revert();
    assertEquals("old\n", Files.readString(slurmConf));
    assertRefused(
        1,
        "of --file does not exist: name one that can be read",
        apply("--file", "slurm.conf=/nowhere"));
    assertRefused(
        1, "file name '../x' is not one in the folder", apply("--file", "../x=" + edited));
  }

  @Test
  void fileThatChangedSinceThePlanIsRefused() throws IOException {
    Files.writeString(folder.resolve("gres.conf"), "Name=gpu File=/dev/nvidia1\n");
    assertRefused(1, "-Name=gpu File=/dev/nvidia0\n+Name=gpu File=/dev/nvidia1\n", apply());
    assertEquals(0, apply("--force").exitCode());
  }

  @Test
  void anotherNameOfAFileIsReported() throws IOException {
    Path other = Files.createLink(base.resolve("other.conf"), folder.resolve("gres.conf"));
    String note =
        "note: %s/gres.conf has 2 names (hard links): the others keep what it is now; find them"
                .formatted(folder)
            + " with find -samefile\n";
    assertTrue(apply("--dry-run").out().contains(note), apply("--dry-run").out());
    assertTrue(apply().out().contains(note));
    assertEquals("Name=gpu File=/dev/nvidia0\n", Files.readString(other));
    assertFalse(apply().out().contains("hard links"));
  }

  @Test
  void planForAnotherFolderIsNotTakenForThisOne() throws IOException {
    Path other = Files.createDirectory(base.resolve("other")).toRealPath();
    Files.writeString(other.resolve("gres.conf"), "Name=gpu File=/dev/nvidia0\n");
    assertRefused(
        1,
        "the plan does not know what " + other + "/gres.conf holds",
        apply("--folder", other.toString()));
    Files.delete(other.resolve("gres.conf"));
    assertEquals(0, apply("--folder", other.toString()).exitCode());
  }

  @Test
  void secondPlanReplacesTheFirst() throws IOException {
    apply();
    makePlan(4);
    assertEquals(0, apply().exitCode());
    assertTrue(revert("--to", "1").out().contains("replaced: " + folder + "/gres.conf"));
    assertEquals("Name=gpu File=/dev/nvidia0\n", Files.readString(folder.resolve("gres.conf")));
  }

  @Test
  void whatIsNoPlanIsNamed() throws IOException {
    Files.writeString(plan, "{\"nodeName\": \"gpu1\"}");
    assertRefused(
        1,
        "schedgpu gres: plan %s has no files or no nodes: make it with schedgpu gres plan --json\n"
            .formatted(plan),
        apply());
    Files.writeString(plan, "{\"files\": {\"gres.conf\": 7}, \"nodes\": []}");
    assertRefused(1, ", gres.conf is not a text: ", apply());
    Files.writeString(plan, "{\"files\": {}, \"nodes\": []}");
    assertRefused(1, "the plan has no file (0 given)", apply("--folder", folder.toString()));
    Files.writeString(plan, "not JSON");
    assertRefused(1, "plan " + plan + ", line 1, ", apply());
    Files.delete(plan);
    assertRefused(1, "plan " + plan + " does not exist: make it with", apply());
  }

  @Test
  void folderThatIsNotThereIsNamed() {
    assertRefused(
        1,
        "schedgpu gres: folder /nowhere is not there: name the folder of slurm.conf with --folder",
        apply("--folder", "/nowhere"));
    assertRefused(1, "folder /nowhere is not there", gres("revert", "--folder", "/nowhere"));
  }

  @Test
  void planIsReadFromStandardInput() throws IOException {
    InputStream console = System.in;
    try (InputStream piped = Files.newInputStream(plan)) {
      System.setIn(piped);
      assertEquals(0, gres("apply", "--plan", "-").exitCode());
    } finally {
      System.setIn(console);
    }
    assertTrue(Files.exists(folder.resolve("devices.conf")));
  }

  @Test
  void wrongUsageIs2() {
    assertRefused(2, "--plan", gres("apply"));
    assertRefused(
        2, "--list cannot be combined with --to or --force", revert("--list", "--to", "1"));
  }

  @Test
  void helpHasExamplesAndExitCodesIn80Columns() {
    for (String command : new String[] {"apply", "revert"}) {
      String help = gres(command, "--help").out();
      assertTrue(help.contains("Examples:") && help.contains("Exit codes:"), help);
      help.lines().forEach(line -> assertTrue(line.length() <= 80, line));
    }
  }

  @Test
  void folderOfSlurmConfIsTheDefault() {
    assertEquals(
        Path.of("/srv/slurm"),
        SlurmConfFolder.of(java.util.Map.of("SLURM_CONF", "/srv/slurm/slurm.conf")));
    assertEquals(Path.of("/etc/slurm"), SlurmConfFolder.of(java.util.Map.of()));
    assertEquals(Path.of("/etc/slurm"), SlurmConfFolder.of(java.util.Map.of("SLURM_CONF", "")));
  }
}
