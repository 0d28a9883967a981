package org.schedgpu.gres.command;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.gres.change.BackupLine;
import org.schedgpu.gres.change.ConfigChanges;
import org.schedgpu.gres.change.Outcome;
import org.schedgpu.gres.change.RequestedFiles;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;
import org.schedgpu.gres.conf.Setting;
import org.schedgpu.gres.conf.SlurmConfig;
import org.schedgpu.gres.conf.SlurmNode;
import org.schedgpu.gres.files.CheckFolder;
import org.schedgpu.gres.rollout.ConfigStep;

/** The files that a rollout puts in place: those of a plan, or those from before a change. */
abstract class RolloutFiles implements ConfigStep {
  /**
   * The states that {@code schedgpu gres revert --list} shows for a change that is reverted or
   * being reverted.
   */
  private static final Set<String> BACK = Set.of("reverting", "reverted");

  final Path folder;
  final ConfigChanges changes;

  private RolloutFiles(Path folder) {
    this.folder = folder;
    changes = new ConfigChanges(folder);
  }

  /** The files of a plan; {@code known} are the backups that existed at the beginning. */
  static RolloutFiles of(PlanFile plan, Path folder, List<String> known) {
    return new RolloutFiles(folder) {
      private RequestedFiles wanted() {
        return new RequestedFiles(plan.files(), plan.seenIn(folder), Set.of());
      }

      @Override
      Map<String, byte[]> preview() {
        changes.preview(wanted(), false);
        return plan.files();
      }

      @Override
      List<String> backups() {
        return changes.list().stream().map(BackupLine::id).toList();
      }

      @Override
      Outcome change() {
        return changes.apply(wanted(), false);
      }

      @Override
      public boolean hasBegun() {
        return changes.list().stream()
            .anyMatch(line -> !known.contains(line.id()) && !BACK.contains(line.step()));
      }
    };
  }

  /** The files from before the change {@code to}; {@code known} are the changes to undo. */
  static RolloutFiles before(String to, Path folder, List<String> known) {
    return new RolloutFiles(folder) {
      @Override
      Map<String, byte[]> preview() {
        Map<String, byte[]> files = new LinkedHashMap<>();
        changes
            .previewRevert(Optional.of(to), false)
            .forEach((path, bytes) -> files.put(name(path), bytes.orElse(new byte[0])));
        return files;
      }

      @Override
      List<String> backups() {
        List<String> all = changes.list().stream().map(BackupLine::id).toList();
        return changes.list().stream()
            .filter(line -> all.indexOf(line.id()) >= all.indexOf(to))
            .filter(line -> !line.step().equals("reverted"))
            .map(BackupLine::id)
            .toList();
      }

      @Override
      Outcome change() {
        return changes.revert(Optional.of(to), false);
      }

      @Override
      public boolean hasBegun() {
        return changes.list().stream()
            .anyMatch(line -> known.contains(line.id()) && BACK.contains(line.step()));
      }
    };
  }

  /**
   * The new content by name; empty bytes stand for a file that will be removed.
   *
   * @throws GresException if the files cannot be put in place
   */
  abstract Map<String, byte[]> preview();

  /** The backups that tell a later run whether the change has begun. */
  abstract List<String> backups();

  abstract Outcome change();

  @Override
  public List<String> make() {
    Outcome outcome = change();
    List<String> lines = new ArrayList<>(outcome.lines());
    outcome.backup().ifPresent(backup -> lines.add("backup: " + backup));
    outcome.notes().forEach(note -> lines.add("note: " + note));
    return lines;
  }

  @Override
  public Map<String, String> gresInPlace() {
    return gresByNode(Map.of());
  }

  String name(Path path) {
    try {
      return folder.toRealPath().relativize(path).toString();
    } catch (IOException | IllegalArgumentException e) {
      throw new GresException(path + " is not in " + folder, "use schedgpu gres revert", e);
    }
  }

  /**
   * Gres= of every node in slurm.conf, with these files in place; empty text if the node has none.
   *
   * @throws GresException if Slurm would reject slurm.conf
   */
  Map<String, String> gresByNode(Map<String, byte[]> files) {
    try (CheckFolder copy = CheckFolder.make(folder, files)) {
      Map<String, String> gres = new LinkedHashMap<>();
      for (SlurmNode node : SlurmConfig.read(copy.slurmConf()).nodes()) {
        gres.put(node.name(), node.gres().map(Setting::value).orElse(""));
      }
      return gres;
    } catch (IOException e) {
      throw new GresException(
          "slurm.conf cannot be tried (" + IoReason.of(e) + ")",
          "make room in the temporary folder",
          e);
    }
  }
}
