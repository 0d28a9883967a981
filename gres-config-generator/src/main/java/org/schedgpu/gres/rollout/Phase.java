package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** How far a rollout has come. */
public enum Phase {
  /** Nodes are drained, jobs end, files are changed: whatever comes before the restart. */
  @JsonProperty("clearing")
  CLEARING,
  /** slurmctld is to be restarted; nothing else may happen before. */
  @JsonProperty("restarting")
  RESTARTING,
  /** slurmctld has the new counts; every slurmd is to be restarted. */
  @JsonProperty("nodes")
  NODES,
  /** The nodes go back into service, one after the other. */
  @JsonProperty("resuming")
  RESUMING,
  /** All was done. */
  @JsonProperty("done")
  DONE,
  /** Given up before anything was changed, or gone back by another rollout. */
  @JsonProperty("ended")
  ENDED;

  /** Whether something is left to be done. */
  public boolean isOpen() {
    return this != DONE && this != ENDED;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
