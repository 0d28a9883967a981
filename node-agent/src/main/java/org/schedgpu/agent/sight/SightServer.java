package org.schedgpu.agent.sight;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.schedgpu.jna.LocalListener;
import org.schedgpu.jna.LocalPeer;
import org.schedgpu.jna.Poll;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that answers questions at a socket, from its making to {@link #close}. Everybody may
 * connect, so everything is bounded: connections, those of one user, bytes of a request and of an
 * answer, and how long it takes to send the one and to read the other.
 */
public final class SightServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SightServer.class);
  private static final long END_PATIENCE_MS = 2000;

  /** How much others may make it keep. Root has as many connections as there are. */
  record Limits(int connections, int connectionsOfUser, long patienceNs) {
    static final Limits USUAL = new Limits(64, 8, TimeUnit.SECONDS.toNanos(10));
  }

  /** Answers that are not read yet, of all: more wait until some were. */
  private static final long MOST_PENDING_BYTES = 4 << 20;

  private final LocalListener listener;
  private final Answers answers;
  private final Limits limits;
  private final Poll poll = new Poll();
  private final List<Conversation> conversations = new ArrayList<>();
  private final Thread thread;
  private volatile boolean stopped;

  /**
   * @param socket where to listen
   * @param questions by name
   * @param viewers what a user may see, by number
   */
  public SightServer(Path socket, Map<String, Question> questions, IntFunction<Viewer> viewers) {
    this(socket, questions, viewers, Limits.USUAL);
  }

  SightServer(
      Path socket, Map<String, Question> questions, IntFunction<Viewer> viewers, Limits limits) {
    this.listener = LocalListener.open(socket);
    this.answers = new Answers(questions, viewers);
    this.limits = limits;
    this.thread = new Thread(this::serve, "sight");
    thread.setDaemon(true);
    thread.start();
  }

  /** Whether it still serves; if not, it is to be closed. */
  public boolean serves() {
    return thread.isAlive();
  }

  private void serve() {
    try {
      while (!stopped) {
        round();
      }
    } catch (RuntimeException problem) {
      LOG.error("sight: ends: this is a defect, please report it", problem);
    } finally {
      conversations.forEach(Conversation::close);
      listener.close();
      poll.close();
    }
  }

  private void round() {
    int n = conversations.size();
    int[] descriptors = new int[n + 1];
    boolean[] forWriting = new boolean[n + 1];
    long nextNs = Long.MAX_VALUE;
    long nowNs = System.nanoTime();
    // poll(2) passes a negative descriptor by: who connects waits in the kernel's queue
    descriptors[n] = n < limits.connections() ? listener.descriptor() : -1;
    for (int i = 0; i < n; i++) {
      Conversation conversation = conversations.get(i);
      descriptors[i] = conversation.isAsked() ? -1 : conversation.descriptor();
      forWriting[i] = conversation.isAnswered();
      nextNs = Math.min(nextNs, conversation.deadlineNs() - nowNs);
    }
    boolean[] ready = poll.await(nextNs, descriptors, forWriting);
    for (int i = 0; i < n; i++) {
      if (ready[i]) {
        conversations.get(i).go();
      }
    }
    answer();
    long later = System.nanoTime();
    conversations.removeIf(conversation -> conversation.closeIfOver(later));
    if (ready[n]) {
      accept();
    }
  }

  private void answer() {
    for (Conversation conversation : conversations) {
      if (conversation.isAsked() && pendingBytes() < MOST_PENDING_BYTES) {
        conversation.answer(answers);
      }
    }
  }

  private long pendingBytes() {
    return conversations.stream().mapToLong(Conversation::pendingBytes).sum();
  }

  private void accept() {
    while (conversations.size() < limits.connections()) {
      LocalPeer peer = listener.accept().orElse(null);
      if (peer == null) {
        return;
      }
      Conversation fresh = new Conversation(peer, limits.patienceNs());
      long ofUser = conversations.stream().filter(other -> other.uid() == peer.uid()).count();
      if (peer.uid() != 0 && ofUser >= limits.connectionsOfUser()) {
        fresh.refuse(Answers.error("too many questions at once: ask again later"));
        fresh.close();
      } else {
        conversations.add(fresh);
      }
    }
  }

  @Override
  public void close() {
    stopped = true;
    poll.wake();
    try {
      thread.join(END_PATIENCE_MS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
