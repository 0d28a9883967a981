package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.schedgpu.gres.live.LiveNode;

/** Who keeps a node out of service. */
public enum Hold {
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

  /** Who is to hold a node that looks so; {@link #OURS} also if it has yet to be drained. */
  static Hold of(LiveNode node, RolloutRecord record) {
    if (node.is("DRAIN")) {
      return record.gave(node.reason()) ? OURS : OTHERS;
    }
    return node.is("DOWN") ? OTHERS : OURS;
  }

  /** Whether no job can be started on the node. */
  static boolean isClosed(LiveNode node) {
    return node.is("DRAIN") || node.is("DOWN");
  }
}
