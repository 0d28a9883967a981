package org.schedgpu.gpucheck;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanTest {
  @TempDir Path folder;

  private static Earlier earlier(Set<String> failed, Set<String> notDone) {
    return new Earlier(failed, notDone, OptionalLong.empty());
  }

  @Test
  void theFirstRunBeginsWithWhatSaysMostAndFitsItsTime() {
    Plan first = Plan.first();
    assertEquals(
        List.of(
            "starts", "pytorch", "books", "death", "promise", "cost", "lanes", "growth", "sharing"),
        first.names());
    assertEquals(Duration.ofSeconds(450), first.budget());
    int seconds = first.parts().stream().mapToInt(Plan.Part::share).sum();
    assertTrue(seconds <= first.budget().toSeconds() - 20, "room for frameworks: " + seconds);
  }

  @Test
  void theSecondRunRepeatsFailuresFirst() {
    Plan second = Plan.second(earlier(Set.of("lanes", "starts"), Set.of("growth")));
    assertEquals(List.of("starts", "lanes", "growth"), second.names());
    assertTrue(second.parts().stream().allMatch(part -> part.mode() == Mode.FIRST));
  }

  @Test
  void theSecondRunGoesOnIfNothingFailed() {
    Plan second = Plan.second(earlier(Set.of(), Set.of("cost")));
    assertEquals(List.of("cost", "promise", "growth", "sharing", "workload"), second.names());
    assertEquals(Mode.SECOND, second.parts().get(1).mode());
  }

  @Test
  void theFirstResultSaysWhatFailedAndHowLargeContextsAre() throws IOException {
    Files.writeString(
        folder.resolve("result.json"),
        """
        {"findings": [
          {"section": "starts", "outcome": "passed", "figures": {}},
          {"section": "cost", "outcome": "not_done", "figures": {}},
          {"section": "cost", "outcome": "failed", "figures": {}},
          {"section": "growth", "outcome": "not_done", "figures": {}},
          {"section": "books", "outcome": "measured", "figures": {"trainBytes": 700}}]}
        """);
    Earlier read = Earlier.read(folder);
    assertEquals(new Earlier(Set.of("cost"), Set.of("growth"), OptionalLong.of(700)), read);
    Path none = folder.resolve("none");
    CheckException missing = assertThrows(CheckException.class, () -> Earlier.read(none));
    assertTrue(missing.getMessage().startsWith("cannot read " + none), missing::getMessage);
  }
}
