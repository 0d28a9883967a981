package org.schedgpu.gres.rollout;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.List;
import java.util.function.UnaryOperator;
import org.schedgpu.gres.common.GresException;

/**
 * A rollout as it is written down before each of its steps: {@code rollout.json}. Immutable.
 *
 * @param version of this format
 * @param id UTC time of its beginning; part of the nodes' reason
 * @param way apply or revert
 * @param revertTo id of the first change that is taken back, or null
 * @param follows id of a rollout that stopped behind its change and that this one takes back, or
 *     null
 * @param backupsBefore ids of the backups that were there at the beginning
 * @param filesChanged whether the files are in place
 * @param distributed whether the nodes have them
 * @param controllerStart when slurmctld was started, before its restart; null if that is not yet
 *     due
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

  /** Which files it puts in place. */
  public enum Way {
    @JsonProperty("apply")
    APPLY,
    @JsonProperty("revert")
    REVERT
  }

  /**
   * @throws GresException if it is of another version
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

  /** A rollout of which nothing is done. */
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

  /** The reason that its nodes are drained with. */
  public String reason() {
    return DrainOwner.REASON + id;
  }

  /** Whether a node's reason is one that this rollout, or the one that it takes back, gave. */
  boolean gave(String reason) {
    return reason.equals(reason())
        || (follows != null && reason.equals(DrainOwner.REASON + follows));
  }

  /** As the way back of a rollout that is not finished, so that it cannot be given up. */
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

  /** Nodes that have to be free of GPU jobs. */
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
