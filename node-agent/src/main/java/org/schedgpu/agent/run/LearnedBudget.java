package org.schedgpu.agent.run;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.schedgpu.agent.sight.SightClient;
import org.schedgpu.agent.suggest.LearnDuty;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.jna.JobSpec;
import org.schedgpu.jna.Posix;

/**
 * DefaultMem=learned for {@code schedgpu run}, whose user may not read the table of all users' jobs
 * ({@link LearnDuty}): the agent tells what this user's earlier runs needed.
 */
final class LearnedBudget {
  private LearnedBudget() {}

  /** Of jobs of this name; empty if nothing is known, or no agent says so in time. */
  static OptionalLong of(Path runDir, String name) {
    String kept = JobSpec.keptName(name);
    long uid = Integer.toUnsignedLong(Posix.effectiveUid());
    return SightClient.askBriefly(runDir, "suggest", Map.of("name", kept, "uid", uid))
        .map(answer -> new JsonFields(answer).list("suggestions"))
        .orElse(List.of())
        .stream()
        .filter(found -> found.number("uid") == uid && found.text("name").equals(kept))
        .mapToLong(found -> found.number("suggestedBytes"))
        .filter(bytes -> bytes > 0)
        .findFirst();
  }
}
