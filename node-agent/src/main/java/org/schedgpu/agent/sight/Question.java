package org.schedgpu.agent.sight;

import java.util.Map;

/** Something that users may ask the agent. It changes nothing, and is called by one thread. */
@FunctionalInterface
public interface Question {
  /**
   * Answers. What the viewer may not see is not in the answer.
   *
   * @param arguments of the request, checked by nobody yet: {@link Arguments} reads them
   * @return maps, lists, texts, numbers, booleans and null, to become JSON
   * @throws org.schedgpu.agent.AgentException what the asker is told instead
   */
  Object answer(Map<String, Object> arguments, Viewer viewer);
}
