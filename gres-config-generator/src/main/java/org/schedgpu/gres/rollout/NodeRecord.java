package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The record of one node in a rollout. Immutable.
 *
 * @param before GPUs of the node in slurmctld at the beginning, {@code gpu:k20m:2}
 * @param after GPUs of the node at the end
 * @param changes whether the node must be free of GPU jobs: its count changes, so that they would
 *     be killed, or an index would stand for another device
 * @param hold who drained it
 * @param found state and reason of a node that someone else drained, else null
 * @param slurmdStart start time of its slurmd, as slurmctld knew it before its own restart; null if
 *     it did not
 * @param done whether the rollout is finished with the node
 * @param note a note to print at the end, or null
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
