package org.schedgpu.agent.context;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.schedgpu.agent.conf.Conf;

class ContextBoundsTest {
  private final List<String> told = new ArrayList<>();
  private final ContextBounds trust = new ContextBounds(told::add);

  private long bytes(long learned, long configured, String... conf) {
    return trust.bytes(
        Conf.parse(
            Path.of("/etc/schedgpu.conf"),
            String.join("\n", conf).getBytes(StandardCharsets.UTF_8)),
        "NVIDIA H100",
        learned < 0 ? OptionalLong.empty() : OptionalLong.of(learned),
        configured);
  }

  @Test
  void whatWasLearnedGoesBeforeWhatIsConfigured() {
    assertEquals(7, bytes(-1, 7));
    assertEquals(5, bytes(5, 7));
    assertEquals(14, bytes(14, 7));
    assertEquals(List.of(), told);
  }

  @Test
  void atMostTwiceWhatIsConfiguredIsUsedAndThatIsReportedOnce() {
    assertEquals(14, bytes(15, 7));
    assertEquals(14, bytes(16, 7));
    assertEquals(0, bytes(16, 0));
    assertEquals(2, told.size(), told::toString);
    assertEquals(
        "context name=\"NVIDIA H100\" bytes=14: learned 15, but at most twice ContextBytes=7 is"
            + " used",
        told.get(0).split(": if", -1)[0]);
  }

  @Test
  void itCountsOnlyIfTheConfigurationSaysSo() {
    assertEquals(7, bytes(5, 7, "LearnContext=no"));
    assertEquals(7, bytes(50, 7, "LearnContext=no"));
    assertEquals(List.of(), told);
  }

  /** In this mode users are not trusted, so their programs do not set a size for others. */
  @Test
  void withABrokerItIsNotUsed() {
    assertEquals(7, bytes(5, 7, "Mode=brokered"));
    assertEquals(7, bytes(50, 7, "Mode=brokered"));
    assertEquals(List.of(), told);
  }
}
