package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.regex.Pattern;
import org.schedgpu.gres.live.LiveNode;

/** Who drained a node, or took it down. */
public enum DrainOwner {
  /** No one: the node does not change, or was not yet checked. */
  @JsonProperty("none")
  NONE,
  /** This rollout, which resumes it. */
  @JsonProperty("ours")
  OURS,
  /** Someone else, before or during the rollout; the node stays as it is. */
  @JsonProperty("others")
  OTHERS;

  /** The beginning of the reason with which a rollout drains nodes; the rollout's id follows. */
  public static final String REASON = "schedgpu rollout ";

  /**
   * The reasons with which slurmctld replaces that of a drained node when its slurmd still has the
   * old gres.conf: from 23.02 on "gres/shard count reported lower than configured (0 < 30)", of any
   * GRES, and "Invalid GRES Links value".
   */
  private static final Pattern OF_THE_CHANGE =
      Pattern.compile("gres/\\S+ .*|.*[Ii]nvalid GRES Links.*");

  /**
   * The owner of a node in this state; {@link #OURS} also if the rollout must still drain it.
   *
   * @param before the owner in the previous snapshot
   */
  static DrainOwner of(LiveNode node, RolloutRecord record, DrainOwner before) {
    if (node.is("DRAIN")) {
      boolean ours =
          record.gave(node.reason())
              || (before == OURS && OF_THE_CHANGE.matcher(node.reason()).matches());
      return ours ? OURS : OTHERS;
    }
    return node.is("DOWN") ? OTHERS : OURS;
  }

  /** True if no job can start on the node. */
  static boolean isClosed(LiveNode node) {
    return node.is("DRAIN") || node.is("DOWN");
  }
}
