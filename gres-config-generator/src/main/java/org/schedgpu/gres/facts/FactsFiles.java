package org.schedgpu.gres.facts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.IoReason;

/**
 * Reads the facts of nodes from files, one or several nodes to a file, or from a folder of files.
 */
public final class FactsFiles {
  private static final String ACTION = "write them on the nodes with schedgpu gres facts";

  private FactsFiles() {}

  /**
   * All nodes in the order of the arguments; those of a folder in the order of file names.
   *
   * @throws GresException if a file cannot be read, or a folder has no facts
   */
  public static List<NodeFacts> read(List<Path> paths) {
    List<NodeFacts> facts = new ArrayList<>();
    for (Path path : paths) {
      if (Files.isDirectory(path)) {
        filesOf(path).parallelStream().map(NodeFacts::readAll).toList().forEach(facts::addAll);
      } else {
        facts.addAll(NodeFacts.readAll(path));
      }
    }
    return facts;
  }

  private static List<Path> filesOf(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      List<Path> json =
          files.filter(file -> file.getFileName().toString().endsWith(".json")).sorted().toList();
      if (json.isEmpty()) {
        throw new GresException("folder " + folder + " has no file *.json", ACTION);
      }
      return json;
    } catch (IOException e) {
      throw new GresException(
          "folder %s cannot be read (%s)".formatted(folder, IoReason.of(e)), ACTION, e);
    }
  }
}
