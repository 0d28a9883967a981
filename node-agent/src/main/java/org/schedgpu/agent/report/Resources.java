package org.schedgpu.agent.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Files in the jar that go into a page. */
final class Resources {
  private Resources() {}

  /** One beside this class. */
  static String text(String name) {
    try (InputStream file = Resources.class.getResourceAsStream(name)) {
      return new String(file.readAllBytes(), StandardCharsets.UTF_8).replace("\r\n", "\n");
    } catch (IOException problem) {
      throw new UncheckedIOException(problem);
    }
  }

  /** Chart.js, from its webjar. */
  static String chartLibrary() {
    return text(chartJs() + "dist/chart.umd.min.js");
  }

  static String chartLicence() {
    return text(chartJs() + "LICENSE.md");
  }

  private static String chartJs() {
    return "/META-INF/resources/webjars/chart.js/" + text("chart.js.version").strip() + "/";
  }
}
