package org.schedgpu.agent.text;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads JSON into maps, lists, texts, {@link Long}, {@link Double}, {@link Boolean} and null: what
 * {@link JsonText} writes. Nothing is bound to classes.
 */
public final class JsonValues {
  private static final int MAX_DEPTH = 32;
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(MAX_DEPTH)
                  .maxNumberLength(32)
                  .build())
          .build();

  private JsonValues() {}

  /**
   * Parses an object; throws {@link IOException} for any other text, or for more than one value.
   */
  public static Map<String, Object> object(String text) throws IOException {
    try (JsonParser json = FACTORY.createParser(text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw new IOException("no JSON object");
      }
      Map<String, Object> object = object(json);
      if (json.nextToken() != null) {
        throw new IOException("something follows the JSON object");
      }
      return object;
    }
  }

  private static Map<String, Object> object(JsonParser json) throws IOException {
    Map<String, Object> object = new LinkedHashMap<>();
    while (json.nextToken() == JsonToken.FIELD_NAME) {
      String name = json.currentName();
      json.nextToken();
      object.put(name, value(json));
    }
    return object;
  }

  private static Object value(JsonParser json) throws IOException {
    return switch (json.currentToken()) {
      case START_OBJECT -> object(json);
      case START_ARRAY -> list(json);
      case VALUE_NUMBER_INT -> json.getLongValue();
      case VALUE_NUMBER_FLOAT -> json.getDoubleValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      default -> json.getText();
    };
  }

  private static List<Object> list(JsonParser json) throws IOException {
    List<Object> list = new ArrayList<>();
    while (json.nextToken() != JsonToken.END_ARRAY) {
      list.add(value(json));
    }
    return list;
  }
}
