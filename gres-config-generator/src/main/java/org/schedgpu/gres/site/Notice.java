package org.schedgpu.gres.site;

import java.util.List;

/** Something that the administrator must know about a plan, with its consequence. */
public record Notice(Severity severity, String text) {
  /** All notices of one severity. */
  public static List<Notice> all(Severity severity, List<String> texts) {
    return texts.stream().map(text -> new Notice(severity, text)).toList();
  }

  /** A problem that a reader of files reports: errors that end a daemon are the worst. */
  public static List<Notice> ofReader(List<String> warnings, List<String> stops) {
    return warnings.stream()
        .map(text -> new Notice(stops.contains(text) ? Severity.FATAL : Severity.NOTE, text))
        .toList();
  }
}
