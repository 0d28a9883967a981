package org.schedgpu.agent.query;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.stream.Collectors;
import org.schedgpu.agent.user.ShareOwners;
import org.schedgpu.jna.LocalListener;
import org.schedgpu.jna.LocalPeer;
import org.schedgpu.jna.Poll;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that answers questions at a socket, from construction to {@link #close}. Everybody may
 * connect, so there are limits: on connections, in all and for one user, on the bytes of a request
 * and of an answer, on the time for sending the one and reading the other, and on answers that are
 * not read. Where all connections are in use, silent ones make room. This thread never waits for an
 * answer: two {@linkplain AnswerThread threads} compute them, one for long questions and one for
 * short ones. Users take turns. All user ids of one user have one share.
 */
public final class QueryServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(QueryServer.class);
  private static final long END_PATIENCE_MS = 2000;

  /** Limits for users. Root may have as many connections as there are. */
  record Limits(int connections, int connectionsOfUser, long patienceNs, long unreadBytes) {
    static final Limits USUAL = new Limits(64, 8, TimeUnit.SECONDS.toNanos(10), 16 << 20);
  }

  private static final int ROOT = 0;

  private final LocalListener listener;
  private final Answers answers;
  private final IntUnaryOperator shareOwners;
  private final Limits limits;
  private final Poll poll = new Poll();
  private final List<ServerConnection> conversations = new ArrayList<>();
  private final AnswerThread shortAnswers = new AnswerThread("query-short", poll::wake);
  private final AnswerThread longAnswers = new AnswerThread("query-long", poll::wake);
  private final Thread thread;
  private volatile boolean stopped;

  /**
   * @param socket where to listen
   * @param questions by name
   * @param viewers gives the principal of a user id
   */
  public QueryServer(Path socket, Map<String, Question> questions, IntFunction<Principal> viewers) {
    this(socket, questions, viewers, ShareOwners.ofMachine()::of, Limits.USUAL);
  }

  QueryServer(
      Path socket,
      Map<String, Question> questions,
      IntFunction<Principal> viewers,
      IntUnaryOperator shareOwners,
      Limits limits) {
    this.shareOwners = shareOwners;
    this.listener = LocalListener.open(socket);
    this.answers = new Answers(questions, viewers);
    this.limits = limits;
    shortAnswers.prepare(() -> answers.prepare(false));
    longAnswers.prepare(() -> answers.prepare(true));
    this.thread = new Thread(this::serve, "query");
    thread.setDaemon(true);
    thread.start();
  }

  /** True while it serves; afterwards the caller closes it. */
  public boolean serves() {
    return thread.isAlive();
  }

  private void serve() {
    try {
      while (!stopped) {
        round();
      }
    } catch (RuntimeException problem) {
      LOG.error("query socket: ends: this is a defect, please report it", problem);
    } finally {
      shortAnswers.close();
      longAnswers.close();
      conversations.forEach(ServerConnection::close);
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
    // poll(2) ignores a negative descriptor: new connections wait in the kernel's queue
    descriptors[n] = hasRoom() ? listener.descriptor() : -1;
    for (int i = 0; i < n; i++) {
      ServerConnection conversation = conversations.get(i);
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
    shortAnswers.give();
    longAnswers.give();
    offer(longAnswers, true);
    offer(shortAnswers, false);
  }

  private void offer(AnswerThread answerThread, boolean isLong) {
    if (!answerThread.isFree()) {
      return;
    }
    List<ServerConnection> waiting =
        conversations.stream().filter(ServerConnection::isWaiting).toList();
    if (waiting.isEmpty() || pendingBytes() >= limits.unreadBytes()) {
      return;
    }
    answerThread.serve(
        waiting.stream()
            .filter(asker -> hasReadAnswers(asker.shareOwner()))
            .filter(asker -> answers.isLong(asker.request()) == isLong)
            .toList(),
        answers);
  }

  private long pendingBytes() {
    return conversations.stream().mapToLong(ServerConnection::pendingBytes).sum();
  }

  /** A client that does not read delays only itself. */
  private boolean hasReadAnswers(int user) {
    return user == ROOT
        || conversations.stream()
            .noneMatch(other -> other.shareOwner() == user && other.isAnswered());
  }

  private void accept() {
    for (int i = 0; i < limits.connections() && hasRoom(); i++) {
      LocalPeer peer = listener.accept().orElse(null);
      if (peer == null) {
        return;
      }
      int owner = shareOwners.applyAsInt(peer.uid());
      ServerConnection fresh = new ServerConnection(peer, owner, limits.patienceNs());
      long ofUser = conversations.stream().filter(other -> other.shareOwner() == owner).count();
      if (peer.uid() != ROOT && ofUser >= limits.connectionsOfUser()) {
        fresh.give(Answers.error("too many questions at once: ask again later"));
        fresh.close();
      } else {
        makeRoom();
        conversations.add(fresh);
      }
    }
  }

  /** Who has asked nothing yet has no right to a place that another one needs. */
  private boolean hasRoom() {
    return conversations.size() < limits.connections()
        || conversations.stream().anyMatch(ServerConnection::isSilent);
  }

  /** Ends a silent connection where all are in use: of the user with most, the oldest. */
  private void makeRoom() {
    if (conversations.size() < limits.connections()) {
      return;
    }
    // a question that has just arrived counts; then there is one connection more for a moment
    conversations.stream().filter(ServerConnection::isSilent).forEach(ServerConnection::go);
    Map<Integer, Long> ofUser =
        conversations.stream()
            .collect(Collectors.groupingBy(ServerConnection::shareOwner, Collectors.counting()));
    conversations.stream()
        .filter(ServerConnection::isSilent)
        .min(
            Comparator.comparing((ServerConnection one) -> -ofUser.get(one.shareOwner()))
                .thenComparing(ServerConnection::deadlineNs))
        .ifPresent(
            silent -> {
              silent.close();
              conversations.remove(silent);
            });
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
