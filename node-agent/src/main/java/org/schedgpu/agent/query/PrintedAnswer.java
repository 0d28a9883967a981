package org.schedgpu.agent.query;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/**
 * An answer that is only printed, by whoever asked: it follows the line of the answer as it is, and
 * nobody has to read its JSON to write the same again.
 *
 * @param sound whether nothing in the region was damaged
 * @param text the whole of it
 */
public record PrintedAnswer(boolean sound, Text text) {

  /** A text that is written where it is to go, as that of a full node has a megabyte. */
  @FunctionalInterface
  public interface Text {
    /** Writes all of it; does not close. */
    void writeTo(Writer out) throws IOException;

    /** The same as bytes of UTF-8, all of which are there when this returns. */
    default void writeTo(OutputStream out) throws IOException {
      Writer text = new OutputStreamWriter(out, StandardCharsets.UTF_8);
      writeTo(text);
      text.flush();
    }
  }
}
