package org.schedgpu.agent.sight;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.AgentException;
import org.schedgpu.agent.JsonText;
import org.schedgpu.agent.JsonValues;

/** Asks the agent of a node. */
public final class SightClient {
  private static final String SOCKET = "sight.sock";
  private static final long PATIENCE_MS = TimeUnit.SECONDS.toMillis(20);
  private static final int BUFFER_SIZE = 64 << 10;

  /** Of who can do without. */
  private static final long GLANCE_MS = TimeUnit.SECONDS.toMillis(2);

  private SightClient() {}

  /** Where the agent that looks after a run directory listens. */
  public static Path socket(Path runDir) {
    return runDir.resolve(SOCKET);
  }

  /**
   * Asks, and waits for the answer; empty if no agent listens.
   *
   * @param ask name of the question
   * @throws AgentException the agent refuses, or does not answer
   */
  public static Optional<Map<String, Object>> ask(
      Path runDir, String ask, Map<String, Object> arguments) {
    return ask(runDir, ask, arguments, PATIENCE_MS);
  }

  /**
   * The same for what a job can do without: an agent that is stopped or busy keeps nobody longer
   * than 2 s, and whatever else goes wrong is as if no agent listened.
   */
  public static Optional<Map<String, Object>> askBriefly(
      Path runDir, String ask, Map<String, Object> arguments) {
    try {
      return ask(runDir, ask, arguments, GLANCE_MS);
    } catch (AgentException refused) {
      return Optional.empty();
    }
  }

  private static Optional<Map<String, Object>> ask(
      Path runDir, String ask, Map<String, Object> arguments, long patienceMs) {
    Path socket = socket(runDir);
    if (!Files.exists(socket)) {
      return Optional.empty();
    }
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        Selector selector = Selector.open()) {
      channel.configureBlocking(false); // where nobody accepts, connecting would wait forever
      if (!channel.connect(UnixDomainSocketAddress.of(socket))) {
        await(channel, selector, SelectionKey.OP_CONNECT, patienceMs);
        channel.finishConnect();
      }
      send(channel, selector, request(ask, arguments), patienceMs);
      return Optional.of(answer(receive(channel, selector, patienceMs)));
    } catch (ConnectException nobodyListens) {
      return Optional.empty();
    } catch (IOException problem) {
      throw new AgentException(
          "%s: the agent does not answer (%s): see its log, journalctl -u schedgpu-agent"
              .formatted(socket, problem.getMessage()),
          problem);
    }
  }

  private static String request(String ask, Map<String, Object> arguments) throws IOException {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("version", Answers.VERSION);
    request.put("ask", ask);
    request.putAll(arguments);
    StringWriter line = new StringWriter();
    JsonText.writeLine(line, request);
    return line.append('\n').toString();
  }

  private static void send(
      SocketChannel channel, Selector selector, String request, long patienceMs)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      if (channel.write(bytes) == 0) {
        await(channel, selector, SelectionKey.OP_WRITE, patienceMs);
      }
    }
  }

  private static String receive(SocketChannel channel, Selector selector, long patienceMs)
      throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_SIZE);
    for (int read = 0; read >= 0; read = channel.read(buffer.clear())) {
      text.write(buffer.array(), 0, read);
      if (read == 0) {
        await(channel, selector, SelectionKey.OP_READ, patienceMs);
      }
    }
    return text.toString(StandardCharsets.UTF_8);
  }

  private static void await(
      SocketChannel channel, Selector selector, int operation, long patienceMs) throws IOException {
    channel.register(selector, operation);
    if (selector.select(patienceMs) == 0) {
      throw new IOException("nothing came for " + patienceMs / 1000 + " s");
    }
    selector.selectedKeys().clear();
  }

  @SuppressWarnings("unchecked") // JSON objects become maps with texts as keys
  private static Map<String, Object> answer(String text) throws IOException {
    if (text.isEmpty()) {
      throw new IOException("it closed the connection");
    }
    Map<String, Object> document = JsonValues.object(text);
    if (document.get("error") instanceof String why) {
      throw new AgentException("the agent: " + why);
    }
    if (document.get("answer") instanceof Map<?, ?> answer) {
      return (Map<String, Object>) answer;
    }
    throw new IOException("its answer is none");
  }
}
