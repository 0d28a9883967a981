package org.schedgpu.bench;

import java.util.List;

/** Output that a harness might print. */
final class Fixtures {
  static final Machine MACHINE =
      new Machine("Some CPU", 2, true, "6.1", "17", "2026-01-01T00:00:00Z", "emulated", 0.25);

  private static final List<String> LINES =
      List.of(
          measurement("reserve-release", "ns", 250, 300, 10),
          measurement("reserve-release-256-attached", "ns", 600, 700, 250),
          measurement("hand-off", "us", 22, 90, 20),
          measurement("queue-pass-fifo-1", "us", 0.05, 0.06, 0.01),
          measurement("queue-pass-fifo-1024", "us", 24, 30, 1),
          measurement("queue-pass-priority-mmu-1", "us", 0.07, 0.08, 0.01),
          measurement("queue-grant-fifo-1", "ns", 210, 240, 3),
          "{\"name\":\"kill-to-waiter-agent\",\"unit\":\"ms\",\"unmeasured\":\"no agent\"}",
          stage("ours", "initialisation", 40, 60),
          stage("file-lock", "initialisation", 25, 50),
          stage("ours", "total", 0.5, 60),
          stage("file-lock", "total", 30, 60));

  private Fixtures() {}

  static String measurement(String name, String unit, double p50, double p99, double limit) {
    return "{\"name\":\"%s\",\"unit\":\"%s\",\"p50\":%s,\"p99\":%s,\"limit\":%s,\"limitIs\":\"less\"}"
        .formatted(name, unit, p50, p99, limit);
  }

  private static String stage(String approach, String stage, double p50, double p99) {
    return "{\"approach\":\"%s\",\"stage\":\"%s\",\"unit\":\"us\",\"p50\":%s,\"p99\":%s}"
        .formatted(approach, stage, p50, p99);
  }

  static Findings findings() {
    Findings findings = new Findings();
    LINES.forEach(findings::addLine);
    return findings;
  }
}
