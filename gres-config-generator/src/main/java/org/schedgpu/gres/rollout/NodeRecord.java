package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What a rollout knows of one node. Immutable.
 *
 * @param before GPUs that slurmctld had, {@code gpu:k20m:2}
 * @param after GPUs that it is to have
 * @param changes whether the two differ, so that GPU jobs of the node would be ended, or an index
 *     would mean another device: it has to be free of GPU jobs
 * @param hold who keeps it out of service
 * @param found state and reason of a node that somebody else holds, else null
 * @param slurmdStart when its slurmd was started, as slurmctld had it before its own restart; null
 *     if it did not know
 * @param done whether nothing is left to be done for it
 * @param note what is to be told of it at the end, or null
 */
public record NodeRecord(
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) String before,
    @JsonProperty(required = true) String after,
    @JsonProperty(required = true) boolean changes,
    @JsonProperty(required = true) DrainOwner hold,
    String found,
    String slurmdStart,
    @JsonProperty(required = true) boolean done,
    String note) {

  /** A node at the beginning of a rollout. */
  public static NodeRecord of(String name, String before, String after, boolean changes) {
    return new NodeRecord(name, before, after, changes, DrainOwner.NONE, null, null, false, null);
  }

  NodeRecord held(DrainOwner newHold, String newFound) {
    return new NodeRecord(name, before, after, changes, newHold, newFound, slurmdStart, done, note);
  }

  NodeRecord withSlurmdStart(String start) {
    return new NodeRecord(name, before, after, changes, hold, found, start, done, note);
  }

  NodeRecord finished(String newNote) {
    return new NodeRecord(name, before, after, changes, hold, found, slurmdStart, true, newNote);
  }
}
