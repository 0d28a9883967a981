package org.schedgpu.gres.live;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A node as slurmctld believes it to be.
 *
 * @param states state and flags in Slurm's long words, upper case: {@code IDLE}, {@code MIXED},
 *     {@code ALLOCATED}, {@code DOWN}, {@code DRAIN}, {@code INVALID_REG}, {@code NOT_RESPONDING};
 *     the same words whoever told us
 * @param gres as slurmctld has it, {@code gpu:k20m:12}; empty if none
 * @param gresUsed with indexes, {@code gpu:k20m:2(IDX:0-1)}; empty if Slurm does not tell
 * @param reason why it is drained or down, without who said so; empty if nobody did
 * @param cpus Slurm's CPUs of the node; 0 if it is not known
 */
public record LiveNode(
    String name, Set<String> states, String gres, String gresUsed, String reason, int cpus) {

  /** Brings the states into one form. */
  public LiveNode {
    states =
        states.stream()
            .map(state -> longWord(state.toUpperCase(Locale.ROOT)))
            .collect(Collectors.toUnmodifiableSet());
  }

  /** Whether the node is in this state, or has this flag; {@code INVAL} as sinfo says is known. */
  public boolean is(String state) {
    return states.contains(longWord(state));
  }

  private static String longWord(String word) {
    return switch (word) {
      case "INVAL", "INVALID" -> "INVALID_REG";
      case "NO_RESPOND" -> "NOT_RESPONDING";
      default -> word;
    };
  }
}
