package org.schedgpu.gres.verify;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.schedgpu.gres.live.SrunJobs;
import org.schedgpu.gres.verify.PlannedNode.PlannedDevice;

/** Compares what a job saw with the plan. */
final class JobCheck {
  private static final Pattern LOCAL_INDEXES = Pattern.compile("[0-9,]*");
  private static final String SEE_FILES =
      "see that gres.conf of the node is that of the plan and its slurmd was restarted since";

  private final PlannedNode node;
  private final boolean shouldConfine;
  private final List<Finding> findings = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  /**
   * @param shouldConfine whether cgroup.conf has ConstrainDevices=yes
   */
  JobCheck(PlannedNode node, boolean shouldConfine) {
    this.node = node;
    this.shouldConfine = shouldConfine;
  }

  List<Finding> findings() {
    return findings;
  }

  List<String> notes() {
    return notes;
  }

  void judge(JobOutput answer) {
    if (!answer.gpus().matches("[0-9]{1,4}")) {
      find("Slurm gave the job the GPUs '" + answer.gpus() + "', not one", SEE_FILES);
      return;
    }
    int index = Integer.parseInt(answer.gpus());
    Optional<PlannedDevice> device = node.behind(index);
    if (device.isEmpty() && !node.isComplete()) {
      notes.add(
          "virtual GPU %d is not one that the plan shares, its device was not checked"
              .formatted(index));
      return;
    }
    if (device.isEmpty()) {
      find("Slurm gave the job virtual GPU " + index + ", which the plan has not", SEE_FILES);
      return;
    }
    files(index, device.get(), answer);
    visible(index, device.get(), answer.visible());
  }

  /** srun returned no answer. */
  void notRun(SrunJobs.Ended ended, String type) {
    String job = "a job of gpu" + (type.isEmpty() ? "" : ":" + type);
    if (ended.said().contains("nodes are busy") && !ended.said().contains("not available")) {
      find("not run: busy, " + job + " found none free", "repeat later, or with a longer --wait");
    } else if (!ended.inTime()) {
      find("not run: " + job + " did not end in time", "see its slurmd's log, or set --limit");
    } else {
      find(
          "not run: " + job + " failed: " + ended.said(),
          "correct that and repeat; --partition and --account choose others");
    }
  }

  private void files(int index, PlannedDevice device, JobOutput answer) {
    Set<String> open = with(answer, "open");
    with(answer, "missing")
        .forEach(
            file ->
                find(
                    "has no device file " + file, "load the driver there, or plan from its facts"));
    with(answer, "mode")
        .forEach(
            file -> find("a job may not open " + file, "see the owner and mode of the file there"));
    boolean all = open.size() == node.devices().size() && open.size() > 1;
    if (all && !shouldConfine) {
      notes.add(
          "a job is not confined, it can open every device; ConstrainDevices=yes in cgroup.conf"
              + " would confine it");
    } else if (!open.equals(Set.of(device.file())) && !missesOnly(device, answer)) {
      find(
          "virtual GPU %d is %s, but its job can open %s"
              .formatted(index, device.file(), open.isEmpty() ? "none" : String.join(" ", open)),
          all
              ? "ConstrainDevices=yes is not in effect: TaskPlugin needs task/cgroup; restart"
                  + " slurmd"
              : SEE_FILES);
    }
  }

  /** Its own file was reported already, and no other file is open. */
  private static boolean missesOnly(PlannedDevice device, JobOutput answer) {
    String word = answer.words().getOrDefault(device.file(), "");
    return (word.equals("missing") || word.equals("mode")) && with(answer, "open").isEmpty();
  }

  /** Slurm's own value has indexes; a name comes from the SPANK plugin. */
  private void visible(int index, PlannedDevice device, String visible) {
    if (LOCAL_INDEXES.matcher(visible).matches()) {
      notes.add(
          "CUDA_VISIBLE_DEVICES is '"
              + visible
              + "', Slurm's own: schedGPU's SPANK plugin is not on, or did not schedule the job");
    } else if (!visible.equals(device.uuid())) {
      find(
          "virtual GPU %d is %s, but SCHEDGPU_DEVICES is %s"
              .formatted(index, device.uuid(), visible),
          "see that devices.conf of the node is that of the plan");
    }
  }

  private static Set<String> with(JobOutput answer, String word) {
    Set<String> files = new TreeSet<>();
    answer.words().forEach((file, w) -> files.addAll(w.equals(word) ? Set.of(file) : Set.of()));
    return files;
  }

  private void find(String what, String action) {
    findings.add(new Finding(node.name(), what, action));
  }
}
