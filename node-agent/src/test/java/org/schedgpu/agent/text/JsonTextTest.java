package org.schedgpu.agent.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.StringWriter;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTextTest {
  private static final Map<String, Object> NAME =
      Map.of("name", "\u001b\u007f\u009b\u202e\n\u00fc");
  private static final String ESCAPED = "\\u001B\\u007F\\u009b\\u202e\\n\u00fc";

  /** Programs get the original text; a terminal shows it as written. */
  @Test
  void whatSteersATerminalIsEscaped() throws IOException {
    String text = JsonText.of(NAME);
    assertEquals("{\n  \"name\": \"" + ESCAPED + "\"\n}\n", text);
    assertEquals(NAME, JsonValues.object(text));
  }

  @Test
  void inOneLineToo() throws IOException {
    StringWriter text = new StringWriter();
    JsonText.writeLine(text, NAME);
    assertEquals("{\"name\":\"" + ESCAPED + "\"}", text.toString());
  }
}
