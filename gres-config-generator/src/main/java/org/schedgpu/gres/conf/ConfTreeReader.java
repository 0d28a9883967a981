package org.schedgpu.gres.conf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Follows includes as Slurm does, and checks each line for what depends on other lines. */
final class ConfTreeReader {
  private final ConfKind kind;
  private final Map<Path, ConfFile> instead;
  private final ConfTree tree = new ConfTree();
  private final List<Path> open = new ArrayList<>();
  private String clusterName;

  ConfTreeReader(ConfKind kind, Map<Path, ConfFile> instead) {
    this.kind = kind;
    this.instead = Map.copyOf(instead);
  }

  ConfTree read(Path root) {
    follow(root);
    return tree;
  }

  private void follow(Path path) {
    ConfFile file = tree.file(path).orElseGet(() -> file(path));
    tree.add(file);
    open.add(path);
    for (ConfLine line : file.lines()) {
      if (line.include().isPresent()) {
        follow(included(line));
      } else if (!line.pairs().isEmpty()) {
        check(line);
        tree.add(line);
      }
    }
    open.remove(open.size() - 1);
  }

  private ConfFile file(Path path) {
    ConfFile known = instead.get(path);
    return known != null ? known : ConfFile.read(path);
  }

  private Path included(ConfLine line) {
    String name = expand(line, line.include().orElseThrow());
    Path path = file(line, name);
    if (line.seen().endsWith(line.include().orElseThrow())) {
      tree.warn(
          line.place()
              .warning(
                  "nothing separates the included name from the end of the file or the '#', and Slurm"
                      + " reads beyond it: put a blank or a line end there"));
    }
    if (open.contains(path)) {
      throw line.place()
          .error("%s is included by itself: %s".formatted(path, open), "take one Include out");
    }
    if (Files.exists(path) && !Files.isRegularFile(path)) {
      throw line.place()
          .error("included file %s is no file to read".formatted(path), "name a regular file");
    }
    if (!Files.exists(path)) {
      throw line.place()
          .error(
              "included file %s does not exist".formatted(path),
              "create it or correct the line; a name counts from the folder of slurm.conf, before"
                  + " Slurm 23.02 from that of the including file");
    }
    return path;
  }

  /**
   * Resolves the name of an include. Before Slurm 23.02 a relative name is relative to the
   * including file's folder, since then to the folder of slurm.conf and gres.conf. Usually only one
   * of the two files exists.
   */
  private Path file(ConfLine line, String name) {
    Path before = line.place().file().resolveSibling(name).normalize();
    Path since = open.get(0).resolveSibling(name).normalize();
    if (since.equals(before) || !Files.exists(since)) {
      return before;
    }
    if (Files.exists(before)) {
      throw line.place()
          .error(
              "Include %s is %s before Slurm 23.02 and %s since then"
                  .formatted(Spaces.shown(name), before, since),
              "write the whole path");
    }
    return since;
  }

  /** Replaces %c, which has a meaning only after a line with ClusterName=. */
  private String expand(ConfLine line, String name) {
    if (!name.contains("%c")) {
      return name;
    }
    if (clusterName == null) {
      throw line.place()
          .error(
              "%%c in %s is not known here".formatted(Spaces.shown(name)),
              kind == ConfKind.SLURM_CONF
                  ? "put ClusterName= above the Include"
                  : "write the name; Slurm knows %c in slurm.conf only");
    }
    return name.replace("%c", clusterName);
  }

  private void check(ConfLine line) {
    List<KeyValue> pairs = line.pairs();
    String first = pairs.get(0).key();
    pairs.forEach(pair -> checkValue(line, first, pair));
    if (kind == ConfKind.SLURM_CONF && line.startsWith("ClusterName")) {
      clusterName = pairs.get(0).value().toLowerCase(Locale.ROOT);
    }
    KnownKeys keys = KnownKeys.of(kind);
    if (!keys.canBegin(first)) {
      tree.warnOfEnd(line.place().warning(unknown(first, "")));
      return;
    }
    if (!keys.takesMore(first)) {
      if (pairs.size() > 1) {
        throw line.place()
            .error(
                "%s= follows %s= on one line".formatted(pairs.get(1).key(), first),
                "give each a line of its own; Slurm takes several only on lines such as NodeName=");
      }
      return;
    }
    pairs.stream().skip(1).forEach(pair -> checkMore(line, first, pair));
  }

  private void checkMore(ConfLine line, String first, KeyValue pair) {
    if (kind == ConfKind.GRES_CONF && pair.hasKey("NodeName")) {
      throw line.place().error("NodeName= stands behind Name=", "begin the line with NodeName=");
    }
    if (!KnownKeys.of(kind).canFollow(first, pair.key())) {
      tree.warnOfEnd(line.place().warning(unknown(pair.key(), " behind " + first + "=")));
    }
    if (!line.pair(pair.key()).orElseThrow().equals(pair)) {
      tree.warn(line.place().warning(pair.key() + "= is set twice, Slurm uses the last"));
    }
  }

  private void checkValue(ConfLine line, String first, KeyValue pair) {
    ValueType type = KnownKeys.of(kind).type(first, pair.key());
    if (!type.takes(pair.value())) {
      throw line.place()
          .error(
              "%s=%s is not what Slurm takes".formatted(pair.key(), pair.value()),
              "write " + type.expected());
    }
    if (!pair.quoted() && pair.value().startsWith("\"")) {
      tree.warn(
          line.place()
              .warning(
                  "the quote of %s= has no partner before a blank, Slurm takes the value %s (a '#'"
                          .formatted(pair.key(), pair.value())
                      + " ends the line even between quotes, write \\#)"));
    }
  }

  private String unknown(String key, String where) {
    return "%s= is no key that Slurm 22.05 takes in %s%s: slurmd 22.05 will not start with this"
        .formatted(key, kind.fileName(), where);
  }
}
