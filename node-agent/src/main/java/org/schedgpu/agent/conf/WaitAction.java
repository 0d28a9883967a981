package org.schedgpu.agent.conf;

import java.util.Locale;

/** What happens to a job that has waited too long on a node. */
public enum WaitAction {
  /** It goes back into Slurm's queue. */
  REQUEUE,
  /** It is cancelled. */
  FAIL,
  /** It is only logged. */
  WAIT;

  static WaitAction of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }
}
