package org.schedgpu.agent.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.context.ContextLearner.Sample;
import org.schedgpu.agent.context.ContextLearner.Seen;

class ContextLearnerTest {
  private static final long MIB = 1L << 20;

  private final ContextLearner learner = new ContextLearner();

  private static Sample sample(int uid, int pid, long contextMib) {
    return new Sample(new Seen(uid, pid, pid), contextMib * MIB + 7 * MIB, 7 * MIB, 7 * MIB);
  }

  private static Sample sample(int pid, long contextMib) {
    return sample(1000, pid, contextMib);
  }

  /** A user with so many processes that have contexts of this size. */
  private static Stream<Sample> user(int uid, int processes, long contextMib) {
    return IntStream.range(0, processes).mapToObj(i -> sample(uid, 100 * uid + i, contextMib));
  }

  /** Processes with contexts of these sizes, all at once. */
  private void seeAll(long... contextsMib) {
    learner.observe(
        IntStream.range(0, contextsMib.length).mapToObj(i -> sample(i, contextsMib[i])).toList());
  }

  private static OptionalLong mib(long mib) {
    return OptionalLong.of(mib * MIB);
  }

  @Test
  void fewProcessesSayNothing() {
    seeAll(300, 300);
    assertEquals(OptionalLong.empty(), learner.contextBytes());
    assertEquals(2, learner.processes());
  }

  @Test
  void theMiddleOneCountsInWholePages() {
    seeAll(300, 301, 3000);
    assertEquals(mib(302), learner.contextBytes());
  }

  /** A process reserves before it allocates: in between its context looks too small. */
  @Test
  void ofEachProcessTheLargestCounts() {
    seeAll(300, 300, 300);
    learner.observe(
        List.of(
            sample(0, 300),
            new Sample(new Seen(1000, 1, 1), 300 * MIB, 0, 200 * MIB),
            new Sample(new Seen(1000, 2, 2), 300 * MIB, 200 * MIB, 0)));
    assertEquals(mib(300), learner.contextBytes());
    assertEquals(3, learner.processes());
  }

  @Test
  void whoEndedIsRememberedAndHisNumberIsNew() {
    seeAll(300, 300, 300);
    learner.observe(List.of());
    assertEquals(mib(300), learner.contextBytes());
    seeAll(500, 500, 500, 500);
    assertEquals(7, learner.processes());
    assertEquals(mib(500), learner.contextBytes());
  }

  @Test
  void whatWasLongAgoIsForgotten() {
    for (int i = 0; i < 20; i++) {
      seeAll(300);
      learner.observe(List.of());
    }
    assertEquals(ContextLearner.REMEMBERED, learner.processes());
    for (int i = 0; i <= ContextLearner.REMEMBERED / 2; i++) {
      seeAll(500);
      learner.observe(List.of());
    }
    assertEquals(mib(500), learner.contextBytes());
  }

  @Test
  void aUserHasOneVoteHoweverManyProcesses() {
    learner.observe(
        Stream.of(user(1, 1, 300), user(2, 1, 310), user(3, 50, 4000)).flatMap(l -> l).toList());
    assertEquals(mib(310), learner.contextBytes());
    learner.observe(List.of());
    learner.observe(Stream.of(user(3, 500, 2), user(4, 1, 310)).flatMap(l -> l).toList());
    assertEquals(mib(310), learner.contextBytes());
    assertEquals(4, learner.users());
  }

  @Test
  void theVoteOfAUserIsTheMiddleOfHisProcesses() {
    learner.observe(
        Stream.of(
                user(1, 1, 300),
                Stream.of(sample(2, 7, 320), sample(2, 8, 320), sample(2, 9, 3000)))
            .flatMap(l -> l)
            .toList());
    assertEquals(mib(320), learner.contextBytes());
  }

  /** Otherwise a user whose processes come and go could make it forget all others. */
  @Test
  void eachUsersProcessesAreRememberedForThemselves() {
    learner.observe(Stream.concat(user(1, 1, 300), user(2, 1, 300)).toList());
    for (int i = 0; i < 100; i++) {
      learner.observe(user(3, 1, 4000).toList());
      learner.observe(List.of());
    }
    assertEquals(mib(300), learner.contextBytes());
  }

  @Test
  void whoseProcessesEndedFirstIsForgottenFirst() {
    learner.observe(user(1, 3, 4000).toList());
    learner.observe(List.of());
    for (int uid = 2; uid <= ContextLearner.REMEMBERED_USERS; uid++) {
      learner.observe(user(uid, 1, 300).toList());
    }
    learner.observe(user(1, 1, 4000).toList()); // and it is the newest again
    learner.observe(user(1000, 1, 300).toList());
    learner.observe(List.of());
    assertEquals(ContextLearner.REMEMBERED_USERS, learner.users());
    assertEquals(ContextLearner.REMEMBERED_USERS + 3, learner.processes());
  }

  @Test
  void whatIsNoContextIsLeftOut() {
    learner.observe(
        Arrays.asList(
            new Sample(new Seen(1000, 1, 1), 5, 5, 5),
            new Sample(new Seen(1000, 2, 2), 5, 9, 9),
            new Sample(new Seen(1000, 3, 3), ContextLearner.LARGEST_BYTES + 1, 0, 0)));
    assertEquals(0, learner.processes());
  }
}
