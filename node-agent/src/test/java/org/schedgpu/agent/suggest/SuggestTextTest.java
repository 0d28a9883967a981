package org.schedgpu.agent.suggest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.schedgpu.jna.Refusals;

class SuggestTextTest {
  private static final long GIB = 1L << 30;

  private static Map<String, Object> suggestion(String user, String name, long asked, long used) {
    Learner learner = new Learner();
    learner.add(
        PastRun.of(
            1000,
            user,
            name,
            Map.of(0, new PastRun.Use(asked, used)),
            Refusals.NONE,
            DeviceSizes.NONE));
    return learner.inOrder().get(0).toMap();
  }

  @Test
  void aTableForPeople() {
    assertEquals(
        """
        JOB NAME             USER     RUNS      ASKED       USED  NEXT TIME
        train.sh             alice       1    6.0 GiB    2.1 GiB  --schedgpu-mem=2560M
        eval                 alice       1       none    512 MiB  --schedgpu-mem=768M
        full                 alice       1    2.0 GiB    2.0 GiB  --schedgpu-mem=2304M *
        * at least: a run came to the end of its budget, or was refused more
        """,
        SuggestText.of(
            List.of(
                suggestion("alice", "train.sh", 6 * GIB, 2150L << 20),
                suggestion("alice", "eval", 0, GIB / 2),
                suggestion("alice", "full", 2 * GIB, 2 * GIB)),
            heading -> heading));
  }

  @Test
  void itFits80ColumnsWhateverNamesAndSizesThereAre() {
    String text =
        SuggestText.of(
            List.of(
                suggestion(
                    "a.very.long.user.name",
                    "a job name that never ends".repeat(3),
                    9000 * GIB,
                    8999 * GIB)),
            heading -> heading);

    text.lines().forEach(line -> assertTrue(line.length() <= 80, line));
  }

  /** Users choose these names, and root reads them. */
  @Test
  void aNameCannotSteerTheTerminal() {
    String text =
        SuggestText.of(
            List.of(suggestion("alice", "a\u001b[2J\nb\u009b", 0, GIB)), heading -> heading);

    assertTrue(text.contains("a?[2J?b?"), text);
  }
}
