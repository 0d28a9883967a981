package org.schedgpu.jna;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * The figures of one job. Immutable.
 *
 * @param values of each figure, 0 or more
 */
public record JobFigures(Map<JobFigure, Long> values) {
  /** A copy. */
  public JobFigures {
    values = Collections.unmodifiableMap(new EnumMap<>(values));
  }

  /** Each as the function has it. */
  public static JobFigures of(ToLongFunction<JobFigure> value) {
    Map<JobFigure, Long> values = new EnumMap<>(JobFigure.class);
    for (JobFigure figure : JobFigure.values()) {
      values.put(figure, value.applyAsLong(figure));
    }
    return new JobFigures(values);
  }

  /** These; any other is 0. */
  public static JobFigures of(long waitedNs, long waits, long heldNs) {
    return of(
        figure ->
            switch (figure) {
              case WAITED -> waitedNs;
              case WAITS -> waits;
              case HELD -> heldNs;
              default -> 0;
            });
  }

  /** One of them. */
  public long of(JobFigure figure) {
    return values.get(figure);
  }

  /** With more of one. */
  public JobFigures plus(JobFigure more, long by) {
    return of(figure -> of(figure) + (figure == more ? by : 0));
  }

  /** Adds all of them to JSON. */
  public void put(Map<String, Object> json) {
    values.forEach((figure, value) -> json.put(figure.key(), value));
  }
}
