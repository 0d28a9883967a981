package org.schedgpu.agent.query;

import java.util.Map;

/**
 * Something that users may ask the agent. It changes nothing. All {@linkplain #isLong long} ones
 * are called by one thread, all others by another.
 */
@FunctionalInterface
public interface Question {
  /**
   * Answers. What the viewer may not see is not in the answer.
   *
   * @param arguments of the request, checked by nobody yet: {@link Arguments} reads them
   * @return maps, lists, texts, numbers, booleans and null, to become JSON
   * @throws org.schedgpu.agent.problem.AgentException what the asker is told instead
   */
  Object answer(Map<String, Object> arguments, Principal viewer);

  /**
   * Called once, before the first answer, by the same thread: whoever asks first does not wait
   * until what an answer takes is loaded. What goes wrong is of no account.
   */
  default void prepare() {}

  /** Whether it may take seconds: short ones do not wait for it. It bounds its time itself. */
  default boolean isLong() {
    return false;
  }
}
