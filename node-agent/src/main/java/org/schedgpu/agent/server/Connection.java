package org.schedgpu.agent.server;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.OptionalInt;
import org.schedgpu.jna.NativeMemory;
import org.schedgpu.jna.SocketPeer;

/** A connection: it reads one request, writes one answer, and ends. */
final class Connection implements AutoCloseable {
  private static final int BUFFER_SIZE = 4096;

  /** At its end it reads and discards at most this many buffers. */
  private static final int MAX_DRAINED = 16;

  private final SocketPeer peer;
  private final Protocol protocol;
  private final int shareOwner;
  private final long patienceNs;
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private final byte[] buffer = new byte[BUFFER_SIZE];
  private Stage stage = Stage.ASKS;
  private long deadlineNs;
  private byte[] request;
  private int thread;
  private NativeMemory answer;
  private long sent;
  private boolean isBeingAnswered;

  private enum Stage {
    ASKS,
    ASKED,
    ANSWERED,
    OVER
  }

  Connection(SocketPeer peer, Protocol protocol, int shareOwner, long patienceNs) {
    this.peer = peer;
    this.protocol = protocol;
    this.shareOwner = shareOwner;
    this.patienceNs = patienceNs;
    this.deadlineNs = System.nanoTime() + patienceNs;
  }

  int uid() {
    return peer.uid();
  }

  /**
   * The user who has the share of the agent that this connection uses; mostly its own user. Or
   * {@link SocketServer#STRANGER}.
   */
  int shareOwner() {
    return shareOwner;
  }

  private boolean isStranger() {
    return shareOwner == SocketServer.STRANGER;
  }

  int descriptor() {
    return peer.descriptor();
  }

  /**
   * When the time limit passes. A user has one limit for the request and one for the answer, a
   * stranger has one for both.
   */
  long deadlineNs() {
    return deadlineNs;
  }

  /** True if the request has not arrived in full. */
  boolean isSilent() {
    return stage == Stage.ASKS;
  }

  /** True if the request has arrived and is not answered yet. */
  boolean isAsked() {
    return stage == Stage.ASKED;
  }

  /** True if the request has arrived, is for this thread, and no thread works on it yet. */
  boolean waitsFor(int answerThread) {
    return stage == Stage.ASKED && !isBeingAnswered && thread == answerThread;
  }

  /** The request; from here on a thread works on it. */
  byte[] take() {
    isBeingAnswered = true;
    return request;
  }

  /** True if the answer is to be written. */
  boolean isAnswered() {
    return stage == Stage.ANSWERED;
  }

  /** True for a stranger who has not taken the answer. It ends where others need its place. */
  boolean isSlowStranger() {
    return stage == Stage.ANSWERED && isStranger();
  }

  long pendingBytes() {
    return answer == null ? 0 : answer.size();
  }

  /** The socket can be read, or written. */
  void go() {
    if (stage == Stage.ASKS) {
      read();
    } else if (stage == Stage.ANSWERED) {
      write();
    }
  }

  private void read() {
    OptionalInt read = peer.read(buffer);
    if (read.isEmpty()) {
      return;
    }
    if (read.getAsInt() < 0) {
      stage = Stage.OVER;
      return;
    }
    received.write(buffer, 0, read.getAsInt());
    int length = protocol.length(received.toByteArray());
    if (length >= 0) {
      request = Arrays.copyOf(received.toByteArray(), length);
      thread = protocol.thread(request);
      stage = Stage.ASKED;
    } else if (received.size() > protocol.maxRequestBytes()) {
      give(protocol.tooLong());
    }
  }

  /** Sets the answer and sends its first part at once. Does nothing if the connection has ended. */
  void give(AnswerBuffer text) {
    if (stage == Stage.OVER) {
      text.discard();
      return;
    }
    answer = text.toMemory();
    stage = Stage.ANSWERED;
    if (!isStranger()) {
      deadlineNs = System.nanoTime() + patienceNs;
    }
    write();
  }

  private void write() {
    OptionalInt written = peer.write(answer, sent);
    if (written.isEmpty()) {
      return;
    }
    sent += Math.max(0, written.getAsInt());
    if (written.getAsInt() < 0 || sent == answer.size()) {
      stage = Stage.OVER;
    }
  }

  /** True if the connection has ended, or its time limit has passed; it is then closed. */
  boolean closeIfOver(long nowNs) {
    if (stage != Stage.OVER && nowNs - deadlineNs < 0) {
      return false;
    }
    if (stage == Stage.ASKED) {
      give(protocol.refusal("the agent is busy with the questions of others: ask again later"));
    }
    close();
    return true;
  }

  /** Unread bytes would look like a broken connection to the client. */
  private void drain() {
    int reads = 0;
    while (reads < MAX_DRAINED && peer.read(buffer).orElse(-1) > 0) {
      reads++;
    }
  }

  @Override
  public void close() {
    if (answer != null) {
      answer.close();
      answer = null;
    }
    drain();
    peer.close();
    stage = Stage.OVER;
  }
}
