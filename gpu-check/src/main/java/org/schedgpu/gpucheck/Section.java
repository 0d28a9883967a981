package org.schedgpu.gpucheck;

/** A part of the suite. The most important sections come first. */
interface Section {
  /** One word, for {@code --only}, tables and JSON. */
  String name();

  /** Its question, for people. */
  String question();

  /** Its part of the whole time, relative to the others. */
  int share();

  /**
   * Does the checks and adds their findings.
   *
   * @throws CheckException if it cannot go on
   */
  void run(Check check) throws InterruptedException;
}
