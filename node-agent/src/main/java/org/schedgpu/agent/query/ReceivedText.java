package org.schedgpu.agent.query;

import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;

/** A text as received bytes: it may have a megabyte, and is mostly copied on as bytes. */
final class ReceivedText implements PrintedAnswer.Text {
  private final byte[] bytes;
  private final int from;
  private final int length;

  ReceivedText(byte[] bytes, int from, int length) {
    this.bytes = bytes;
    this.from = from;
    this.length = length;
  }

  @Override
  public void writeTo(Writer out) throws IOException {
    out.write(new String(bytes, from, length, StandardCharsets.UTF_8));
  }

  @Override
  public void writeTo(OutputStream out) throws IOException {
    out.write(bytes, from, length);
    out.flush();
  }
}
