package org.schedgpu.agent.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import sun.misc.Signal;

class SignalsTest {
  private static final int TERMINATED = 143;

  private static Process sleeper() throws IOException {
    return new ProcessBuilder("sleep", "60").start();
  }

  /** If nobody caught it this would be the end of all tests. */
  @Test
  void theCommandGetsWhatCameBeforeItRan() throws IOException, InterruptedException {
    assertEquals(
        TERMINATED,
        Signals.forward(
            () -> {
              Signal.raise(new Signal("TERM"));
              return sleeper();
            }));
  }

  @Test
  void theCommandGetsWhatCameAsItWasStarted() throws IOException, InterruptedException {
    assertEquals(
        TERMINATED,
        Signals.forward(
            () -> {
              Process command = sleeper();
              Signal.raise(new Signal("TERM"));
              return command;
            }));
  }
}
