package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.schedgpu.gres.common.Json;

/** The folder {@code schedgpu-backup} beside the configuration, with one folder for each change. */
final class BackupStore {
  static final String FOLDER = "schedgpu-backup";
  private static final String UNFINISHED = ".unfinished-";
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final Path folder;
  private final Disk disk;

  BackupStore(Path configFolder, Disk disk) {
    folder = configFolder.resolve(FOLDER);
    this.disk = disk;
  }

  Path folder() {
    return folder;
  }

  /**
   * Folders of all backups, oldest first. Reads nothing from them.
   *
   * @throws org.schedgpu.gres.common.GresException if the folder cannot be read
   */
  List<Path> folders() {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(path -> number(path) >= 0)
          .sorted(Comparator.comparingInt(BackupStore::number))
          .toList();
    } catch (IOException e) {
      throw DiskProblem.of("folder " + folder + " cannot be read", e);
    }
  }

  /**
   * All backups, oldest first.
   *
   * @throws org.schedgpu.gres.common.GresException if one of them is broken
   */
  List<Backup> all() {
    List<Backup> all = new ArrayList<>();
    folders().forEach(path -> all.add(Backup.open(path, disk)));
    return all;
  }

  private static int number(Path path) {
    return Manifest.number(path.getFileName().toString());
  }

  /**
   * Makes the backup of a change that is about to begin. The backup exists completely or not at
   * all: its folder gets its final name after everything in it is on the disk.
   *
   * @param changes at least one
   */
  Backup create(List<FileChange> changes, Instant now) throws IOException {
    int next = folders().stream().mapToInt(BackupStore::number).max().orElse(0) + 1;
    String id = TIME.format(now) + "-" + next;
    Manifest manifest = manifest(id, now, changes);
    Path unfinished = folder.resolve(UNFINISHED + id);
    disk.makeFolder(unfinished);
    Backup draft = Backup.of(unfinished, disk, manifest);
    for (int i = 0; i < changes.size(); i++) {
      copy(draft.copy(i, false), changes.get(i).before().orElse(null));
      copy(draft.copy(i, true), changes.get(i).after().orElse(null));
    }
    Path file = unfinished.resolve(Manifest.FILE);
    disk.write(file, Json.write(manifest).getBytes(StandardCharsets.UTF_8));
    disk.sync(file);
    disk.sync(unfinished);
    Path finished = folder.resolve(id);
    disk.rename(unfinished, finished);
    disk.sync(folder);
    return Backup.of(finished, disk, manifest);
  }

  private void copy(Path to, Snapshot from) throws IOException {
    if (from != null) {
      disk.write(to, from.content());
      disk.sync(to);
    }
  }

  private static Manifest manifest(String id, Instant now, List<FileChange> changes) {
    List<Manifest.Entry> files = new ArrayList<>();
    for (FileChange change : changes) {
      files.add(
          new Manifest.Entry(
              change.path().toString(),
              change.target().toString(),
              change.before().map(Snapshot::state).orElse(null),
              change.after().map(Snapshot::state).orElse(null),
              false));
    }
    return new Manifest(
        Manifest.VERSION,
        id,
        now.truncatedTo(ChronoUnit.SECONDS).toString(),
        Manifest.Step.APPLYING,
        files);
  }

  /** Removes backups that never got their final name; no file was changed with them. */
  void removeUnfinished() throws IOException {
    List<Path> left;
    try (Stream<Path> all = Files.list(folder)) {
      left = all.filter(path -> path.getFileName().toString().startsWith(UNFINISHED)).toList();
    }
    for (Path path : left) {
      removeFolder(path);
    }
  }

  private void removeFolder(Path path) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(path)) {
      files = all.toList();
    }
    for (Path file : files) {
      disk.delete(file);
    }
    disk.delete(path);
  }
}
