package org.schedgpu.gres.verify;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.change.AppliedFiles;
import org.schedgpu.gres.common.GresException;

/** Compares the files in the folder with those of the plan, and with those that apply put there. */
final class FileCheck {
  private final Path folder;
  private final Map<String, byte[]> planned;
  private final List<Finding> findings = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /**
   * @param planned content by name; empty without a plan
   */
  FileCheck(Path folder, Map<String, byte[]> planned) {
    this.folder = folder;
    this.planned = planned;
  }

  void run() {
    planned.forEach(this::compare);
    try {
      AppliedFiles applied = AppliedFiles.of(folder);
      applied
          .interrupted()
          .ifPresent(
              id ->
                  findings.add(
                      Finding.ofCluster(
                          "the change " + id + " of " + folder + " was interrupted",
                          "schedgpu gres apply finishes it, schedgpu gres revert undoes it")));
      applied.changed().forEach(this::changed);
    } catch (GresException e) {
      notes.add("what apply did is not known: " + MessageText.problem(e));
    }
  }

  List<Finding> findings() {
    return findings;
  }

  List<String> notes() {
    return notes;
  }

  private void compare(String name, byte[] content) {
    Path path = folder.resolve(name);
    try {
      byte[] now = AppliedFiles.content(path).orElse(null);
      if (now == null || !Arrays.equals(now, content)) {
        findings.add(
            Finding.ofCluster(
                path + (now == null ? " is not there" : " is not that of the plan"),
                "run schedgpu gres apply, or plan again"));
      }
    } catch (GresException e) {
      findings.add(
          Finding.ofCluster(path + " cannot be compared", "repeat as a user who may read it"));
    }
  }

  /** For its own files the plan decides; a site may keep changing its slurm.conf. */
  private void changed(Path path) {
    String name = path.getFileName().toString();
    if (planned.containsKey(name)) {
      return;
    }
    if (name.equals("slurm.conf")) {
      notes.add(path + " was changed since it was applied");
    } else {
      findings.add(
          Finding.ofCluster(
              path + " was changed since it was applied",
              "see what is different, and apply or revert: schedgpu gres revert --list"));
    }
  }
}
