package org.schedgpu.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.schedgpu.demo.JobResult.Outcome;

/** result.json: the results of the demo, in seconds of the paper's test-bed. */
final class ResultJson {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ResultJson() {}

  static void write(Path file, double scale, Workload workload, List<RunResult> runs) {
    try {
      JSON.writeValue(file.toFile(), tree(scale, workload, runs));
    } catch (IOException e) {
      throw new DemoException("cannot write " + file, e);
    }
  }

  static ObjectNode tree(double scale, Workload workload, List<RunResult> runs) {
    ObjectNode root = JSON.createObjectNode();
    root.put("scale", scale);
    root.put("device", workload.device());
    root.put("emulated", true);
    workload.bounds().ifPresent(bounds -> root.set("bounds", JSON.valueToTree(bounds)));
    ArrayNode list = root.putArray("runs");
    runs.forEach(run -> list.add(run(run)));
    return root;
  }

  private static ObjectNode run(RunResult run) {
    ObjectNode node = JSON.createObjectNode();
    node.put("name", run.kind().word());
    node.put("jobs", run.jobs().size());
    node.put("completed", run.count(Outcome.COMPLETED));
    node.put("oom", run.count(Outcome.OUT_OF_MEMORY));
    node.put("totalSeconds", rounded(run.totalSeconds()));
    node.put("gpuUtilisationPercent", rounded(run.gpuUtilisationPercent()));
    node.put("memoryUsedPercent", rounded(run.memoryUsedPercent()));
    if (run.exactBusyPercent() >= 0) {
      node.put("exactBusyPercent", rounded(run.exactBusyPercent()));
    }
    ArrayNode jobs = node.putArray("jobDetails");
    run.jobs().forEach(job -> jobs.add(job(job)));
    return node;
  }

  private static ObjectNode job(JobResult job) {
    ObjectNode node = JSON.createObjectNode();
    node.put("name", job.name());
    node.put("outcome", job.outcome().name());
    node.put("startSeconds", rounded(job.run().from()));
    node.put("endSeconds", rounded(job.run().to()));
    node.put("waitSeconds", rounded(job.waitSeconds()));
    node.put("slowedSeconds", rounded(job.slowedSeconds()));
    node.put("waits", job.waits());
    return node;
  }

  private static double rounded(double value) {
    return Math.round(value * 100) / 100.0;
  }
}
