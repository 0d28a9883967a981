package org.schedgpu.agent.query;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * An answer that the client only prints. It follows the JSON line as plain text, so the client need
 * not read JSON and format it again.
 *
 * @param sound false if something in the region was damaged
 * @param text the whole text
 */
public record PrintedAnswer(boolean sound, Text text) {

  /** A text that is written directly to its target, because that of a full node is a megabyte. */
  @FunctionalInterface
  public interface Text {
    /** Writes all of it; does not close the target. */
    void writeTo(Writer out) throws IOException;

    /** The same as bytes of UTF-8, complete when this returns. */
    default void writeTo(OutputStream out) throws IOException {
      Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
      writeTo(text);
      text.flush();
    }
  }
}
