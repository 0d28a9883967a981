package org.schedgpu.agent.suggest;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.history.JobRecord;
import org.schedgpu.jna.JobFigures;
import org.schedgpu.jna.LanePolicy;
import org.schedgpu.jna.LaneUse;
import org.schedgpu.jna.LearnedTable;
import org.schedgpu.jna.Refusals;

class KeptMemoryTest {
  private final KeptMemory memory = new KeptMemory();

  private void ended(int uid, String name, long keptBytes) {
    memory.add(job(uid, name, Optional.of(new LaneUse(LanePolicy.FAIR, 1, 1, 1, 1, 1, keptBytes))));
  }

  private static JobRecord job(int uid, String name, Optional<LaneUse> lane) {
    return new JobRecord(
        1,
        JobRecord.State.ENDED,
        "slurm",
        7,
        name,
        uid,
        "alice",
        50,
        "peak",
        1,
        OptionalLong.of(2),
        JobFigures.of(0, 0, 0),
        Refusals.NONE,
        new TreeMap<>(),
        lane);
  }

  @Test
  void theLargestOfTheLastRunsCounts() {
    List.of(5L, 9L, 7L, 100L).forEach(bytes -> ended(1000, "train", bytes)); // newest first
    assertEquals(9, memory.bytes(1000, "train"));
  }

  @Test
  void runsThatWereNotMeasuredDoNotCount() {
    ended(1000, "train", 0);
    memory.add(job(1000, "train", Optional.empty()));
    assertEquals(0, memory.bytes(1000, "train"));
    ended(1000, "train", 5);
    assertEquals(5, memory.bytes(1000, "train"));
  }

  @Test
  void eachUserAndNameHasItsOwn() {
    ended(1000, "train", 5);
    ended(1001, "train", 6);
    ended(1000, "eval", 7);
    ended(1000, "", 8);
    assertEquals(6, memory.bytes(1001, "train"));
    assertEquals(0, memory.bytes(1001, "eval"));
    assertEquals(
        List.of(
            new LearnedTable.Line(1000, 5, "train"),
            new LearnedTable.Line(1001, 6, "train"),
            new LearnedTable.Line(1000, 7, "eval")),
        memory.lines());
  }
}
