package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.GresException;

/**
 * Changes the files of one configuration folder as a set, and undoes such changes. Each change is
 * recorded in {@code schedgpu-backup} before it begins. If the process is killed at any moment,
 * each file is still the old one or the new one, and the next call finishes or undoes the set. One
 * process at a time changes a folder; a second one gets an error.
 */
public final class ConfigChanges {
  private static final int NEW_FILE_MODE = 0644;
  private static final int DIFF_LINES = 12;

  private final Path folder;
  private final Disk disk;
  private final Clock clock;
  private final BackupStore store;

  /**
   * @throws GresException if the folder does not exist
   */
  public ConfigChanges(Path folder) {
    this(folder, new Disk(), Clock.systemUTC());
  }

  ConfigChanges(Path folder, Disk disk, Clock clock) {
    if (!Files.isDirectory(folder)) {
      throw new GresException(
          "folder " + folder + " is not there", "name the folder of slurm.conf with --folder");
    }
    try {
      this.folder = folder.toRealPath();
    } catch (IOException e) {
      throw DiskProblem.of("folder " + folder + " cannot be used", e);
    }
    this.disk = disk;
    this.clock = clock;
    store = new BackupStore(this.folder, disk);
  }

  /** The folder, all links resolved. */
  public Path folder() {
    return folder;
  }

  /**
   * Returns what {@link #apply} would do. Writes nothing.
   *
   * @throws GresException in the cases in which {@link #apply} fails, if they can be seen in
   *     advance
   */
  public Outcome preview(RequestedFiles requested, boolean force) {
    List<FileChange> changes = changes(requested, force);
    List<String> notes = new ArrayList<>(HardLinks.notes(changes));
    inProgress()
        .ifPresent(
            backup -> notes.add("first the interrupted " + backup.manifest().id() + " ends"));
    return new Outcome(Optional.empty(), changes, notes);
  }

  /**
   * Puts files in place. An interrupted change is finished first.
   *
   * @param force also replace files whose content the plan does not know
   * @throws GresException if a file is not what the plan saw, or cannot be read or written; then no
   *     file is changed, or the message names those that are
   */
  public Outcome apply(RequestedFiles requested, boolean force) {
    prepareStore();
    return RunLock.holding(store.folder(), () -> applyAlone(requested, force));
  }

  private Outcome applyAlone(RequestedFiles requested, boolean force) {
    List<String> notes = new ArrayList<>();
    finishInterrupted(true, force, notes);
    List<FileChange> all = changes(requested, force);
    List<FileChange> changes = all.stream().filter(FileChange::changes).toList();
    if (changes.isEmpty()) {
      return new Outcome(Optional.empty(), all, notes);
    }
    notes.addAll(HardLinks.notes(changes));
    Backup backup = newBackup(changes);
    carryOut(backup, force, notes);
    return new Outcome(Optional.of(backup.folder()), all, notes);
  }

  /**
   * Undoes changes, the latest first. An interrupted change is undone too.
   *
   * @param to id or number of the oldest change to undo; all later ones are undone before it.
   *     Empty: only the latest change
   * @throws GresException if the backup does not exist, a file was changed since, or a file cannot
   *     be read or written
   */
  public Outcome revert(Optional<String> to, boolean force) {
    if (!Files.isDirectory(store.folder())) {
      throw new GresException(
          "folder " + folder + " has no " + BackupStore.FOLDER,
          "name the folder that schedgpu gres apply changed with --folder");
    }
    return RunLock.holding(store.folder(), () -> revertAlone(to, force));
  }

  /**
   * Returns the content that {@link #revert} would give the files. Writes nothing.
   *
   * @return by path; an empty value means that the file would be removed. An empty map if
   *     everything is reverted already
   * @throws GresException as {@link #revert}
   */
  public Map<Path, Optional<byte[]>> previewRevert(Optional<String> to, boolean force) {
    List<Backup> all = store.all();
    List<Backup> undone = all.subList(RevertChain.first(all, to), all.size());
    RevertChain.requireChain(undone, force);
    Map<Path, Optional<byte[]>> files = new LinkedHashMap<>();
    for (int i = undone.size() - 1; i >= 0; i--) {
      if (undone.get(i).manifest().step() != Manifest.Step.REVERTED) {
        RevertChain.changes(undone.get(i))
            .forEach(c -> files.put(c.path(), c.after().map(Snapshot::content)));
      }
    }
    return files;
  }

  private Outcome revertAlone(Optional<String> to, boolean force) {
    List<String> notes = new ArrayList<>();
    List<Backup> all = store.all();
    int first = RevertChain.first(all, to);
    RevertChain.requireChain(all.subList(first, all.size()), force);
    Optional<Backup> used = finishInterrupted(false, force, notes);
    List<FileChange> changes = new ArrayList<>();
    used.ifPresent(backup -> changes.addAll(RevertChain.changes(backup)));
    List<Backup> latestFirst = new ArrayList<>(store.all().subList(first, all.size()));
    Collections.reverse(latestFirst);
    for (Backup backup : latestFirst) {
      if (backup.manifest().step() == Manifest.Step.APPLIED) {
        start(backup, Manifest.Step.REVERTING);
        carryOut(backup, force, notes);
        changes.addAll(RevertChain.changes(backup));
        used = Optional.of(backup);
      }
    }
    return new Outcome(used.map(Backup::folder), changes, notes);
  }

