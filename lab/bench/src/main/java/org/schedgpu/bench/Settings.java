package org.schedgpu.bench;

import java.nio.file.Path;
import java.util.Map;

/**
 * The settings of the bench.
 *
 * @param root folder of the project
 * @param output folder of the results
 * @param quick only shows that everything works; the figures are meaningless
 */
record Settings(Path root, Path output, boolean quick) {
  /** {@code BENCH_QUICK=1} in the environment makes it quick. */
  static Settings of(Map<String, String> environment, Path root) {
    boolean quick = "1".equals(environment.get("BENCH_QUICK"));
    return new Settings(root, root.resolve("target/bench"), quick);
  }

  Path harness() {
    return root.resolve("lab/bench/target/native/schedgpu-bench");
  }

  Path coreLibrary() {
    return root.resolve("libschedgpu/target/native/libschedgpu-core.so");
  }

  Path library() {
    return root.resolve("libschedgpu/target/native/libschedgpu.so");
  }
}
