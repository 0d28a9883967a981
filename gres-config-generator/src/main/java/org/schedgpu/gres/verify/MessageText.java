package org.schedgpu.gres.verify;

import org.schedgpu.gres.common.GresException;

/** Embeds messages of other parts in a line. */
final class MessageText {
  private MessageText() {}

  /** The message without the component, which the reader of a report knows. */
  static String problem(GresException e) {
    return e.getMessage().replaceFirst("^schedgpu gres: ", "");
  }
}
