package org.schedgpu.agent.metrics;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
class ScrapeConnectionsTest {
  private static final long NEVER_S = 86_400;

  private final ScrapeConnections connections = new ScrapeConnections(2, 1, NEVER_S);

  @AfterEach
  void closeAll() {
    connections.close();
  }

  private ScrapeConnections.Connection come() throws IOException, InterruptedException {
    return connections.add(SocketChannel.open());
  }

  private static void assertStays(ScrapeConnections.Connection connection) {
    assertTrue(connection.channel().isOpen());
  }

  private static void assertGone(ScrapeConnections.Connection connection) {
    assertFalse(connection.channel().isOpen());
  }

  @Test
  void theOldestOfTheSilentMakesRoom() throws IOException, InterruptedException {
    ScrapeConnections.Connection oldest = come();
    ScrapeConnections.Connection second = come();
    ScrapeConnections.Connection third = come();
    assertGone(oldest);
    assertStays(second);
    assertStays(third);
  }

  @Test
  void whoIsBeingAnsweredStays() throws IOException, InterruptedException {
    ScrapeConnections.Connection asked = come();
    asked.asked();
    ScrapeConnections.Connection silent = come();
    come();
    assertStays(asked);
    assertGone(silent);
  }

  @Test
  void whoTakesHisAnswerGoesAfterTheSilent() throws IOException, InterruptedException {
    ScrapeConnections.Connection takes = come();
    takes.asked();
    takes.answered();
    ScrapeConnections.Connection silent = come();
    ScrapeConnections.Connection next = come();
    assertGone(silent);
    assertStays(takes);
    next.asked();
    come();
    assertGone(takes);
    assertStays(next);
  }

  @Test
  void anAnswerThatIsMadeFreesItsPlaceForTheNext() throws IOException, InterruptedException {
    ScrapeConnections.Connection first = come();
    ScrapeConnections.Connection second = come();
    first.asked();
    first.answered();
    first.answered(); // a second call does no harm
    second.asked(); // would wait forever
    assertStays(second);
  }

  @Test
  void whoComesAfterTheEndIsClosed() throws IOException, InterruptedException {
    connections.close();
    assertGone(come());
  }

  @Test
  void whoIsThereAtTheEndIsClosed() throws IOException, InterruptedException {
    ScrapeConnections.Connection there = come();
    connections.close();
    assertGone(there);
  }
}
