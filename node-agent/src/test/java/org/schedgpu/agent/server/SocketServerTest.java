package org.schedgpu.agent.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.jna.SocketListener;

/** Clients that no user id tells apart; those of users are in QueryServerTest. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class SocketServerTest {
  private static final int PLACES = 2;
  private static final int LARGE = 4 << 20;
  private static final SocketServer.Limits LIMITS =
      new SocketServer.Limits(PLACES, PLACES, TimeUnit.DAYS.toNanos(1), LARGE);

  @TempDir private Path folder;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch over = new CountDownLatch(1);
  private final AtomicInteger answered = new AtomicInteger();
  private final List<SocketChannel> clients = new ArrayList<>();
  private int read;
  private volatile int atOnce;
  private SocketServer server;

  /** A letter: w = an answer that waits, l = a large one, others = a short one. */
  private final class Letters implements Protocol {
    @Override
    public List<String> threads() {
      return List.of("letters");
    }

    @Override
    public int thread(byte[] request) {
      read++;
      atOnce = Math.max(atOnce, read - answered.get());
      return 0;
    }

    @Override
    public int maxRequestBytes() {
      return 1;
    }

    @Override
    public int length(byte[] received) {
      return 1;
    }

    @Override
    public AnswerBuffer answer(byte[] request, int uid) {
      begun.countDown();
      try {
        if (request[0] == 'w') {
          over.await();
        }
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
      }
      AnswerBuffer text = new AnswerBuffer(LARGE);
      text.write(new byte[request[0] == 'l' ? LARGE : 1], 0, request[0] == 'l' ? LARGE : 1);
      answered.incrementAndGet();
      return text;
    }

    @Override
    public AnswerBuffer tooLong() {
      return refusal("too long");
    }

    @Override
    public AnswerBuffer refusal(String why) {
      return new AnswerBuffer(1);
    }
  }

  @BeforeEach
  void serve() throws IOException {
    server =
        new SocketServer(
            "letters",
            SocketListener.at(UnixDomainSocketAddress.of(folder.resolve("s"))),
            new Letters(),
            uid -> SocketServer.STRANGER,
            LIMITS);
  }

  @AfterEach
  void end() throws IOException {
    over.countDown();
    server.close();
    for (SocketChannel client : clients) {
      client.close();
    }
  }

  private SocketChannel come() throws IOException {
    SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(folder.resolve("s")));
    clients.add(client);
    return client;
  }

  private SocketChannel ask(SocketChannel client, char letter) throws IOException {
    client.write(ByteBuffer.wrap(String.valueOf(letter).getBytes(StandardCharsets.UTF_8)));
    return client;
  }

  /** How many bytes arrive until the server closes the connection. */
  private static int receive(SocketChannel client) throws IOException {
    return Channels.newInputStream(client).readAllBytes().length;
  }

  @Test
  void theOldestOfTheSilentMakesRoom() throws IOException {
    SocketChannel oldest = come();
    SocketChannel second = come();
    SocketChannel third = come();
    assertEquals(0, receive(oldest));
    assertEquals(1, receive(ask(second, 'a')));
    assertEquals(1, receive(ask(third, 'a')));
  }

  @Test
  void whoIsBeingAnsweredStays() throws IOException, InterruptedException {
    SocketChannel asked = ask(come(), 'w');
    begun.await();
    SocketChannel silent = come();
    SocketChannel next = come();
    assertEquals(0, receive(silent));
    over.countDown();
    assertEquals(1, receive(asked));
    assertEquals(1, receive(ask(next, 'a')));
  }

  @Test
  void whoTakesHisAnswerGoesAfterTheSilent() throws IOException, InterruptedException {
    SocketChannel takes = ask(come(), 'l');
    takes.read(ByteBuffer.allocate(1));
    SocketChannel silent = come();
    SocketChannel next = come();
    assertEquals(0, receive(silent));
    ask(next, 'w');
    SocketChannel last = come(); // next has asked: now who takes his answer makes room
    over.countDown();
    assertEquals(1, receive(ask(last, 'a')));
    assertTrue(receive(takes) < LARGE - 1);
    assertEquals(1, receive(next));
  }

  /** The next answer is not computed while there are so many bytes, and its client would wait. */
  @Test
  void whoDoesNotTakeHisAnswerMakesRoomInMemory() throws IOException {
    SocketChannel takes = ask(come(), 'l');
    takes.read(ByteBuffer.allocate(1));
    assertEquals(1, receive(ask(come(), 'a')));
    assertTrue(receive(takes) < LARGE - 1);
  }

  /** Requests that come faster than answers wait in the queue of the kernel. */
  @Test
  void noMoreAreServedThanThereArePlaces() throws IOException, InterruptedException {
    SocketChannel first = ask(come(), 'w');
    begun.await();
    List<SocketChannel> others = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      others.add(ask(come(), 'a'));
    }
    over.countDown();
    assertEquals(1, receive(first));
    for (SocketChannel other : others) {
      assertEquals(1, receive(other));
    }
    assertTrue(atOnce <= PLACES, () -> atOnce + " at once");
  }

  @Test
  void whoIsThereAtTheEndIsClosed() throws IOException {
    SocketChannel silent = come();
    assertEquals(1, receive(ask(come(), 'a'))); // both are accepted by then
    server.close();
    assertEquals(0, receive(silent));
  }
}
