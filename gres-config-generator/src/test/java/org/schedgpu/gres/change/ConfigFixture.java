package org.schedgpu.gres.change;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A configuration before a change: gres.conf with a mode and group of its own, slurm.conf in a
 * folder below and behind a link into another folder, no devices.conf.
 */
final class ConfigFixture {
  static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-20T20:15:00Z"), ZoneOffset.UTC);
  static final String OLD_GRES = "# by hand\nName=gpu File=/dev/nvidia0\n";
  static final String OLD_SLURM = "NodeName=gpu1 Gres=gpu:1 # \u00e9\n";
  static final String NEW_GRES = "# Written by schedgpu gres.\nnew\n";
  static final String NEW_SLURM = "NodeName=gpu1 Gres=gpu:12 # \u00e9\n";
  static final String NEW_DEVICES = "NodeName=gpu1 Device=0\n";
  private static final int GROUP_OF_GAMES = 60;

  final Path folder;
  final Path gresConf;
  final Path nodesFolder;
  final Path slurmConf;
  final Path realSlurmConf;
  final Path devicesConf;
  private final Map<Path, Optional<FileState>> before = new LinkedHashMap<>();
  private final Map<Path, Optional<FileState>> after = new LinkedHashMap<>();

  ConfigFixture(Path base) throws IOException {
    folder = Files.createDirectories(base.resolve("slurm")).toRealPath();
    Path shared = Files.createDirectories(base.resolve("shared")).toRealPath();
    gresConf = Files.writeString(folder.resolve("gres.conf"), OLD_GRES);
    realSlurmConf = Files.writeString(shared.resolve("real.conf"), OLD_SLURM);
    nodesFolder = Files.createDirectory(folder.resolve("nodes"));
    slurmConf = Files.createSymbolicLink(nodesFolder.resolve("slurm.conf"), realSlurmConf);
    devicesConf = folder.resolve("devices.conf");
    Files.setAttribute(gresConf, "unix:mode", 0640);
    if (isRoot()) {
      Files.setAttribute(gresConf, "unix:gid", GROUP_OF_GAMES);
      Files.setAttribute(realSlurmConf, "unix:uid", GROUP_OF_GAMES);
    }
    ProcessOwner me = ProcessOwner.ofThisProcess();
    for (Path path : List.of(gresConf, realSlurmConf, devicesConf)) {
      before.put(path, state(path));
    }
    after.put(gresConf, before.get(gresConf).map(old -> old.with(bytes(NEW_GRES))));
    after.put(realSlurmConf, before.get(realSlurmConf).map(old -> old.with(bytes(NEW_SLURM))));
    after.put(devicesConf, Optional.of(me.newFile(bytes(NEW_DEVICES), 0644)));
  }

  static boolean isRoot() {
    return ProcessOwner.ofThisProcess().owner() == 0;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static Optional<FileState> state(Path path) {
    return Snapshot.of(path).map(Snapshot::state);
  }

  /** The change: all three files, with their content when the plan was made. */
  RequestedFiles requested() {
    Map<String, byte[]> files = new LinkedHashMap<>();
    files.put("gres.conf", bytes(NEW_GRES));
    files.put("nodes/slurm.conf", bytes(NEW_SLURM));
    files.put("devices.conf", bytes(NEW_DEVICES));
    return new RequestedFiles(
        files,
        Map.of(
            "gres.conf", seen(OLD_GRES),
            "nodes/slurm.conf", seen(OLD_SLURM),
            "devices.conf", new RequestedFiles.Seen(Optional.empty(), "")),
        Set.of());
  }

  static RequestedFiles.Seen seen(String text) {
    return new RequestedFiles.Seen(Optional.of(FileState.sha256(bytes(text))), text);
  }

  ConfigChanges changes(Disk disk) {
    return new ConfigChanges(folder, disk, CLOCK);
  }

  ConfigChanges changes() {
    return changes(new Disk());
  }

  Path backup(int number) {
    return folder.resolve("schedgpu-backup/20261120T201500Z-" + number);
  }

  /** Bytes, owner, group, mode and absence are as before, and there are no other files. */
  void assertOld() throws IOException {
    assertAre(before, 2);
  }

  void assertNew() throws IOException {
    assertAre(after, 3);
  }

  private void assertAre(Map<Path, Optional<FileState>> states, int files) throws IOException {
    states.forEach((path, state) -> assertEquals(state, state(path), path.toString()));
    assertTrue(Files.isSymbolicLink(slurmConf), "the link stays");
    assertEquals(realSlurmConf, slurmConf.toRealPath());
    assertEquals(1, entries(nodesFolder), "no temporary file is left");
    assertEquals(files, entries(folder), "no temporary file is left");
    assertEquals(1, entries(realSlurmConf.getParent()), "no temporary file is left");
    try (Stream<Path> all = Files.list(folder.resolve("schedgpu-backup"))) {
      assertEquals(List.of(), all.filter(p -> p.toString().contains("unfinished")).toList());
    } catch (java.nio.file.NoSuchFileException e) {
      // The run ended before it made the backup.
    }
  }

  private static long entries(Path folder) throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(path -> !path.endsWith("schedgpu-backup")).count();
    }
  }

  /** Each file is completely old or completely new. */
  void assertEachOldOrNew() {
    before.forEach(
        (path, old) -> {
          Optional<FileState> now = state(path);
          assertTrue(now.equals(old) || now.equals(after.get(path)), path + " is " + now);
        });
    assertTrue(Files.isSymbolicLink(slurmConf), "the link stays");
  }
}
