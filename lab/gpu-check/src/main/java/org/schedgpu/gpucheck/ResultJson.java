package org.schedgpu.gpucheck;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;

/** {@code result.json}: all results, for programs. */
final class ResultJson {
  private static final int VERSION = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private ResultJson() {}

  static String of(Run.Result result, Instant when) {
    ObjectNode root = MAPPER.createObjectNode();
    root.put("version", VERSION);
    root.put("when", when.toString());
    root.put("emulated", result.machine().emulated());
    root.set("machine", machine(result.machine()));
    ObjectNode frameworks = root.putObject("frameworks");
    result
        .frameworks()
        .all()
        .forEach(
            (name, framework) ->
                frameworks
                    .putObject(name)
                    .put("version", framework.version())
                    .put("reason", framework.reason()));
    ArrayNode sections = root.putArray("sections");
    for (Run.Spent one : result.spent()) {
      sections
          .addObject()
          .put("name", one.section())
          .put("seconds", one.seconds())
          .put("ofSeconds", one.ofSeconds());
    }
    ArrayNode findings = root.putArray("findings");
    for (Finding finding : result.findings()) {
      ObjectNode node = findings.addObject();
      node.put("section", finding.section());
      node.put("check", finding.check());
      node.put("outcome", finding.outcome().word());
      node.put("result", finding.result());
      node.set("figures", MAPPER.valueToTree(finding.figures()));
    }
    try {
      return MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n";
    } catch (JsonProcessingException e) {
      throw new CheckException("cannot write the result as JSON", e);
    }
  }

  private static ObjectNode machine(Machine machine) {
    ObjectNode node = MAPPER.createObjectNode();
    node.put("name", machine.name());
    node.put("uuid", machine.uuid());
    node.put("driver", machine.driverVersion());
    node.put("cuda", machine.cudaVersion());
    node.put("totalBytes", machine.totalBytes());
    node.put("reservedBytes", machine.reservedBytes());
    node.put("contextBytes", machine.contextBytes());
    node.put("processors", machine.processors());
    node.put("kernel", System.getProperty("os.version"));
    return node;
  }
}
