package org.schedgpu.agent.sight;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.schedgpu.agent.user.ShareOwners;
import org.schedgpu.jna.LocalListener;
import org.schedgpu.jna.LocalPeer;
import org.schedgpu.jna.Poll;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that answers questions at a socket, from its making to {@link #close}. Everybody may
 * connect, so everything is bounded: connections, those of one user, bytes of a request and of an
 * answer, how long it takes to send the one and to read the other, and answers that are not read.
 * It never waits for an answer itself: two {@linkplain Desk desks} make them, for long questions
 * and for short ones, and users take turns at them. The user ids of one user have one share.
 */
public final class SightServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SightServer.class);
  private static final long END_PATIENCE_MS = 2000;

  /** How much others may make it keep. Root has as many connections as there are. */
  record Limits(int connections, int connectionsOfUser, long patienceNs, long unreadBytes) {
    static final Limits USUAL = new Limits(64, 8, TimeUnit.SECONDS.toNanos(10), 16 << 20);
  }

  private static final int ROOT = 0;

  private final LocalListener listener;
  private final Answers answers;
  private final IntUnaryOperator shareOwners;
  private final Limits limits;
  private final Poll poll = new Poll();
  private final List<Conversation> conversations = new ArrayList<>();
  private final Desk shortDesk = new Desk("sight-short", poll::wake);
  private final Desk longDesk = new Desk("sight-long", poll::wake);
  private final Thread thread;
  private volatile boolean stopped;

  /**
   * @param socket where to listen
   * @param questions by name
   * @param viewers what a user may see, by number
   */
  public SightServer(Path socket, Map<String, Question> questions, IntFunction<Viewer> viewers) {
    this(socket, questions, viewers, ShareOwners.ofMachine()::of, Limits.USUAL);
  }

  SightServer(
      Path socket,
      Map<String, Question> questions,
      IntFunction<Viewer> viewers,
      IntUnaryOperator shareOwners,
      Limits limits) {
    this.shareOwners = shareOwners;
    this.listener = LocalListener.open(socket);
    this.answers = new Answers(questions, viewers);
    this.limits = limits;
    shortDesk.prepare(() -> answers.prepare(false));
    longDesk.prepare(() -> answers.prepare(true));
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
      shortDesk.close();
      longDesk.close();
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
    shortDesk.give();
    longDesk.give();
    offer(longDesk, true);
    offer(shortDesk, false);
  }

  private void offer(Desk desk, boolean isLong) {
    if (!desk.isFree()) {
      return;
    }
    List<Conversation> waiting = conversations.stream().filter(Conversation::isWaiting).toList();
    if (waiting.isEmpty() || pendingBytes() >= limits.unreadBytes()) {
      return;
    }
    desk.serve(
        waiting.stream()
            .filter(asker -> hasReadAnswers(asker.shareOwner()))
            .filter(asker -> answers.isLong(asker.request()) == isLong)
            .toList(),
        answers);
  }

  private long pendingBytes() {
    return conversations.stream().mapToLong(Conversation::pendingBytes).sum();
  }

  /** Who does not read keeps only himself waiting. */
  private boolean hasReadAnswers(int user) {
    return user == ROOT
        || conversations.stream()
            .noneMatch(other -> other.shareOwner() == user && other.isAnswered());
  }

  private void accept() {
    while (conversations.size() < limits.connections()) {
      LocalPeer peer = listener.accept().orElse(null);
      if (peer == null) {
        return;
      }
      int owner = shareOwners.applyAsInt(peer.uid());
      Conversation fresh = new Conversation(peer, owner, limits.patienceNs());
      long ofUser = conversations.stream().filter(other -> other.shareOwner() == owner).count();
      if (peer.uid() != ROOT && ofUser >= limits.connectionsOfUser()) {
        fresh.give(Answers.error("too many questions at once: ask again later"));
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
