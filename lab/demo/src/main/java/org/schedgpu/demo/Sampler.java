package org.schedgpu.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** Collects the output of gpu-sampler until it is closed. Thread-safe. */
final class Sampler implements AutoCloseable {
  private static final Sample NONE = new Sample(0, 0, 0, -1);
  private static final int END_SECONDS = 5;

  private final Process process;
  private final List<Sample> samples = new CopyOnWriteArrayList<>();
  private final Thread reader = new Thread(this::read, "sampler");

  Sampler(Process process) {
    this.process = process;
    reader.setDaemon(true);
    reader.start();
  }

  /** The newest sample. */
  Sample latest() {
    return samples.isEmpty() ? NONE : samples.get(samples.size() - 1);
  }

  /** Ends the sampler with a last sample; returns all samples. */
  List<Sample> finish() {
    close();
    return List.copyOf(samples);
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.US_ASCII)) {
      String line = lines.readLine();
      while (line != null) {
        samples.add(Sample.parse(line));
        line = lines.readLine();
      }
    } catch (IOException e) {
      // The sampler was killed, so there will be no more output.
    }
  }

  /** Takes a last sample and ends the sampler. */
  @Override
  public void close() {
    try {
      process.getOutputStream().close();
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      reader.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
    } catch (IOException e) {
      process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
