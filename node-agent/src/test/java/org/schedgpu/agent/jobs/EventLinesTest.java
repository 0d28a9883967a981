package org.schedgpu.agent.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.jobs.EventLines.Event;

class EventLinesTest {
  private static Stream<Event> events(String word, int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Event(word, "slurm:" + i, () -> word + " job=slurm:" + i + " and=more"));
  }

  @Test
  void fewHaveALineEach() {
    assertEquals(
        events("begin", 30).map(event -> event.line().get()).toList(),
        EventLines.of(events("begin", 30).toList()));
  }

  @Test
  void ofManyEveryJobIsNamed() {
    List<String> lines =
        EventLines.of(Stream.concat(events("end", 2), events("begin", 60)).toList());

    assertEquals(3, lines.size(), lines.toString());
    assertEquals("end count=2 jobs=slurm:0,slurm:1", lines.get(0));
    assertEquals(
        IntStream.range(0, 60).mapToObj(i -> "slurm:" + i).toList(),
        lines.stream()
            .skip(1)
            .flatMap(line -> Stream.of(line.substring(line.indexOf("jobs=") + 5).split(",")))
            .toList());
  }
}
