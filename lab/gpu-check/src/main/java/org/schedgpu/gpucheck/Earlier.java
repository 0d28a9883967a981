package org.schedgpu.gpucheck;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.StreamSupport;

/**
 * What the second command must know of the first.
 *
 * @param failed sections in which something failed
 * @param notDone other sections for which the time was too short
 * @param contextBytes of a PyTorch training, as {@code books} measured it
 */
record Earlier(Set<String> failed, Set<String> notDone, OptionalLong contextBytes) {
  /**
   * Reads {@code result.json}.
   *
   * @throws CheckException if there is none
   */
  static Earlier read(Path folder) {
    Path file = folder.resolve("result.json");
    JsonNode root;
    try {
      root = new ObjectMapper().readTree(file.toFile());
    } catch (IOException e) {
      throw new CheckException("cannot read " + file + ": run the first command before", e);
    }
    Set<String> failed = sections(root, Outcome.FAILED);
    Set<String> notDone = sections(root, Outcome.NOT_DONE);
    notDone.removeAll(failed);
    return new Earlier(failed, notDone, contextBytes(root));
  }

  private static Set<String> sections(JsonNode root, Outcome outcome) {
    Set<String> names = new LinkedHashSet<>();
    for (JsonNode finding : root.path("findings")) {
      if (finding.path("outcome").asText().equals(outcome.word())) {
        names.add(finding.path("section").asText());
      }
    }
    return names;
  }

  private static OptionalLong contextBytes(JsonNode root) {
    return StreamSupport.stream(root.path("findings").spliterator(), false)
        .map(finding -> finding.path("figures").path(TorchTrainings.CONTEXT_FIGURE))
        .filter(JsonNode::isNumber)
        .mapToLong(JsonNode::asLong)
        .findFirst();
  }
}
