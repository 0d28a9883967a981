package org.schedgpu.agent.query;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalInt;
import org.schedgpu.jna.LocalPeer;
import org.schedgpu.jna.NativeMemory;

/** A connection: it reads a request of one line, writes one answer, and ends. */
final class ServerConnection implements AutoCloseable {
  private static final int MAX_REQUEST_BYTES = 4096;

  /** At its end it reads and discards at most this multiple of the limit on requests. */
  private static final int MAX_DRAINED = 16;

  private final LocalPeer peer;
  private final int shareOwner;
  private final long patienceNs;
  private final ByteArrayOutputStream request = new ByteArrayOutputStream();
  private final byte[] buffer = new byte[MAX_REQUEST_BYTES];
  private Stage stage = Stage.ASKS;
  private long deadlineNs;
  private NativeMemory answer;
  private long sent;
  private boolean isBeingAnswered;

  private enum Stage {
    ASKS,
    ASKED,
    ANSWERED,
    OVER
  }

  ServerConnection(LocalPeer peer, int shareOwner, long patienceNs) {
    this.peer = peer;
    this.shareOwner = shareOwner;
    this.patienceNs = patienceNs;
    this.deadlineNs = System.nanoTime() + patienceNs;
  }

  int uid() {
    return peer.uid();
  }

  /** The user who has the share of the agent that this connection uses; mostly its own user. */
  int shareOwner() {
    return shareOwner;
  }

  int descriptor() {
    return peer.descriptor();
  }

  /** When the time limit passes. There is one limit for the question and one for the answer. */
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

  /** True if the request has arrived and no thread works on it yet. */
  boolean isWaiting() {
    return stage == Stage.ASKED && !isBeingAnswered;
  }

  /** The request; from here on a thread works on it. */
  String take() {
    isBeingAnswered = true;
    return request();
  }

  String request() {
    return request.toString(StandardCharsets.UTF_8);
  }

  /** True if the answer is to be written. */
  boolean isAnswered() {
    return stage == Stage.ANSWERED;
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
    for (int i = 0; i < read.getAsInt(); i++) {
      if (buffer[i] == '\n') {
        request.write(buffer, 0, i);
        stage = Stage.ASKED;
        return;
      }
    }
    if (read.getAsInt() < 0) {
      stage = Stage.OVER;
      return;
    }
    request.write(buffer, 0, read.getAsInt());
    if (request.size() > MAX_REQUEST_BYTES) {
      give(Answers.error("the request has more than " + MAX_REQUEST_BYTES + " bytes"));
    }
  }

  /** Sets the answer and sends its first part at once. Does nothing if the connection has ended. */
  void give(AnswerBuffer text) {
    if (stage == Stage.OVER) {
      text.close();
      return;
    }
    answer = text.toMemory();
    stage = Stage.ANSWERED;
    deadlineNs = System.nanoTime() + patienceNs;
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
      give(Answers.error("the agent is busy with the questions of others: ask again later"));
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
