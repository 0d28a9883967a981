package org.schedgpu.rest;

import java.util.List;

/**
 * A job that slurmctld remembers.
 *
 * @param state such as {@code RUNNING}; flags of newer versions, such as {@code COMPLETING}, follow
 *     in {@code flags}
 * @param nodes hostlist, empty while it waits
 * @param gresDetail its GRES on each node, with indexes
 * @param tresRequested as {@code cpu=1,mem=4000M,node=1,billing=1}
 * @param gresRequested per job, node, socket or task, with commas: {@code gres:gpu:2}, in newer
 *     versions {@code gres/gpu:2}; empty if it asked for none
 */
public record RestJob(
    long id,
    String name,
    String user,
    String partition,
    String state,
    List<String> flags,
    String stateReason,
    String nodes,
    List<String> gresDetail,
    String tresRequested,
    String gresRequested,
    String comment,
    String adminComment,
    String extra) {
  /** The text of a field; empty if there is none, or if this version lacks the field. */
  public String text(JobField field) {
    return switch (field) {
      case COMMENT -> comment;
      case ADMIN_COMMENT -> adminComment;
      case EXTRA -> extra;
    };
  }
}
