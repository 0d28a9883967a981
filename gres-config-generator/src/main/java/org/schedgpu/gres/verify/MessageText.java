package org.schedgpu.gres.verify;

import org.schedgpu.gres.common.GresException;

/** Messages of others in a line of ours. */
final class MessageText {
  private MessageText() {}

  /** Without the component, which the reader of a report knows. */
  static String problem(GresException e) {
    return e.getMessage().replaceFirst("^schedgpu gres: ", "");
  }
}
