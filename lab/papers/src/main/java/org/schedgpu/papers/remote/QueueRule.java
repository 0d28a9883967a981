package org.schedgpu.papers.remote;

/** How the queue finds nodes. */
public enum QueueRule {
  /** Figure 5: nodes without a job, with enough of everything. */
  G,
  /** Figure 6: as G; then nodes that can use GPUs of others for the rest. */
  R
}
