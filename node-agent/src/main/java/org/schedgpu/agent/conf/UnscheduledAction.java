package org.schedgpu.agent.conf;

import java.util.Locale;

/**
 * What the agent does about a program of a scheduled job that uses a device without being attached
 * to the region.
 */
public enum UnscheduledAction {
  /** Names it. */
  WARN,
  /** Also charges the whole budget to the job, as mode gate does. */
  GATE,
  /** Also ends it. */
  REFUSE;

  /** Converts a value of Unscheduled that was checked. */
  static UnscheduledAction of(String text) {
    return valueOf(text.toUpperCase(Locale.ROOT));
  }
}
