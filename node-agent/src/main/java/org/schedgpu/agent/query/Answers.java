package org.schedgpu.agent.query;

import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.IntFunction;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.agent.server.AnswerBuffer;
import org.schedgpu.agent.server.Protocol;
import org.schedgpu.agent.text.JsonText;
import org.schedgpu.agent.text.JsonValues;
import org.schedgpu.jna.Nvml.NvmlException;
import org.schedgpu.jna.SchedGpuException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Questions, a line of JSON each, and the bytes of their answers. The bytes of a request may be
 * anything. One thread answers long questions and one short ones.
 */
final class Answers implements Protocol {
  static final long VERSION = 1;
  static final int MAX_BYTES = 2 << 20;
  private static final int MAX_REQUEST_BYTES = 4096;
  private static final int SHORT = 0;
  private static final int LONG = 1;

  /** Marks the end of a printed text; without it the text was cut off. */
  static final byte END = 0;

  private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

  private final Map<String, Question> questions;
  private final IntFunction<Principal> viewers;

  Answers(Map<String, Question> questions, IntFunction<Principal> viewers) {
    this.questions = Map.copyOf(questions);
    this.viewers = viewers;
  }

  @Override
  public List<String> threads() {
    return List.of("query-short", "query-long");
  }

  @Override
  public void prepare(int thread) {
    for (Question question : questions.values()) {
      if (question.isLong() == (thread == LONG)) {
        try {
          question.prepare();
        } catch (RuntimeException whoAsksIsTold) {
          LOG.debug("query socket: a question was not prepared", whoAsksIsTold);
        }
      }
    }
  }

  /** Also unknown questions are short. */
  @Override
  public int thread(byte[] request) {
    try {
      return question(parse(request)).isLong() ? LONG : SHORT;
    } catch (AgentException told) {
      return SHORT;
    }
  }

  @Override
  public int maxRequestBytes() {
    return MAX_REQUEST_BYTES;
  }

  @Override
  public int length(byte[] received) {
    for (int i = 0; i < received.length; i++) {
      if (received[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  @Override
  public AnswerBuffer tooLong() {
    return refusal("the request has more than " + MAX_REQUEST_BYTES + " bytes");
  }

  @Override
  public AnswerBuffer answer(byte[] request, int uid) {
    try {
      Map<String, Object> asked = parse(request);
      Object found = question(asked).answer(asked, viewers.apply(uid));
      Map<String, Object> answer = new LinkedHashMap<>();
      answer.put("version", VERSION);
      if (found instanceof PrintedAnswer printed) {
        answer.put("sound", printed.sound());
        return bytes(answer, printed.text());
      }
      answer.put("answer", found);
      return bytes(answer, null);
    } catch (AgentException | SchedGpuException | NvmlException told) {
      return refusal(told.getMessage());
    } catch (RuntimeException defect) {
      LOG.error("query socket: this is a defect, please report it", defect);
      return refusal("the agent failed: its log says how");
    }
  }

  private static Map<String, Object> parse(byte[] request) {
    Map<String, Object> asked;
    try {
      asked = JsonValues.object(new String(request, StandardCharsets.UTF_8));
    } catch (IOException notJson) {
      throw new AgentException("the request is no JSON object in one line");
    }
    if (!Long.valueOf(VERSION).equals(asked.get("version"))) {
      throw new AgentException(
          "the request is of version %s, the agent of %d: install schedgpu and the agent of one version"
              .formatted(asked.get("version"), VERSION));
    }
    return asked;
  }

  private Question question(Map<String, Object> asked) {
    Object name = asked.get("ask");
    Question question = name instanceof String ? questions.get(name) : null;
    if (question == null) {
      throw new AgentException(
          "there is no question '%s': ask one of %s"
              .formatted(name, String.join(", ", new TreeSet<>(questions.keySet()))));
    }
    return question;
  }

  @Override
  public AnswerBuffer refusal(String why) {
    Map<String, Object> answer = new LinkedHashMap<>();
    answer.put("version", VERSION);
    answer.put("error", why);
    return bytes(answer, null);
  }

  /**
   * The answer in one line.
   *
   * @param printed the text that follows it, or null
   */
  private static AnswerBuffer bytes(Map<String, Object> answer, PrintedAnswer.Text printed) {
    AnswerBuffer bytes = new AnswerBuffer(MAX_BYTES);
    boolean whole = false;
    try {
      Writer text = new OutputStreamWriter(bytes, StandardCharsets.UTF_8);
      JsonText.writeLine(text, answer);
      text.write('\n');
      if (printed != null) {
        printed.writeTo(text);
        text.write(END);
      }
      text.flush();
      whole = true;
      return bytes;
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    } finally {
      if (!whole) {
        bytes.discard();
      }
    }
  }
}
