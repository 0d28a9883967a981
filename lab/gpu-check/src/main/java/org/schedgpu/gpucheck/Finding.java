package org.schedgpu.gpucheck;

import java.util.Map;

/**
 * The result of one check.
 *
 * @param section name of its section
 * @param check the subject in a few words
 * @param result the result, or why the check did not run; one line
 * @param figures the numbers behind it, by names with units; may be empty
 */
record Finding(
    String section, String check, Outcome outcome, String result, Map<String, Object> figures) {
  Finding {
    figures = Map.copyOf(figures);
  }
}
