package org.schedgpu.agent.broker;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.user.SubordinateUsers;
import org.schedgpu.agent.user.SubordinateUsers.Range;
import org.schedgpu.jna.Broker;
import org.schedgpu.jna.Posix;

/** A thread that serves the clients of a region, from construction to {@link #close}. */
final class BrokerServer implements AutoCloseable {
  private static final long END_PATIENCE_MS = 2000;

  private final Broker broker;
  private final SubordinateUsers subordinates = new SubordinateUsers();
  private final Thread thread;
  private volatile RuntimeException problem;

  BrokerServer(Path runDir, Conf conf) {
    broker = Broker.open(runDir);
    terms(conf);
    readSubordinates();
    thread = new Thread(this::serve, "broker");
    thread.setDaemon(true);
    thread.start();
  }

  private void serve() {
    try {
      broker.run();
    } catch (RuntimeException failed) {
      problem = failed;
    }
  }

  /** The limits of jobs that users begin themselves. */
  void terms(Conf conf) {
    List<Integer> above =
        conf.highPriorityUsers().stream()
            .map(BrokerServer::uid)
            .flatMapToInt(OptionalInt::stream)
            .boxed()
            .toList();
    broker.terms(conf.defaultMem().orElse(""), conf.maxMem(), conf.maxPriority(), above);
    broker.lanes(conf.lanes(), conf.maxShare());
  }

  /** Applies them if they have changed. */
  void readSubordinates() {
    subordinates
        .changed()
        .ifPresent(
            ranges ->
                broker.subordinates(
                    ranges.stream().mapToInt(Range::first).toArray(),
                    ranges.stream().mapToInt(Range::count).toArray(),
                    ranges.stream().mapToInt(Range::owner).toArray()));
  }

  /** A name of digits is a user id, as in all files. */
  private static OptionalInt uid(String user) {
    try {
      return OptionalInt.of(Integer.parseUnsignedInt(user));
    } catch (NumberFormatException name) {
      return Posix.userId(user);
    }
  }

  /** True while it serves; afterwards the caller closes it. */
  boolean serves() {
    return thread.isAlive();
  }

  /** Why it stopped serving: for example, the region was replaced. */
  Optional<RuntimeException> problem() {
    return Optional.ofNullable(problem);
  }

  long count(String name) {
    return broker.count(name);
  }

  @Override
  public void close() {
    broker.stop();
    try {
      thread.join(END_PATIENCE_MS);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
    if (!thread.isAlive()) {
      broker.close();
    }
  }
}
