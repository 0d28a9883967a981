package org.schedgpu.agent.metrics;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections of a {@link ScrapeServer}. Any process may connect, so their number is limited. A
 * new connection never waits for a slow one: the server closes the oldest connection that has not
 * sent its request, or does not read its answer. Only a few answers are computed at once.
 * Thread-safe.
 */
final class ScrapeConnections implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ScrapeConnections.class);

  /**
   * The states of a connection. The server closes them in this order; one whose answer is being
   * computed stays.
   */
  private enum Stage {
    SILENT,
    TAKES_ITS_ANSWER,
    ASKED
  }

  private final int most;
  private final int answersAtOnce;
  private final long patienceS;
  private final Set<Connection> open = new LinkedHashSet<>(); // oldest first
  private final ScheduledThreadPoolExecutor clock;
  private int answering;
  private boolean closed;

  /**
   * @param most largest number of connections
   * @param answersAtOnce how many answers are computed at once; others wait
   * @param patienceS seconds after which a connection is closed in any case
   */
  ScrapeConnections(int most, int answersAtOnce, long patienceS) {
    this.most = most;
    this.answersAtOnce = answersAtOnce;
    this.patienceS = patienceS;
    this.clock =
        new ScheduledThreadPoolExecutor(
            1,
            work -> {
              Thread thread = new Thread(work, "metrics-clock");
              thread.setDaemon(true);
              return thread;
            });
    clock.setRemoveOnCancelPolicy(true);
  }

  /** Adds one. Waits only while answers are computed for all others. */
  synchronized Connection add(SocketChannel channel) throws InterruptedException {
    while (!closed && open.size() >= most) {
      Optional<Connection> slow = oldest(Stage.SILENT).or(() -> oldest(Stage.TAKES_ITS_ANSWER));
      if (slow.isPresent()) {
        slow.get().close();
      } else {
        wait();
      }
    }
    Connection fresh = new Connection(channel);
    open.add(fresh);
    if (closed) {
      fresh.close();
    } else {
      fresh.end = clock.schedule(fresh::close, patienceS, TimeUnit.SECONDS);
    }
    return fresh;
  }

  private Optional<Connection> oldest(Stage stage) {
    return open.stream().filter(connection -> connection.stage == stage).findFirst();
  }

  @Override
  public synchronized void close() {
    closed = true;
    Set.copyOf(open).forEach(Connection::close);
    clock.shutdownNow();
  }

  /** One of them. */
  final class Connection implements ScrapeExchange.Progress, AutoCloseable {
    private final SocketChannel channel;
    private Future<?> end;
    private Stage stage = Stage.SILENT;
    private boolean isBeingAnswered;

    private Connection(SocketChannel channel) {
      this.channel = channel;
    }

    SocketChannel channel() {
      return channel;
    }

    @Override
    public void asked() throws InterruptedException {
      synchronized (ScrapeConnections.this) {
        stage = Stage.ASKED;
        while (answering >= answersAtOnce) {
          ScrapeConnections.this.wait();
        }
        isBeingAnswered = true;
        answering++;
      }
    }

    @Override
    public void answered() {
      synchronized (ScrapeConnections.this) {
        stage = Stage.TAKES_ITS_ANSWER;
        if (isBeingAnswered) {
          isBeingAnswered = false;
          answering--;
          ScrapeConnections.this.notifyAll();
        }
      }
    }

    @Override
    public void close() {
      synchronized (ScrapeConnections.this) {
        open.remove(this);
        if (end != null) {
          end.cancel(false);
        }
        ScrapeConnections.this.notifyAll();
      }
      try {
        channel.close();
      } catch (IOException gone) {
        LOG.debug("metrics: {}", gone.getMessage());
      }
    }
  }
}
