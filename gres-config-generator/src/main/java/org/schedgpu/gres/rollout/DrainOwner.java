package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.regex.Pattern;
import org.schedgpu.gres.live.LiveNode;

/** Who keeps a node out of service. */
public enum DrainOwner {
  /** Nobody; it does not change, or it was not yet looked at. */
  @JsonProperty("none")
  NONE,
  /** This rollout, which resumes it. */
  @JsonProperty("ours")
  OURS,
  /** Somebody else, before or meanwhile; it stays as it is. */
  @JsonProperty("others")
  OTHERS;

  /** Every reason that a rollout gives begins so; the rollout's id follows. */
  public static final String REASON = "schedgpu rollout ";

  /**
   * What slurmctld itself writes over the reason of a node whose slurmd has another count than the
   * new slurm.conf: 24.11 ("gres/gpu count reported lower than configured"), 26.05 (that, or
   * "Invalid GRES Links value").
   */
  private static final Pattern OF_THE_CHANGE =
      Pattern.compile("gres/gpu count .*|.*[Ii]nvalid GRES Links.*");

  /**
   * Who is to hold a node that looks so; {@link #OURS} also if it has yet to be drained.
   *
   * @param before who held it at the last look
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

  /** Whether no job can be started on the node. */
  static boolean isClosed(LiveNode node) {
    return node.is("DRAIN") || node.is("DOWN");
  }
}
