package org.schedgpu.gpucheck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a run does: its sections in their order, the most important first.
 *
 * @param budget for all, if no other is given
 */
record Plan(Duration budget, List<Part> parts) {
  /**
   * A section with its part of the time.
   *
   * @param share relative to the others; for the first and the second run about seconds on an H100
   */
  record Part(Section section, Mode mode, int share) {}

  /** All sections by their names; some share what they measure. */
  private static Map<String, Section> sections(TorchTrainings trainings) {
    Map<String, Section> sections = new TreeMap<>();
    for (Section section :
        List.of(
            new StartCheck(),
            new TorchCheck(),
            new AccountingCheck(trainings),
            new PromiseCheck(trainings),
            new GrowthCheck(trainings),
            new CostCheck(),
            new KillCheck(),
            new WorkloadCheck(),
            new SharingCheck(),
            new LaneCheck())) {
      sections.put(section.name(), section);
    }
    return sections;
  }

  private static Part part(Map<String, Section> sections, String name, Mode mode, int share) {
    return new Part(sections.get(name), mode, share);
  }

  /** Everything. */
  static Plan all() {
    Map<String, Section> sections = sections(new TorchTrainings());
    return new Plan(
        Duration.ofMinutes(8),
        List.of(
            part(sections, "starts", Mode.ALL, 14),
            part(sections, "pytorch", Mode.ALL, 8),
            part(sections, "books", Mode.ALL, 12),
            part(sections, "promise", Mode.ALL, 24),
            part(sections, "growth", Mode.ALL, 12),
            part(sections, "cost", Mode.ALL, 14),
            part(sections, "death", Mode.ALL, 10),
            part(sections, "workload", Mode.ALL, 16),
            part(sections, "sharing", Mode.ALL, 8),
            part(sections, "lanes", Mode.ALL, 10)));
  }

  /** The first minutes on a GPU. */
  static Plan first() {
    Map<String, Section> sections = sections(new TorchTrainings());
    return new Plan(
        Duration.ofSeconds(450),
        List.of(
            part(sections, "starts", Mode.FIRST, 35),
            part(sections, "pytorch", Mode.FIRST, 50),
            part(sections, "books", Mode.FIRST, 50),
            part(sections, "death", Mode.FIRST, 30),
            part(sections, "promise", Mode.FIRST, 70),
            part(sections, "cost", Mode.FIRST, 45),
            part(sections, "lanes", Mode.FIRST, 60),
            part(sections, "growth", Mode.FIRST, 60),
            part(sections, "sharing", Mode.FIRST, 20)));
  }

  /** After that: what failed again, and what was not done; if nothing failed, what is left. */
  static Plan second(Earlier earlier) {
    TorchTrainings trainings = new TorchTrainings();
    earlier.contextBytes().ifPresent(trainings::contextIs);
    Map<String, Section> sections = sections(trainings);
    List<Part> parts = new ArrayList<>(chosen(first(), sections, earlier.failed()));
    parts.addAll(chosen(first(), sections, earlier.notDone()));
    if (earlier.failed().isEmpty()) {
      parts.add(part(sections, "promise", Mode.SECOND, 70));
      parts.add(part(sections, "growth", Mode.SECOND, 50));
      parts.add(part(sections, "sharing", Mode.SECOND, 25));
      parts.add(part(sections, "workload", Mode.SECOND, 60));
    }
    return new Plan(Duration.ofMinutes(4), parts);
  }

  private static List<Part> chosen(Plan plan, Map<String, Section> sections, Set<String> names) {
    return plan.parts().stream()
        .filter(part -> names.contains(part.section().name()))
        .map(part -> part(sections, part.section().name(), part.mode(), part.share()))
        .toList();
  }

  /** The names, in their order. */
  List<String> names() {
    return parts.stream().map(part -> part.section().name()).toList();
  }

  /** Only these sections; all if there is none. */
  Plan only(List<String> names) {
    return names.isEmpty()
        ? this
        : new Plan(
            budget, parts.stream().filter(part -> names.contains(part.section().name())).toList());
  }
}
