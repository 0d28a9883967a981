package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/** The phases of a rollout, in order. */
public enum Phase {
  /** Before slurmctld's restart: nodes are drained, jobs end, files are changed. */
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
  /** Given up before anything was changed, or undone by another rollout. */
  @JsonProperty("ended")
  ENDED;

  /** True if the rollout is not finished. */
  public boolean isOpen() {
    return this != DONE && this != ENDED;
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
