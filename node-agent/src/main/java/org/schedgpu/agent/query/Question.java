package org.schedgpu.agent.query;

import java.util.Map;

/**
 * A question that users may ask the agent. It changes nothing. One thread calls all {@linkplain
 * #isLong long} questions, another thread calls the others.
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
   * Called once by the same thread before the first answer: loads what an answer needs, so that the
   * first client does not wait for it. Failures are ignored.
   */
  default void prepare() {}

  /** True if it may take seconds: short questions do not wait for it. It limits its own time. */
  default boolean isLong() {
    return false;
  }
}
