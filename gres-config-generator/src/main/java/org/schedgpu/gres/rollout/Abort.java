package org.schedgpu.gres.rollout;

import java.util.ArrayList;
import java.util.List;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.LiveNode;

/** Gives up a rollout that has not changed a file. It can be interrupted anywhere and repeated. */
public final class Abort {
  private Abort() {}

  /**
   * Resumes the nodes that this rollout drained.
   *
   * @return their names
   * @throws GresException if a file was changed already, or Slurm rejects a request
   */
  public static List<String> run(
      RolloutRecord record, Controller controller, RecordStore store, ConfigStep files) {
    if (record.follows() != null) {
      throw new GresException(
          "rollout %s takes back %s, which was not finished: slurmctld may still have its counts"
              .formatted(record.id(), record.follows()),
          "end it with schedgpu gres rollout --continue");
    }
    if (record.filesChanged() || files.hasBegun()) {
      boolean back = record.way() == RolloutRecord.Way.REVERT;
      throw new GresException(
          "the files of rollout " + record.id() + " are changed already",
          back
              ? "end it with schedgpu gres rollout --continue"
              : "go back with schedgpu gres rollout --revert, or end it with --continue");
    }
    List<String> resumed = new ArrayList<>();
    for (LiveNode node : controller.nodes()) {
      if (node.is("DRAIN") && node.reason().equals(record.reason())) {
        controller.resume(node.name());
        resumed.add(node.name());
      }
    }
    store.write(record.at(Phase.ENDED));
    return resumed;
  }
}
