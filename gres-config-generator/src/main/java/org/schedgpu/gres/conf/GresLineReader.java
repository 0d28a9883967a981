package org.schedgpu.gres.conf;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

/** Reads one line of gres.conf, and rejects what makes slurmd exit. */
final class GresLineReader {
  private static final Set<String> SHARED = Set.of("mps", "shard");
  private static final String LINKS = "-1|-2|[0-9]{1,4}";

  private final ConfLine line;
  private final Consumer<String> warnings;

  GresLineReader(ConfLine line, Consumer<String> warnings) {
    this.line = line;
    this.warnings = warnings;
  }

  /** Reads the line; empty if it has no Name=, such as a line with only AutoDetect=. */
  Optional<GresLine> read(Optional<Set<String>> nodes) {
    Optional<String> name = line.value("Name");
    if (name.isEmpty()) {
      if (line.pair("AutoDetect").isEmpty()) {
        warn("the line has neither Name= nor AutoDetect=, Slurm ignores it");
      }
      return Optional.empty();
    }
    boolean multiple = line.pair("MultipleFiles").isPresent();
    List<String> files = files(multiple);
    return Optional.of(
        new GresLine(
            line,
            nodes,
            name.get(),
            line.value("Type"),
            files,
            multiple,
            count(name.get(), multiple ? 1 : files.size()),
            line.value("Cores").or(() -> line.value("CPUs")),
            links(),
            line.value("Flags")));
  }

  private List<String> files(boolean multiple) {
    Optional<String> single = line.value("File").or(() -> line.value("Files"));
    if (!multiple) {
      return single.map(list -> NodeLines.expand(line, list)).orElse(List.of());
    }
    if (single.isPresent()) {
      throw line.place().error("File= and MultipleFiles= are both there", "keep one of them");
    }
    List<String> files = NodeLines.expand(line, line.value("MultipleFiles").orElseThrow());
    if (files.size() < 2) {
      throw line.place()
          .error("MultipleFiles= names one file, Slurm stops at that", "use File= for one");
    }
    return files;
  }

  private long count(String name, int files) {
    Optional<String> text = line.value("Count");
    if (text.isEmpty()) {
      return Math.max(1, files);
    }
    OptionalLong count = GresCounts.parse(text.get());
    if (count.isEmpty()) {
      throw line.place()
          .error(
              "Count=" + text.get() + " is no count",
              "use a number with K, M, G, T or P (1024), KB ... (1000), or none");
    }
    boolean shared = SHARED.contains(name.toLowerCase(java.util.Locale.ROOT));
    if (files > 0 && files != count.getAsLong() && !shared) {
      throw line.place()
          .error(
              "Count=%s, but the files are %d of them".formatted(text.get(), files),
              "leave Count= out, or name as many files");
    }
    return count.getAsLong();
  }

  private Optional<String> links() {
    Optional<String> links = line.value("Link").or(() -> line.value("Links"));
    if (links.isEmpty()) {
      return links;
    }
    List<String> all = List.of(links.get().split(",", -1));
    boolean valid = all.stream().allMatch(link -> link.matches(LINKS));
    if (valid && all.stream().filter("-1"::equals).count() == 1) {
      return links;
    }
    warn("Links=%s has not one -1 among numbers, Slurm ignores it".formatted(links.get()));
    return Optional.empty();
  }

  private void warn(String problem) {
    warnings.accept(line.place().warning(problem));
  }
}
