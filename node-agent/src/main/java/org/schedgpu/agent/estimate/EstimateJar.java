package org.schedgpu.agent.estimate;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.schedgpu.agent.problem.AgentException;

/** The parser of CUDA sources, in a jar of its own so that no other command pays for it. */
public final class EstimateJar {
  private static final String NAME = "schedgpu-estimate.jar";
  private static final String ENTRANCE = "org.schedgpu.estimate.Estimator";

  private EstimateJar() {}

  /**
   * Answers a question.
   *
   * @param question question and answer have the form that {@code org.schedgpu.estimate.Estimator}
   *     describes
   * @throws AgentException if the jar is not installed
   */
  public static Map<String, Object> ask(Map<String, Object> question) {
    Path jar = path();
    if (jar == null || !Files.exists(jar)) {
      return ask(EstimateJar.class.getClassLoader(), question);
    }
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {jar.toUri().toURL()}, EstimateJar.class.getClassLoader())) {
      return ask(loader, question);
    } catch (IOException problem) {
      throw new AgentException(jar + ": cannot be read: check its mode", problem);
    }
  }

  @SuppressWarnings("unchecked") // the two sides agree on maps with texts as keys
  private static Map<String, Object> ask(ClassLoader loader, Map<String, Object> question) {
    try {
      Object estimator = Class.forName(ENTRANCE, true, loader).getConstructor().newInstance();
      return ((Function<Map<String, Object>, Map<String, Object>>) estimator).apply(question);
    } catch (ReflectiveOperationException problem) {
      throw new AgentException(
          NAME + " is not beside schedgpu.jar: packages do not have it, make install puts it there",
          problem);
    }
  }

  /** Beside the jar of this command; null if its classes are in a folder. */
  private static Path path() {
    try {
      URI own = EstimateJar.class.getProtectionDomain().getCodeSource().getLocation().toURI();
      Path folder = Path.of(own).getParent();
      return folder == null ? null : folder.resolve(NAME);
    } catch (URISyntaxException problem) {
      return null;
    }
  }
}
