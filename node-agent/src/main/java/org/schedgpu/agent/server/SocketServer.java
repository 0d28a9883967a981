package org.schedgpu.agent.server;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.schedgpu.jna.Poll;
import org.schedgpu.jna.SocketListener;
import org.schedgpu.jna.SocketPeer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread that serves a socket, from construction to {@link #close}. Everybody may connect, so
 * there are limits: on connections, in all and for one user, on the bytes of a request, on the time
 * for sending it and reading the answer, and on answers that are not read. Where all connections
 * are in use, silent ones make room, and then strangers who do not take their answers. This thread
 * never waits for an answer: {@linkplain AnswerThread others} compute them. Users take turns. All
 * user ids of one user have one share. Nothing wakes up without an event. Each socket has a server
 * of its own, so that a flood at one socket delays no other.
 */
public final class SocketServer implements AutoCloseable {
  /** Has the share of clients that no user id tells apart. They make room for each other. */
  public static final int STRANGER = -1;

  private static final Logger LOG = LoggerFactory.getLogger(SocketServer.class);
  private static final long END_PATIENCE_MS = 2000;
  private static final long REST_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int ROOT = 0;

  /**
   * Limits for clients. Root may have as many connections as there are.
   *
   * @param patienceNs for the request, and again for the answer
   * @param unreadBytes no answer is computed while so many bytes of others are not read
   */
  public record Limits(int connections, int connectionsOfUser, long patienceNs, long unreadBytes) {}

  private final SocketListener listener;
  private final Protocol protocol;
  private final IntUnaryOperator shareOwners;
  private final Limits limits;
  private final Poll poll = new Poll();
  private final List<Connection> connections = new ArrayList<>();
  private final List<AnswerThread> answerThreads;
  private final Thread thread;
  private long acceptNs = System.nanoTime();
  private volatile boolean stopped;

  /**
   * @param name of the thread, and of the socket in the log
   * @param listener closed at the end
   * @param shareOwners gives the user whose share a user id uses, or {@link #STRANGER}
   */
  public SocketServer(
      String name,
      SocketListener listener,
      Protocol protocol,
      IntUnaryOperator shareOwners,
      Limits limits) {
    this.listener = listener;
    this.protocol = protocol;
    this.shareOwners = shareOwners;
    this.limits = limits;
    this.answerThreads =
        IntStream.range(0, protocol.threads().size())
            .mapToObj(number -> new AnswerThread(protocol, number, poll::wake))
            .toList();
    this.thread = new Thread(this::serve, name);
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
      LOG.error(
          "{} socket: ends: this is a defect, please report it",
          Thread.currentThread().getName(),
          problem);
    } finally {
      answerThreads.forEach(AnswerThread::close);
      connections.forEach(Connection::close);
      listener.close();
      poll.close();
    }
  }

  private void round() {
    int n = connections.size();
    int[] descriptors = new int[n + 1];
    boolean[] forWriting = new boolean[n + 1];
    long nowNs = System.nanoTime();
    boolean rests = acceptNs - nowNs > 0;
    long nextNs = rests ? acceptNs - nowNs : Long.MAX_VALUE;
    // poll(2) ignores a negative descriptor: new connections wait in the kernel's queue
    descriptors[n] = hasRoom() && !rests ? listener.descriptor() : -1;
    for (int i = 0; i < n; i++) {
      Connection connection = connections.get(i);
      descriptors[i] = connection.isAsked() ? -1 : connection.descriptor();
      forWriting[i] = connection.isAnswered();
      nextNs = Math.min(nextNs, connection.deadlineNs() - nowNs);
    }
    boolean[] ready = poll.await(nextNs, descriptors, forWriting);
    for (int i = 0; i < n; i++) {
      if (ready[i]) {
        connections.get(i).go();
      }
    }
    if (ready[n]) {
      accept(); // before the answers: it may find requests
    }
    answerThreads.forEach(AnswerThread::give);
    answerThreads.forEach(this::offer);
    closeOver();
  }

  private void offer(AnswerThread answerThread) {
    if (!answerThread.isFree()) {
      return;
    }
    List<Connection> waiting =
        connections.stream()
            .filter(asker -> asker.waitsFor(answerThread.number()))
            .filter(asker -> hasReadAnswers(asker.shareOwner()))
            .toList();
    if (!waiting.isEmpty() && hasMemory()) {
      answerThread.serve(waiting);
    }
  }

  private boolean hasMemory() {
    while (connections.stream().mapToLong(Connection::pendingBytes).sum() >= limits.unreadBytes()) {
      if (!end(Connection::isSlowStranger)) {
        return false;
      }
    }
    return true;
  }

  /** A user who does not read delays only himself. */
  private boolean hasReadAnswers(int user) {
    return user == ROOT
        || user == STRANGER
        || connections.stream()
            .noneMatch(other -> other.shareOwner() == user && other.isAnswered());
  }

  private void accept() {
    for (int i = 0; i < limits.connections() && (i == 0 || comesAnother()); i++) {
      if (isFull()) {
        hear(); // who asked before the next one came is not ended for it
      }
      if (!hasRoom()) {
        return;
      }
      SocketPeer peer = listener.accept().orElse(null);
      if (peer == null) {
        // without free descriptors the socket stays readable, and accept fails again and again
        acceptNs = System.nanoTime() + (i == 0 ? REST_NS : 0);
        return;
      }
      int owner = shareOwners.applyAsInt(peer.uid());
      Connection fresh = new Connection(peer, protocol, owner, limits.patienceNs());
      long ofUser = connections.stream().filter(other -> other.shareOwner() == owner).count();
      if (peer.uid() != ROOT && owner != STRANGER && ofUser >= limits.connectionsOfUser()) {
        fresh.give(protocol.refusal("too many questions at once: ask again later"));
        fresh.close();
        continue;
      }
      if (isFull() && !end(Connection::isSilent)) {
        end(Connection::isSlowStranger);
      }
      connections.add(fresh);
    }
  }

  private boolean isFull() {
    return connections.size() >= limits.connections();
  }

  /** Who has asked nothing yet has no right to a place that another one needs. */
  private boolean hasRoom() {
    return !isFull()
        || connections.stream().anyMatch(one -> one.isSilent() || one.isSlowStranger());
  }

  private boolean comesAnother() {
    return poll.await(0, new int[] {listener.descriptor()}, new boolean[1])[0];
  }

  /** A request that has just arrived counts. */
  private void hear() {
    connections.stream().filter(Connection::isSilent).forEach(Connection::go);
    closeOver();
  }

  private void closeOver() {
    long nowNs = System.nanoTime();
    connections.removeIf(connection -> connection.closeIfOver(nowNs));
  }

  /** Ends one of those: of the user with most connections, the oldest. False if there is none. */
  private boolean end(Predicate<Connection> which) {
    Map<Integer, Long> ofUser =
        connections.stream()
            .collect(Collectors.groupingBy(Connection::shareOwner, Collectors.counting()));
    return connections.stream()
        .filter(which)
        .min(
            Comparator.comparing((Connection one) -> -ofUser.get(one.shareOwner()))
                .thenComparing(Connection::deadlineNs))
        .map(
            one -> {
              one.close();
              return connections.remove(one);
            })
        .orElse(false);
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
