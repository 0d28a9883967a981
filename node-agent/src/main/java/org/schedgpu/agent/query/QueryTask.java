package org.schedgpu.agent.query;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.schedgpu.agent.server.SocketServer;
import org.schedgpu.agent.task.PeriodicTask;
import org.schedgpu.agent.user.ShareOwners;
import org.schedgpu.jna.SocketListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Keeps the query socket available, also after somebody removed it. */
public final class QueryTask implements PeriodicTask {
  private static final Logger LOG = LoggerFactory.getLogger(QueryTask.class);
  private static final long EVERY_NS = TimeUnit.SECONDS.toNanos(5);

  private static final SocketServer.Limits LIMITS =
      new SocketServer.Limits(64, 8, TimeUnit.SECONDS.toNanos(10), 16 << 20);

  private final Path socket;
  private final Map<String, Question> questions;
  private final IntFunction<Principal> viewers;
  private SocketServer server;
  private Object identity;

  /**
   * @param questions by name
   * @param viewers gives the principal of a user id
   */
  public QueryTask(Path socket, Map<String, Question> questions, IntFunction<Principal> viewers) {
    this.socket = socket;
    this.questions = questions;
    this.viewers = viewers;
  }

  @Override
  public String name() {
    return "query";
  }

  @Override
  public long run(long nowNs) {
    if (server != null && (!server.serves() || !Objects.equals(identity, identity()))) {
      close();
    }
    if (server == null) {
      server = serve(socket, questions, viewers);
      identity = identity();
      LOG.info("answers users at {}", socket);
    }
    return EVERY_NS;
  }

  /**
   * Answers questions at a socket until it is closed. An earlier socket is replaced; the name stays
   * at the end.
   */
  public static SocketServer serve(
      Path socket, Map<String, Question> questions, IntFunction<Principal> viewers) {
    return serve(socket, questions, viewers, ShareOwners.ofMachine()::of, LIMITS);
  }

  static SocketServer serve(
      Path socket,
      Map<String, Question> questions,
      IntFunction<Principal> viewers,
      IntUnaryOperator shareOwners,
      SocketServer.Limits limits) {
    return new SocketServer(
        "query",
        SocketListener.inPlaceOf(socket),
        new Answers(questions, viewers),
        shareOwners,
        limits);
  }

  private Object identity() {
    try {
      return Files.readAttributes(socket, BasicFileAttributes.class).fileKey();
    } catch (IOException missing) {
      return null;
    }
  }

  @Override
  public void close() {
    if (server != null) {
      server.close();
      server = null;
    }
  }
}
