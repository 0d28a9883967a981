package org.schedgpu.agent.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.schedgpu.agent.TestNode;
import org.schedgpu.agent.jobs.JobsQuestion;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.PrintedAnswer;
import org.schedgpu.agent.status.StatusQuestion;
import org.schedgpu.agent.text.JsonFields;
import org.schedgpu.agent.text.Style;
import org.schedgpu.jna.SchedGpu;

/** A killed {@code schedgpu run} on a node without an agent: its job is not reaped yet. */
class KilledRunTest {
  @TempDir Path folder;
  private TestNode node;

  @BeforeEach
  void startNode() throws Exception {
    node = new TestNode(folder);
    node.makeRegion();
  }

  @AfterEach
  void stopNode() throws Exception {
    node.close();
  }

  @Test
  void itsJobIsShownAsDead() throws Exception {
    Path log = folder.resolve("holder.log");
    Process run = node.startHolder(log, "6G");
    TestNode.await(log, "holds", 1, run);
    try (SchedGpu region = SchedGpu.open(node.runDir())) {
      assertEquals("running", job(region).text("state"));
      assertTrue(statusOf(region, true).contains("\"dead\": false"), statusOf(region, true));
      run.destroyForcibly();
      assertTrue(run.waitFor(1, TimeUnit.MINUTES));
      assertEquals("dead", job(region).text("state"));
      assertTrue(statusOf(region, true).contains("\"dead\": true"), statusOf(region, true));
      assertTrue(statusOf(region, false).contains(" dead "), statusOf(region, false));
    }
  }

  private JsonFields job(SchedGpu region) {
    return new JsonFields(JobsQuestion.answer(region, Principal.root(), node.runDir()))
        .list("jobs")
        .get(0);
  }

  private String statusOf(SchedGpu region, boolean json) throws Exception {
    Map<String, Object> arguments = StatusQuestion.arguments(json, new Style(false));
    PrintedAnswer printed =
        StatusQuestion.answer(
            region, node.runDir(), arguments, Principal.root(), StatusQuestion.remembered(), true);
    java.io.StringWriter text = new java.io.StringWriter();
    printed.text().writeTo(text);
    return text.toString();
  }
}
