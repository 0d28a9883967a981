package org.schedgpu.simulator.input;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A release of Slurm.
 *
 * @param text as {@code 25.05.8} or {@code 25.05}; anything else is older than all
 */
public record Release(String text) {
  private static final Pattern FORM = Pattern.compile("([0-9]{2})\\.([0-9]{2})(\\..*)?");

  /** True if the text names a release. */
  public boolean isKnown() {
    return number() > 0;
  }

  /** True if it is this one or newer, whatever the third number. */
  public boolean isAtLeast(int year, int month) {
    return number() >= 100 * year + month;
  }

  boolean isNewerThan(Release other) {
    return number() > other.number();
  }

  private int number() {
    Matcher matcher = FORM.matcher(text);
    return matcher.matches()
        ? 100 * Integer.parseInt(matcher.group(1)) + Integer.parseInt(matcher.group(2))
        : 0;
  }
}
