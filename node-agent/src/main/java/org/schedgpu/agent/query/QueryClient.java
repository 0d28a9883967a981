package org.schedgpu.agent.query;

import java.io.IOException;
import java.io.StringWriter;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.JsonValues;

/** Asks the agent of a node. */
public final class QueryClient {
  private static final String SOCKET = "sight.sock";
  private static final long PATIENCE_MS = TimeUnit.SECONDS.toMillis(20);

  /** The time limit of a caller that does not need the answer. */
  private static final long GLANCE_MS = TimeUnit.SECONDS.toMillis(2);

  private QueryClient() {}

  /** Returns the path of the query socket of a run directory. */
  public static Path socket(Path runDir) {
    return runDir.resolve(SOCKET);
  }

  /** True if an agent listens; it may be stopped or busy. */
  public static boolean listens(Path runDir) {
    Path socket = socket(runDir);
    if (!Files.exists(socket)) {
      return false;
    }
    try (ClientConnection connection = new ClientConnection(GLANCE_MS)) {
      connection.connect(socket);
      return true;
    } catch (IOException nobodyListens) {
      return false;
    }
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
   * Asks a question with a {@linkplain PrintedAnswer printed} answer; empty if no agent listens.
   *
   * @throws AgentException the agent refuses, or does not answer
   */
  public static Optional<PrintedAnswer> askPrinted(
      Path runDir, String ask, Map<String, Object> arguments) {
    return exchange(runDir, ask, arguments, PATIENCE_MS).map(bytes -> printed(runDir, bytes));
  }

  private static Optional<Map<String, Object>> ask(
      Path runDir, String ask, Map<String, Object> arguments, long patienceMs) {
    return exchange(runDir, ask, arguments, patienceMs)
        .map(
            bytes -> {
              try {
                return answer(new String(bytes, StandardCharsets.UTF_8));
              } catch (IOException problem) {
                throw silent(runDir, problem);
              }
            });
  }

  private static Optional<byte[]> exchange(
      Path runDir, String ask, Map<String, Object> arguments, long patienceMs) {
    Path socket = socket(runDir);
    if (!Files.exists(socket)) {
      return Optional.empty();
    }
    try (ClientConnection exchange = new ClientConnection(patienceMs)) {
      exchange.connect(socket);
      exchange.send(request(ask, arguments));
      return Optional.of(exchange.receive());
    } catch (ConnectException nobodyListens) {
      return Optional.empty();
    } catch (IOException problem) {
      throw silent(runDir, problem);
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

  private static AgentException silent(Path runDir, IOException problem) {
    return new AgentException(
        "%s: the agent does not answer (%s): see its log, journalctl -u schedgpu-agent"
            .formatted(socket(runDir), problem.getMessage()),
        problem);
  }

  private static PrintedAnswer printed(Path runDir, byte[] bytes) {
    int line = 0;
    while (line < bytes.length && bytes[line] != '\n') {
      line++;
    }
    try {
      String head = new String(bytes, 0, line, StandardCharsets.UTF_8);
      boolean sound = Boolean.TRUE.equals(document(head).get("sound"));
      int length = bytes.length - line - 2;
      if (length < 0 || bytes[bytes.length - 1] != Answers.END) {
        throw new IOException("its answer is cut off");
      }
      return new PrintedAnswer(sound, new ReceivedText(bytes, line + 1, length));
    } catch (IOException problem) {
      throw silent(runDir, problem);
    }
  }

  private static Map<String, Object> document(String text) throws IOException {
    if (text.isEmpty()) {
      throw new IOException("it closed the connection");
    }
    Map<String, Object> document = JsonValues.object(text);
    if (document.get("error") instanceof String why) {
      throw new AgentException("the agent: " + why);
    }
    return document;
  }

  @SuppressWarnings("unchecked") // JSON objects become maps with texts as keys
  private static Map<String, Object> answer(String text) throws IOException {
    if (document(text).get("answer") instanceof Map<?, ?> answer) {
      return (Map<String, Object>) answer;
    }
    throw new IOException("its answer is none");
  }
}
