package org.schedgpu.gres.command;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Json;
import org.schedgpu.gres.common.Sizes;
import org.schedgpu.gres.facts.Device;

/**
 * Facts of a device on the command line: {@code
 * index=0,uuid=GPU-...,file=/dev/nvidia0,totalBytes=16G,name=Tesla K20m}. The keys are those of the
 * facts file, and the same reader reads them. A bare number means bytes, also as in the file.
 */
final class DeviceOption {
  private static final String PLACE = "--device";

  private DeviceOption() {}

  static Device parse(String text) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("reservedBytes", 0L);
    facts.put("contextBytes", 0L);
    for (String pair : text.split(",", -1)) {
      int at = pair.indexOf('=');
      if (at < 1) {
        throw new GresException(
            PLACE + ", " + Check.quoted(pair) + " is not Key=Value",
            "use index=0,uuid=GPU-...,file=/dev/nvidia0,totalBytes=16G,name=...");
      }
      String key = pair.substring(0, at).strip();
      facts.put(key, value(key, pair.substring(at + 1).strip()));
    }
    return Json.convert(facts, Device.class, PLACE);
  }

  private static Object value(String key, String text) {
    if (key.equals("index")) {
      return wholeNumber(text)
          .orElseThrow(
              () ->
                  new GresException(
                      PLACE + ", index " + Check.quoted(text) + " is not a number",
                      "use a number from 0 to 15"));
    }
    if (key.endsWith("Bytes")) {
      return wholeNumber(text).orElseGet(() -> size(key, text));
    }
    return text;
  }

  private static long size(String key, String text) {
    try {
      return Sizes.parseBytes(text);
    } catch (GresException e) {
      throw e.in(PLACE + ", " + key);
    }
  }

  private static Optional<Long> wholeNumber(String text) {
    try {
      return Optional.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
