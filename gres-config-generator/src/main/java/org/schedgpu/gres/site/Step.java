package org.schedgpu.gres.site;

import java.util.List;

/**
 * One step of a change on a live cluster.
 *
 * @param what the step and its effect
 * @param commands to type; may be empty
 */
public record Step(String what, List<String> commands) {
  static Step of(String what, String... commands) {
    return new Step(what, List.of(commands));
  }
}
