package org.schedgpu.gres.common;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads and writes records as JSON. Reading is strict: unknown or missing values are errors, with
 * their line, and are never guessed. That takes a data binder, whose start is too slow for commands
 * that only show something: those have JsonText and JsonValues of the agent.
 */
public final class Json {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .build();

  private Json() {}

  /** Writes the value as text that ends with a line feed. */
  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value) + "\n";
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("our own records are always writable", e);
    }
  }

  /** As {@link #write(Object)}, but never holds the whole text in memory. */
  public static void write(Object value, Writer out) {
    try {
      MAPPER.writer().without(JsonGenerator.Feature.AUTO_CLOSE_TARGET).writeValue(out, value);
      out.write('\n');
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static <T> T read(String json, Class<T> type, String place) {
    return read(json, type, place, "correct it, or write it again with schedgpu gres facts");
  }

  /**
   * Reads a record of this project.
   *
   * @param place where the text comes from, for messages
   * @param action what to do if it cannot be read
   * @throws GresException if the text is not the JSON of such a record
   */
  public static <T> T read(String json, Class<T> type, String place, String action) {
    try {
      T value = MAPPER.readValue(json, type);
      if (value == null) {
        throw new GresException("null is not an object", "write it again").in(place);
      }
      return value;
    } catch (JsonProcessingException e) {
      throw explained(e, place, action);
    }
  }

  /** Reads several records of this project, one after the other or as an array; at least one. */
  public static <T> List<T> readAll(Reader json, Class<T> type, String place) throws IOException {
    String action = "correct it, or write it again with schedgpu gres facts";
    try (MappingIterator<T> values = MAPPER.readerFor(type).readValues(json)) {
      List<T> all = new ArrayList<>();
      while (values.hasNextValue()) {
        all.add(values.nextValue());
      }
      if (all.isEmpty() || all.contains(null)) {
        throw new GresException(place + " has no facts of a node", action);
      }
      return all;
    } catch (JsonProcessingException e) {
      throw explained(e, place, action);
    }
  }

  public static ObjectNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  public static <T> T convert(Object value, Class<T> type, String place) {
    return read(write(value), type, place);
  }

  /** The record's own message if it rejected a value, else the parser's message, on one line. */
  private static GresException explained(JsonProcessingException e, String place, String action) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof GresException ours) {
        return ours.in(place);
      }
    }
    JsonLocation at = e.getLocation();
    String where = at == null ? "" : ", line " + at.getLineNr();
    String what =
        e.getOriginalMessage()
            .replaceAll("\\s+", " ")
            .replace("`", "'")
            .replaceFirst("^Missing required creator property ('[^']*').*", "$1 is missing");
    return new GresException(place + where + ", " + what, action, e);
  }
}
