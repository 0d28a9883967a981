package org.schedgpu.gres.files;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.conf.ConfFile;
import org.schedgpu.gres.conf.ConfLine;
import org.schedgpu.gres.conf.Hostlist;
import org.schedgpu.gres.conf.KeyValue;

/** Finds the lines of schedGPU in a gres.conf. Immutable. */
final class GresBlockReader {
  private final List<ConfLine> block = new ArrayList<>();
  private boolean changed;

  /**
   * @throws GresException if one marker is missing, or there are two blocks
   */
  GresBlockReader(ConfFile file) {
    boolean inside = false;
    for (ConfLine line : file.lines()) {
      String text = line.raw().stripTrailing();
      if (text.startsWith(GresBlock.BEGIN) && !block.isEmpty()) {
        throw line.place()
            .error("lines of schedgpu gres begin a second time", "take out all but one block");
      }
      inside |= text.startsWith(GresBlock.BEGIN);
      if (inside) {
        block.add(line);
      }
      if (inside && text.equals(GresBlock.END)) {
        inside = false;
      } else if (text.equals(GresBlock.END)) {
        throw line.place().error("a marker ends what did not begin", "take it out");
      }
    }
    if (inside) {
      throw block
          .get(0)
          .place()
          .error("lines of schedgpu gres do not end", "put '" + GresBlock.END + "' behind them");
    }
    changed = !block.isEmpty() && !first().equals(GresBlock.BEGIN + GresBlock.sum(texts()));
  }

  private String first() {
    return block.get(0).raw().stripTrailing();
  }

  private List<String> texts() {
    return block.subList(1, block.size() - 1).stream()
        .map(line -> line.raw().replaceAll("\r?\n$", ""))
        .toList();
  }

  /** The whole block, with both markers; empty if there is none. */
  List<ConfLine> lines() {
    return List.copyOf(block);
  }

  /**
   * @throws GresException if a line between the markers was edited by hand
   */
  void requireUnchanged() {
    if (changed) {
      throw block
          .get(0)
          .place()
          .error(
              "the lines of schedgpu gres were changed by hand",
              "move what shall stay above this line, then plan with --force, which writes them again");
    }
  }

  /** The lines of each node, without NodeName=. */
  GresBlock read() {
    Map<String, List<String>> byNode = new LinkedHashMap<>();
    Map<String, List<ConfLine>> byHostlist = new LinkedHashMap<>();
    for (ConfLine line : block) {
      if (line.startsWith("NodeName") && line.pairs().size() > 1) {
        String nodes = line.pairs().get(0).value();
        byHostlist.computeIfAbsent(nodes, n -> new ArrayList<>()).add(line);
      }
    }
    byHostlist.forEach(
        (nodes, lines) -> {
          List<String> own = lines.stream().map(GresBlockReader::withoutNode).toList();
          for (String node : Hostlist.expand(nodes)) {
            byNode.merge(node, own, GresBlockReader::both);
          }
        });
    return new GresBlock(byNode);
  }

  private static List<String> both(List<String> one, List<String> other) {
    List<String> both = new ArrayList<>(one);
    both.addAll(other);
    return both;
  }

  private static String withoutNode(ConfLine line) {
    KeyValue first = line.pairs().get(0);
    return line.raw().substring(first.end()).strip();
  }
}
