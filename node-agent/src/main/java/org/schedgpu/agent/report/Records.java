package org.schedgpu.agent.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Converts a report to maps, lists, texts, numbers and booleans, as JSON has them, and back. */
public final class Records {
  private Records() {}

  /** A report as JSON data; the keys are the names of the records' components. */
  @SuppressWarnings("unchecked") // a record becomes a map
  public static Map<String, Object> toMap(ReportData data) {
    return (Map<String, Object>) plain(data);
  }

  /**
   * Converts a map back to a report.
   *
   * @throws ReportException if it is not one
   */
  public static ReportData ofMap(Map<String, Object> map) {
    try {
      return new ObjectMapper().convertValue(map, ReportData.class);
    } catch (IllegalArgumentException problem) {
      throw new ReportException(
          "the agent's report is not as expected ("
              + problem.getMessage().lines().findFirst().orElse("")
              + "): restart the agent, so that it is of the version of this command",
          problem);
    }
  }

  private static Object plain(Object value) {
    if (value instanceof List<?> list) {
      List<Object> elements = new ArrayList<>(list.size()); // which may be null
      list.forEach(element -> elements.add(plain(element)));
      return elements;
    }
    return value instanceof Record record ? fields(record) : value;
  }

  private static Map<String, Object> fields(Record record) {
    Map<String, Object> fields = new LinkedHashMap<>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      try {
        Object value = component.getAccessor().invoke(record);
        fields.put(component.getName(), plain(value));
      } catch (ReflectiveOperationException impossible) {
        throw new IllegalStateException(impossible);
      }
    }
    return fields;
  }
}
