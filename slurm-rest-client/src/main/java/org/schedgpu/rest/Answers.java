package org.schedgpu.rest;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads answers of slurmrestd, which leaves out unset values or gives them as null. */
final class Answers {
  /** Slurm's own error number for a user or token that it does not accept. */
  static final long AUTHENTICATION_ERROR = 1007;

  private Answers() {}

  static String text(String value) {
    return value == null ? "" : value;
  }

  /** Joined with commas, without empty ones. */
  static String joined(String... values) {
    return Stream.of(values)
        .filter(value -> value != null && !value.isEmpty())
        .collect(Collectors.joining(","));
  }

  static long number(Long value) {
    return value == null ? 0 : value;
  }

  static <T> List<T> list(List<T> values) {
    return values == null ? List.of() : List.copyOf(values);
  }

  static <T, R> List<R> map(List<T> values, Function<T, R> function) {
    return list(values).stream().map(function).toList();
  }

  static List<String> states(List<String> first, List<String> flags) {
    List<String> all = new ArrayList<>(list(first));
    all.addAll(list(flags));
    return all.stream().map(state -> state.toUpperCase(Locale.ROOT)).distinct().toList();
  }

  /** The text of one entry in slurmrestd's list of errors. */
  static String error(String description, String error, long number) {
    String text = text(description).isBlank() ? text(error) : text(description);
    boolean both = !text(error).isBlank() && !text.contains(error);
    return text + (both ? ": " + error : "") + (number == 0 ? "" : " (" + number + ")");
  }

  /** Throws if there are errors, which may also come with status 200. */
  static void check(List<String> errors) throws SlurmRestException {
    if (!errors.isEmpty()) {
      throw new SlurmRestException(
          SlurmRestException.Kind.REFUSED, "Slurm says: " + String.join("; ", errors));
    }
  }
}
