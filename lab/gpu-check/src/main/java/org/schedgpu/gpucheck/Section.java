package org.schedgpu.gpucheck;

/** A part of the suite. {@link Plan} has their order and their time. */
interface Section {
  /** One word, for {@code --only}, tables and JSON. */
  String name();

  /** Its question, for people. */
  String question();

  /**
   * Does the checks and adds their findings.
   *
   * @throws CheckException if it cannot go on
   */
  void run(Check check) throws InterruptedException;
}
