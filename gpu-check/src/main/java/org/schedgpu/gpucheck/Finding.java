package org.schedgpu.gpucheck;

import java.util.Map;

/**
 * What one check found.
 *
 * @param section name of its section
 * @param check what was checked, in a few words
 * @param result what came out, or why it did not run; one line
 * @param figures the numbers behind it, by names with units; may be empty
 */
record Finding(
    String section, String check, Outcome outcome, String result, Map<String, Object> figures) {
  Finding {
    figures = Map.copyOf(figures);
  }
}
