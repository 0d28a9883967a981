package org.schedgpu.gpucheck;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * On which kernel does the check run? A sandbox such as gVisor has a kernel of its own, whose locks
 * and /proc may differ from Linux's, on which schedGPU relies.
 */
final class HostCheck {
  private HostCheck() {}

  /** Shows the kernel, and judges what the program says. */
  static void run(Check check) throws InterruptedException {
    Command.Result result =
        check.run(
            List.of(check.bundle().program("host_program").toString()),
            check.machine().environment());
    Map<String, String> facts = new LinkedHashMap<>();
    for (String line : result.output().lines().toList()) {
      String[] words = line.split("\t", 2);
      facts.put(words[0], words[words.length - 1]);
    }
    String kernel = facts.remove("kernel");
    String sandbox = facts.remove("sandbox");
    check
        .findings()
        .measured(
            "the host",
            "%s; %s".formatted(kernel, sandbox),
            Map.of("kernel", "" + kernel, "sandbox", "" + sandbox));
    String wrong =
        facts.entrySet().stream()
            .filter(fact -> !fact.getValue().equals("ok"))
            .map(fact -> fact.getKey() + ": " + fact.getValue())
            .collect(Collectors.joining("; "));
    check
        .findings()
        .judged(
            "locks and /proc of the host",
            result.isSuccess() && wrong.isEmpty(),
            wrong.isEmpty() ? String.join(", ", facts.keySet()) + " as on Linux" : wrong,
            facts);
  }
}
