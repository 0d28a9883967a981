package org.schedgpu.agent.task;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.jna.FileWatch;

/** Each test's loop is ended by a task, or hangs. */
class EventLoopTest {
  private static final long NEVER_NS = TimeUnit.HOURS.toNanos(1);

  @TempDir Path folder;

  private final List<String> calls = new ArrayList<>();
  private EventLoop loop;

  private PeriodicTask task(String name, OptionalInt descriptor, LongSupplier body) {
    return new PeriodicTask() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public OptionalInt descriptor() {
        return descriptor;
      }

      @Override
      public long run(long nowNs) {
        calls.add(name);
        return body.getAsLong();
      }

      @Override
      public void close() {
        calls.add(name + " closed");
      }
    };
  }

  private void run(PeriodicTask... tasks) {
    loop = new EventLoop(List.of(tasks));
    loop.run();
    loop.close();
  }

  private long stopAfter(String name, int times) {
    if (calls.stream().filter(name::equals).count() == times) {
      loop.stop();
    }
    return 1;
  }

  @Test
  void dutiesAreCalledInTheirOrderThenWhenTheirTimeHasCome() {
    run(
        task("rare", OptionalInt.empty(), () -> NEVER_NS),
        task("often", OptionalInt.empty(), () -> stopAfter("often", 3)));
    assertEquals(List.of("rare", "often", "often", "often", "rare closed", "often closed"), calls);
  }

  @Test
  void aReadableDescriptorCallsItsDutyAndNoOther() throws Exception {
    Path file = Files.createFile(folder.resolve("f"));
    try (FileWatch watch = new FileWatch()) {
      watch.watchReleases(file);
      run(
          task(
              "watch",
              OptionalInt.of(watch.descriptor()),
              () -> {
                if (watch.drain()) {
                  loop.stop();
                }
                return NEVER_NS;
              }),
          task(
              "writes",
              OptionalInt.empty(),
              () -> {
                write(file);
                return NEVER_NS;
              }));
    }
    assertEquals(List.of("watch", "writes", "watch", "watch closed", "writes closed"), calls);
  }

  @Test
  void whoRestsIsNotCalledByItsDescriptor() throws Exception {
    Path file = Files.createFile(folder.resolve("f"));
    try (FileWatch watch = new FileWatch()) {
      watch.watchReleases(file);
      PeriodicTask resting =
          new PeriodicTask() {
            @Override
            public String name() {
              return "rests";
            }

            @Override
            public OptionalInt descriptor() {
              return OptionalInt.of(watch.descriptor());
            }

            @Override
            public long restNs() {
              return NEVER_NS;
            }

            @Override
            public long run(long nowNs) {
              calls.add("rests");
              return NEVER_NS;
            }
          };
      run(
          resting,
          task(
              "writes",
              OptionalInt.empty(),
              () -> {
                write(file);
                return stopAfter("writes", 3);
              }));
    }
    assertEquals(List.of("rests", "writes", "rests", "writes", "writes", "writes closed"), calls);
  }

  @Test
  void whoMayWaitIsCalledOnTheBeatAndNotLaterThanHeAskedFor() {
    long beat = EventLoop.BEAT_NS;
    assertEquals(8 * beat, EventLoop.due(7 * beat, beat));
    assertEquals(8 * beat, EventLoop.due(7 * beat + 5, beat));
    assertEquals(8 * beat, EventLoop.due(8 * beat - 1, beat));
    assertEquals(17 * beat, EventLoop.due(7 * beat + 5, 10 * beat));
    assertEquals(-8 * beat, EventLoop.due(-9 * beat + 5, beat));
  }

  @Test
  void whoIsInAHurryIsCalledWhenHeAskedFor() {
    long beat = EventLoop.BEAT_NS;
    assertEquals(7 * beat + 105, EventLoop.due(7 * beat + 5, 100));
    assertEquals(8 * beat + 4, EventLoop.due(7 * beat + 5, beat - 1));
  }

  /** Otherwise work due after ten periods would be slightly early, and wait for the next one. */
  @Test
  void onTheBeatItIsTheTimeOfTheBeat() {
    long beat = EventLoop.BEAT_NS;
    assertEquals(8 * beat, EventLoop.asOf(8 * beat, 8 * beat));
    assertEquals(8 * beat, EventLoop.asOf(8 * beat + 7, 8 * beat));
    assertEquals(-8 * beat, EventLoop.asOf(-8 * beat + 7, -8 * beat));
    assertEquals(9 * beat, EventLoop.asOf(9 * beat, 8 * beat)); // late, not just after waking up
    assertEquals(8 * beat - 7, EventLoop.asOf(8 * beat - 7, 8 * beat)); // called before its time
    assertEquals(8 * beat + 7, EventLoop.asOf(8 * beat + 7, 8 * beat + 3)); // not of the beat
  }

  private static void write(Path file) {
    try {
      Files.writeString(file, "x");
    } catch (java.io.IOException problem) {
      throw new java.io.UncheckedIOException(problem);
    }
  }

  @Test
  void aTaskThatFailsIsCalledAgainAndHarmsNobody() {
    run(
        task(
            "fails",
            OptionalInt.empty(),
            () -> {
              stopAfter("fails", 2);
              throw new AgentException("as planned");
            }),
        task("other", OptionalInt.empty(), () -> NEVER_NS));
    assertEquals(List.of("fails", "other", "fails", "fails closed", "other closed"), calls);
  }

  @Test
  void aTaskThatDoesNotComeBackIsNamed() {
    List<Optional<String>> stuck = new ArrayList<>();
    run(
        task(
            "hangs",
            OptionalInt.empty(),
            () -> {
              stuck.add(loop.stuckIn(System.nanoTime() + NEVER_NS, NEVER_NS));
              stuck.add(loop.stuckIn(System.nanoTime(), NEVER_NS));
              return stopAfter("hangs", 1);
            }));
    stuck.add(loop.stuckIn(System.nanoTime() + NEVER_NS, 0));
    assertEquals(List.of(Optional.of("hangs"), Optional.empty(), Optional.empty()), stuck);
  }

  @Test
  void anotherThreadCanMakeAllDue() {
    run(
        task(
            "sleeps",
            OptionalInt.empty(),
            () -> {
              if (calls.size() == 1) {
                new Thread(() -> loop.wakeAll()).start();
              } else {
                loop.stop();
              }
              return NEVER_NS;
            }));
    assertEquals(List.of("sleeps", "sleeps", "sleeps closed"), calls);
  }
}
