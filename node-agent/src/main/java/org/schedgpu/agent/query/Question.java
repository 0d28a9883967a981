package org.schedgpu.agent.query;

import java.util.Map;

/**
 * Something that users may ask the agent. It changes nothing. All {@linkplain #isLong long} ones
 * are called by one thread, all others by another.
 */
@FunctionalInterface
public interface Question {
  /**
   * Returns the answer, without anything that the viewer may not see.
   *
   * @param arguments of the request, not validated yet: {@link Arguments} reads them
   * @return maps, lists, texts, numbers, booleans and null, to become JSON
   * @throws org.schedgpu.agent.problem.AgentException with the message for the client
   */
  Object answer(Map<String, Object> arguments, Principal viewer);

  /**
   * Called once, before the first answer, by the same thread: it loads what an answer needs, so
   * that the first client does not wait for that. Failures are ignored.
   */
  default void prepare() {}

  /** Whether it may take seconds: short ones do not wait for it. It bounds its time itself. */
  default boolean isLong() {
    return false;
  }
}
