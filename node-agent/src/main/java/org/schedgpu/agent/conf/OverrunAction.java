package org.schedgpu.agent.conf;

import java.util.Locale;

/**
 * What is done about memory that a job's programs use and did not reserve. It is always charged.
 */
public enum OverrunAction {
  /** Charged, and that is all. */
  LEAVE,
  /** Warned of in the log, with the program and what to do. */
  WARN,
  /** Warned of, and the program that asked for nothing is ended. */
  END;

  /** A value of OverrunAction that was checked. */
  static OverrunAction of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }
}
