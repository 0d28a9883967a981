package org.schedgpu.agent.conf;

import java.util.Locale;

/**
 * What the agent does about a job's unreserved memory. It always charges that memory to the job.
 */
public enum OverrunAction {
  /** Only charges it. */
  LEAVE,
  /** Also logs a warning, with the program and what to do. */
  WARN,
  /** Also ends the program that did not ask. */
  END;

  /** Converts a value of OverrunAction that was checked. */
  static OverrunAction of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }
}
