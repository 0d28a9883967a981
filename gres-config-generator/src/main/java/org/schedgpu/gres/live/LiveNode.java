package org.schedgpu.gres.live;

import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A node as slurmctld sees it.
 *
 * @param states state and flags as Slurm's long words in upper case: {@code IDLE}, {@code MIXED},
 *     {@code ALLOCATED}, {@code DOWN}, {@code DRAIN}, {@code INVALID_REG}, {@code NOT_RESPONDING};
 *     the same words for scontrol and slurmrestd
 * @param gres as slurmctld has it, {@code gpu:k20m:12}; empty if none
 * @param gresUsed the GRES in use with indexes, {@code gpu:k20m:2(IDX:0-1)}; empty if Slurm does
 *     not report them
 * @param reason why it is drained or down, without the user's name; empty if there is none
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

  /** True if the node has this state or flag; sinfo's short word {@code INVAL} is accepted too. */
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
