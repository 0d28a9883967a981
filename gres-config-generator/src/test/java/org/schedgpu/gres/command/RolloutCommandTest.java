package org.schedgpu.gres.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.gres.CommandMain;
import org.schedgpu.gres.change.PrivateFiles;
import org.schedgpu.gres.rollout.Commands;
import org.schedgpu.gres.rollout.NodeRecord;
import org.schedgpu.gres.rollout.RecordStore;
import org.schedgpu.gres.rollout.RolloutRecord;

/** {@code rollout} as users type it, without a Slurm. */
class RolloutCommandTest {
  private static final String ID = "20261122T030000Z";

  @TempDir Path base;
  private Path folder;
  private Path plan;

  @BeforeEach
  void makeFolder() throws IOException {
    folder = Files.createDirectory(base.resolve("slurm")).toRealPath();
    Files.writeString(folder.resolve("slurm.conf"), "NodeName=gpu1 Gres=gpu:x:2\n");
    plan = base.resolve("plan.json");
    Files.writeString(
        plan,
        "{\"files\": {\"gres.conf\": \"new\"}, \"nodes\": [{\"nodeName\": \"gpu1\","
            + " \"gresAfter\": \"gpu:x:12\"}]}");
  }

  private CommandMain.Result rollout(String... args) {
    return CommandMain.run(
        Stream.concat(
                Stream.of("gres", "rollout", "--folder", folder.toString()), Arrays.stream(args))
            .toArray(String[]::new));
  }

  private static void assertFails(int exitCode, String message, CommandMain.Result result) {
    assertEquals(exitCode, result.exitCode(), result.err());
    assertTrue(result.err().contains(message), result.err());
  }

  private void open() {
    new RecordStore(new PrivateFiles(folder))
        .write(
            RolloutRecord.begin(
                ID,
                RolloutRecord.Way.APPLY,
                null,
                List.of(),
                new Commands("secret", null, null, null, 120, 300, null),
                List.of(NodeRecord.of("gpu1", "gpu:x:2", "gpu:x:12", true))));
    new PrivateFiles(folder).write("rollout-plan.json", bytes(plan));
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void wrongUsageIs2() {
    assertFails(2, "--plan", rollout());
    assertFails(2, "mutually exclusive", rollout("--continue", "--abort"));
    assertFails(2, "--to needs --revert", rollout("--continue", "--to", "1"));
  }

  @Test
  void helpHasExamplesAndExitCodesIn80Columns() {
    String help = rollout("--help").out();
    assertTrue(help.contains("Examples:") && help.contains("Exit codes:"), help);
    assertTrue(help.contains("'ssh %n systemctl restart slurmd'"), help);
    help.lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  @Test
  void whereNoneIsOpenThatIsSaid() {
    String message = "schedgpu gres: no rollout is open in " + folder + ": begin one with --plan";
    assertFails(1, message, rollout("--continue"));
    assertFails(1, message, rollout("--abort"));
    assertEquals("no rollout\n", rollout("--status").out());
    assertTrue(rollout("--status", "--json").out().contains("\"open\" : false"));
  }

  @Test
  void openRolloutKeepsOthersOut() {
    open();
    String message =
        "schedgpu gres: the rollout "
            + ID
            + " is open (clearing): end it with schedgpu gres"
            + " rollout --continue or --abort, or go back with --revert";
    assertFails(1, message, rollout("--plan", plan.toString(), "--yes"));
    assertFails(1, message, rollout("--revert", "--yes"));
    String where = folder.toString();
    assertFails(
        1, message, CommandMain.run("gres", "apply", "--plan", plan.toString(), "--folder", where));
    assertFails(1, message, CommandMain.run("gres", "revert", "--folder", where));
  }

  @Test
  void recordIsForItsOwnerOnlyAndStatusKeepsCommandsToItself() throws IOException {
    open();
    Path file = folder.resolve("schedgpu-backup/rollout.json");
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
    assertEquals(
        "rollout "
            + ID
            + ", to the plan: clearing\nfiles: as they were\n"
            + "NODE  BEFORE   AFTER     STATE\ngpu1  gpu:x:2  gpu:x:12  in service\n",
        rollout("--status").out());
    String json = rollout("--status", "--json").out();
    assertTrue(json.contains("\"phase\" : \"clearing\"") && !json.contains("secret"), json);
  }

  @Test
  void onlyOneIsAtWork() {
    open();
    new PrivateFiles(folder)
        .alone(
            "rollout.lock",
            () -> {
              assertFails(
                  1, "is changing the same configuration (" + folder, rollout("--continue"));
              return true;
            });
  }

  @Test
  void timesAreChecked() {
    open();
    assertFails(
        1,
        "schedgpu gres: --wait-for-jobs '2x' is no time: write 90s, 30m, 2h or 1d",
        rollout("--continue", "--wait-for-jobs", "2x"));
  }

  @Test
  void recordThatCannotBeReadIsNeverTakenForNone() throws IOException {
    open();
    Path file = folder.resolve("schedgpu-backup/rollout.json");
    String whole = Files.readString(file);
    String record = "schedgpu gres: record " + file;
    String without = "do not restart slurmctld; docs/reference/rollout.md says what to do without";
    List<String> broken =
        List.of("", "null", "[]", "no JSON", whole.substring(0, whole.length() / 2), "\0\0\0");
    for (String text : broken) {
      Files.writeString(file, text);
      for (String what : List.of("--status", "--continue", "--abort", "--revert")) {
        assertFails(1, record, rollout(what));
        assertFails(1, text.equals("null") ? "" : without, rollout(what));
      }
      assertFails(1, record, rollout("--plan", plan.toString(), "--yes"));
    }
  }

  @Test
  void recordOfALaterVersionIsLeftToIt() throws IOException {
    open();
    Path file = folder.resolve("schedgpu-backup/rollout.json");
    String later =
        Files.readString(file).replace("\"version\" : 1", "\"more\" : 1, \"version\" : 2");
    for (String text : List.of("{\"version\": 2}", later)) {
      Files.writeString(file, text);
      assertFails(
          1,
          "record " + file + ": version 2 is not known, this is version 1: use the schedgpu that",
          rollout("--continue"));
      assertEquals(text, Files.readString(file));
    }
  }
}
