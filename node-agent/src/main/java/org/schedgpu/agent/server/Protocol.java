package org.schedgpu.agent.server;

import java.util.List;

/**
 * What is said on the connections of a {@link SocketServer}: a client sends one request, and gets
 * one answer. {@link #prepare} and {@link #answer} are called by the threads that compute answers,
 * the rest by the thread of the server.
 */
public interface Protocol {
  /** The names of the threads that compute answers, one at a time each. */
  List<String> threads();

  /** Called once by each of these threads, before its first answer. */
  default void prepare(int thread) {}

  /** Which of these threads answers a request. */
  default int thread(byte[] request) {
    return 0;
  }

  /** The size from which on an incomplete request is refused, in bytes. */
  int maxRequestBytes();

  /** How many bytes at the start of the received ones are the request; -1 = more will come. */
  int length(byte[] received);

  /** The answer, or the reason why there is none. Throws nothing. */
  AnswerBuffer answer(byte[] request, int uid);

  /** The answer to a request without an end. */
  AnswerBuffer tooLong();

  /** The answer to a client that is not served. */
  AnswerBuffer refusal(String why);
}
