package org.schedgpu.agent.suggest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.rest.SlurmRestException;
import org.schedgpu.rest.SlurmRestException.Kind;

/** Step by step, with a fake Slurm: no thread, no time. */
class CommentQueueTest {
  private static final Logger LOG = Logger.getLogger(CommentQueue.class.getName());

  private final FakeSlurm slurm = new FakeSlurm();
  private final List<String> warnings = new ArrayList<>();
  private final CommentQueue queue = new CommentQueue(slurm::connect);
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
            warnings.add(line.getMessage());
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  /** Slurm's jobs, and the next failure. */
  private static final class FakeSlurm implements SlurmJobs {
    final Map<Long, String> texts = new HashMap<>();
    int connections;
    SlurmRestException problem;
    RuntimeException refusal;

    SlurmJobs connect() throws SlurmRestException {
      connections++;
      if (refusal != null) {
        throw refusal;
      }
      return this;
    }

    private void fail() throws SlurmRestException {
      if (problem != null) {
        throw problem;
      }
    }

    @Override
    public String read(long job) throws SlurmRestException {
      fail();
      return texts.getOrDefault(job, "");
    }

    @Override
    public void write(long job, String text) throws SlurmRestException {
      fail();
      texts.put(job, text);
    }
  }

  @BeforeEach
  void listen() {
    LOG.addHandler(handler);
    LOG.setUseParentHandlers(false);
  }

  @AfterEach
  void beSilent() {
    LOG.removeHandler(handler);
    LOG.setUseParentHandlers(true);
  }

  private static SlurmRestException problem(Kind kind, String said) {
    return new SlurmRestException(kind, "unix:/s: comment of job 7: " + said);
  }

  @Test
  void theNewestTextOfAJobIsWritten() {
    queue.offer(7, "schedgpu: peak 1 MiB, device 0");
    queue.offer(7, "schedgpu: peak 2 MiB, device 0");

    assertEquals(0, queue.step());
    assertEquals(Map.of(7L, "schedgpu: peak 2 MiB, device 0"), slurm.texts);
    assertEquals(0, queue.size());
  }

  @Test
  void ourOwnTextIsReplacedAndThatOfOthersIsNot() {
    slurm.texts.put(7L, "schedgpu: peak 1 MiB, device 0");
    slurm.texts.put(8L, "do not delete");
    queue.offer(7, "schedgpu: peak 2 MiB, device 0");
    queue.offer(8, "schedgpu: peak 2 MiB, device 0");
    queue.step();
    queue.step();

    assertEquals("schedgpu: peak 2 MiB, device 0", slurm.texts.get(7L));
    assertEquals("do not delete", slurm.texts.get(8L));
    queue.offer(8, "schedgpu: peak 3 MiB, device 0");
    assertEquals(0, queue.size());
  }

  @Test
  void aSlurmrestdThatIsAwayIsReportedOnceAndAskedLessAndLess() {
    slurm.problem = problem(Kind.UNREACHABLE, "nobody answers");
    queue.offer(7, "schedgpu: peak 1 MiB, device 0");
    List<Long> pauses = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      pauses.add(queue.step() / CommentQueue.FIRST_PAUSE_NS);
    }

    assertEquals(List.of(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 300L, 300L, 300L), pauses);
    assertEquals(1, warnings.size(), warnings.toString());
    assertEquals(12, slurm.connections); // each time with the present schedgpu.conf

    slurm.problem = null;
    assertEquals(0, queue.step());
    assertEquals("schedgpu: peak 1 MiB, device 0", slurm.texts.get(7L));
    slurm.problem = problem(Kind.TIMED_OUT, "no answer");
    queue.offer(7, "schedgpu: peak 2 MiB, device 0");
    assertEquals(CommentQueue.FIRST_PAUSE_NS, queue.step());
    assertEquals(2, warnings.size(), warnings.toString());
  }

  @Test
  void aJobThatIsOverIsForgottenWithoutAWord() {
    slurm.problem = problem(Kind.REFUSED, "status 500: Job has already finished (2084)");
    queue.offer(7, "schedgpu: peak 1 MiB, device 0");

    assertEquals(0, queue.step());
    assertEquals(0, queue.size());
    assertEquals(List.of(), warnings);
  }

  @Test
  void whatSlurmRefusesIsNotAskedAgain() {
    slurm.problem = problem(Kind.REFUSED, "status 500: Access denied (2002)");
    queue.offer(7, "schedgpu: peak 1 MiB, device 0");
    queue.step();

    assertEquals(0, queue.size());
    assertEquals(1, warnings.size());
  }

  @Test
  void aConfigurationThatCannotWorkIsReportedAndTriedAgain() {
    slurm.refusal = new AgentException("SlurmRestToken=/t: cannot be read");
    queue.offer(7, "schedgpu: peak 1 MiB, device 0");

    assertEquals(CommentQueue.FIRST_PAUSE_NS, queue.step());
    assertEquals(1, queue.size());
    assertEquals(1, warnings.size());
  }

  @Test
  void itIsBounded() {
    for (long job = 0; job < CommentQueue.MOST + 5; job++) {
      queue.offer(job, "schedgpu: peak 1 MiB, device 0");
    }

    assertEquals(CommentQueue.MOST, queue.size());
    queue.step();
    assertTrue(slurm.texts.containsKey(5L), slurm.texts.toString());
  }
}