  /** All backups, oldest first. A damaged one is listed as such, without an exception. */
  public List<BackupLine> list() {
    return store.folders().stream().map(path -> BackupLine.of(path, disk)).toList();
  }

  private void prepareStore() {
    try {
      if (!Files.isDirectory(store.folder())) {
        disk.makeFolder(store.folder());
        disk.sync(folder);
      }
    } catch (FileAlreadyExistsException e) {
      // Another process made it in the same moment, or it is a file: taking the lock reports
      // that.
    } catch (IOException e) {
      throw DiskProblem.of("folder " + store.folder() + " cannot be made", e);
    }
  }

  /**
   * The change in progress. There is at most one: no change begins before an interrupted one is
   * finished or undone.
   */
  private Optional<Backup> inProgress() {
    return store.all().stream().filter(backup -> backup.manifest().step().inProgress()).findFirst();
  }

  /**
   * Finishes an interrupted change, or undoes it if it was an apply and {@code finish} is false.
   *
   * @return the interrupted change, if there was one
   */
  private Optional<Backup> finishInterrupted(boolean finish, boolean force, List<String> notes) {
    try {
      store.removeUnfinished();
    } catch (IOException e) {
      throw DiskProblem.of("folder " + store.folder() + " cannot be cleaned", e);
    }
    Optional<Backup> interrupted = inProgress();
    interrupted.ifPresent(
        backup -> {
          if (!finish && backup.manifest().step() == Manifest.Step.APPLYING) {
            start(backup, Manifest.Step.REVERTING);
          }
          carryOut(backup, force, notes);
          notes.add(
              "the interrupted change %s is now %s"
                  .formatted(backup.manifest().id(), backup.manifest().step().word()));
        });
    return interrupted;
  }

  private List<FileChange> changes(RequestedFiles requested, boolean force) {
    if (!force) {
      requireAllAsSeen(requested);
    }
    List<FileChange> changes = new ArrayList<>();
    Map<Path, Path> pathOfTarget = new HashMap<>();
    for (Map.Entry<String, byte[]> file : requested.files().entrySet()) {
      Path path = folder.resolve(file.getKey());
      Path target = Snapshot.target(path);
      Path other = pathOfTarget.put(target, path);
      if (other != null) {
        throw new GresException(
            other + " and " + path + " are the same file " + target, "make them two");
      }
      Optional<Snapshot> now = Snapshot.of(target);
      if (!force) {
        requested.requireAsSeen(file.getKey(), path, now, DIFF_LINES);
      }
      changes.add(new FileChange(path, target, now, Optional.of(after(now, file.getValue()))));
    }
    return changes;
  }

  /** Checks the files that the plan read and does not replace, for example an included file. */
  private void requireAllAsSeen(RequestedFiles requested) {
    for (String name : requested.onlySeen()) {
      Path path = folder.resolve(name);
      requested.requireAsSeen(name, path, Snapshot.ofPath(path), DIFF_LINES);
    }
  }

  private Snapshot after(Optional<Snapshot> now, byte[] content) {
    FileState state =
        now.map(snapshot -> snapshot.state().with(content))
            .orElseGet(() -> ProcessOwner.ofThisProcess().newFile(content, NEW_FILE_MODE));
    return new Snapshot(state, content);
  }

  private Backup newBackup(List<FileChange> changes) {
    try {
      return store.create(changes, clock.instant());
    } catch (IOException e) {
      quietly(store::removeUnfinished);
      throw DiskProblem.of(
          "the backup in " + store.folder() + " cannot be written, no file was changed", e);
    }
  }

  private void start(Backup backup, Manifest.Step step) {
    try {
      backup.record(backup.manifest().at(step));
    } catch (IOException e) {
      throw DiskProblem.of(
          "the manifest in " + backup.folder() + " cannot be written, no file was changed", e);
    }
  }

  /** Does the step that the manifest names. If it fails, does the opposite step. */
  private void carryOut(Backup backup, boolean force, List<String> notes) {
    Replacement replacement = new Replacement(backup, disk);
    try {
      replacement.run(force);
      notes.addAll(replacement.notes());
    } catch (IOException e) {
      throw DiskProblem.of(
          "change %s in %s failed, %s"
              .formatted(backup.manifest().id(), folder, rollBack(backup, replacement)),
          e);
    }
  }

  /** Tries to restore the files as they were before the step. */
  private String rollBack(Backup backup, Replacement replacement) {
    boolean wasForward = backup.manifest().step().forward();
    try {
      replacement.removeStaged();
      backup.record(
          backup.manifest().at(wasForward ? Manifest.Step.REVERTING : Manifest.Step.APPLYING));
      new Replacement(backup, disk).run(false);
      return "all files are as they were";
    } catch (IOException | GresException e) {
      return "some files may be replaced, the next apply or revert settles it";
    }
  }

  private interface Attempt {
    void run() throws IOException;
  }

  private static void quietly(Attempt attempt) {
    try {
      attempt.run();
    } catch (IOException e) {
      // Report the first failure; the next run cleans up.
    }
  }
}
