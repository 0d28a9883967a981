package org.schedgpu.agent;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.history.HistoryQuestion;
import org.schedgpu.agent.history.HistoryStore;
import org.schedgpu.agent.history.SamplesQuestion;
import org.schedgpu.agent.history.UsageQuestion;
import org.schedgpu.agent.jobs.JobsQuestion;
import org.schedgpu.agent.query.Question;
import org.schedgpu.agent.region.RegionAccess;
import org.schedgpu.agent.report.ReportQuestion;
import org.schedgpu.agent.status.StatusQuestion;
import org.schedgpu.agent.suggest.LearnedQuestion;
import org.schedgpu.agent.suggest.NodeSizes;
import org.schedgpu.agent.suggest.SuggestQuestion;
import org.schedgpu.agent.top.TopQuestion;

/** The questions that users may ask the agent. To add a question, add a line here. */
final class Questions {
  private Questions() {}

  /**
   * @param access to the region, of the thread that answers short questions
   * @param forLong the same for long questions
   * @param conf gives the current configuration
   */
  static Map<String, Question> of(RegionAccess access, RegionAccess forLong, Supplier<Conf> conf) {
    Supplier<Path> history = () -> conf.get().historyFile();
    Map<String, Question> questions = new LinkedHashMap<>();
    questions.put("status", new StatusQuestion(access));
    questions.put("top", new TopQuestion(forLong, history));
    questions.put("jobs", new JobsQuestion(access));
    questions.put("history", new HistoryQuestion(history));
    questions.put("usage", new UsageQuestion(history));
    questions.put("samples", new SamplesQuestion(history));
    questions.put(
        ReportQuestion.NAME,
        new ReportQuestion(history, () -> NodeSizes.of(forLong).contextBytes()));
    SuggestQuestion suggest =
        new SuggestQuestion(
            () ->
                HistoryStore.open(history.get())
                    .map(store -> store.limit(HistoryStore.QUESTION_NS)),
            () -> NodeSizes.of(forLong));
    questions.put("suggest", suggest);
    questions.put("learned", new LearnedQuestion(suggest));
    return questions;
  }
}
