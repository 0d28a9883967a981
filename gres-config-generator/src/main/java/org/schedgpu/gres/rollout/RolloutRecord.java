package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.schedgpu.gres.common.GresException;

/**
 * The state of a rollout, recorded before each of its steps in {@code rollout.json}. Immutable.
 *
 * @param version version of the record's format
 * @param id UTC time of its beginning; part of the reason of drained nodes
 * @param way apply or revert
 * @param revertTo id of the oldest change to undo, or null
 * @param follows id of a rollout that stopped after its change and that this one undoes, or null
 * @param backupsBefore ids of the backups that existed at the beginning
 * @param filesChanged whether the files are in place
 * @param distributed whether the files were copied to the nodes
 * @param controllerStart start time of slurmctld before its restart; null before that phase
 */
public record RolloutRecord(
    @JsonProperty(required = true) int version,
    @JsonProperty(required = true) String id,
    @JsonProperty(required = true) Way way,
    String revertTo,
    String follows,
    @JsonProperty(required = true) Phase phase,
    @JsonProperty(required = true) List<String> backupsBefore,
    @JsonProperty(required = true) boolean filesChanged,
    @JsonProperty(required = true) boolean distributed,
    String controllerStart,
    @JsonProperty(required = true) Commands commands,
    @JsonProperty(required = true) List<NodeRecord> nodes) {
  static final int VERSION = 1;

  /** The files that the rollout puts in place. */
  public enum Way {
    @JsonProperty("apply")
    APPLY,
    @JsonProperty("revert")
    REVERT
  }

  /**
   * @throws GresException if the record has another version
   */
  public RolloutRecord {
    if (version != VERSION) {
      throw new GresException(
          "version " + version + " is not known, this is version " + VERSION,
          "use the schedgpu that wrote it");
    }
    backupsBefore = List.copyOf(backupsBefore);
    nodes = List.copyOf(nodes);
  }

  /** A new rollout, in which nothing was done yet. */
  public static RolloutRecord begin(
      String id,
      Way way,
      String revertTo,
      List<String> backupsBefore,
      Commands commands,
      List<NodeRecord> nodes) {
    return new RolloutRecord(
        VERSION,
        id,
        way,
        revertTo,
        null,
        Phase.CLEARING,
        backupsBefore,
        false,
        false,
        null,
        commands,
        nodes);
  }

  /** The reason with which its nodes are drained. */
  public String reason() {
    return DrainOwner.REASON + id;
  }

  /** True if this rollout, or the one that it undoes, gave this reason. */
  boolean gave(String reason) {
    return reason.equals(reason())
        || (follows != null && reason.equals(DrainOwner.REASON + follows));
  }

  /** The same rollout marked as undoing an unfinished one, so that it cannot be given up. */
  public RolloutRecord following(String other) {
    return new RolloutRecord(
        version,
        id,
        way,
        revertTo,
        other,
        phase,
        backupsBefore,
        filesChanged,
        distributed,
        controllerStart,
        commands,
        nodes);
  }

  /**
   * The nodes of a rollout that undoes this one: a node that this one drained stays its own, also
   * where slurmctld has replaced the reason.
   */
  public List<NodeRecord> handOver(List<NodeRecord> next) {
    Set<String> ours =
        nodes.stream()
            .filter(node -> node.hold() == DrainOwner.OURS && !node.done())
            .map(NodeRecord::name)
            .collect(Collectors.toSet());
    return next.stream()
        .map(node -> ours.contains(node.name()) ? node.held(DrainOwner.OURS, null) : node)
        .toList();
  }

  /** The nodes that must be free of GPU jobs. */
  List<NodeRecord> changing() {
    return nodes.stream().filter(NodeRecord::changes).toList();
  }

  RolloutRecord at(Phase next) {
    return new RolloutRecord(
        version,
        id,
        way,
        revertTo,
        follows,
        next,
        backupsBefore,
        filesChanged,
        distributed,
        controllerStart,
        commands,
        nodes);
  }

  RolloutRecord withFiles(boolean changed, boolean sent) {
    return new RolloutRecord(
        version,
        id,
        way,
        revertTo,
        follows,
        phase,
        backupsBefore,
        changed,
        sent,
        controllerStart,
        commands,
        nodes);
  }

  RolloutRecord withControllerStart(String start) {
    return new RolloutRecord(
        version,
        id,
        way,
        revertTo,
        follows,
        phase,
        backupsBefore,
        filesChanged,
        distributed,
        start,
        commands,
        nodes);
  }

  /** With other commands and limits. */
  public RolloutRecord with(Commands other) {
    return new RolloutRecord(
        version,
        id,
        way,
        revertTo,
        follows,
        phase,
        backupsBefore,
        filesChanged,
        distributed,
        controllerStart,
        other,
        nodes);
  }

  RolloutRecord mapNodes(UnaryOperator<NodeRecord> change) {
    return new RolloutRecord(
        version,
        id,
        way,
        revertTo,
        follows,
        phase,
        backupsBefore,
        filesChanged,
        distributed,
        controllerStart,
        commands,
        nodes.stream().map(change).toList());
  }
}
