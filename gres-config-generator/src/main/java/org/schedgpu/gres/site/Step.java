package org.schedgpu.gres.site;

import java.util.List;

/**
 * One step of a change on a live cluster.
 *
 * @param what is to be done, and what comes of it
 * @param commands to be typed; perhaps none
 */
public record Step(String what, List<String> commands) {
  static Step of(String what, String... commands) {
    return new Step(what, List.of(commands));
  }
}
