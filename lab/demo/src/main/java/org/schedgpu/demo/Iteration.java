package org.schedgpu.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * An iteration of a training, in ns of CLOCK_MONOTONIC.
 *
 * @param askedNs when it asked for the turn
 * @param begunNs when it had it
 * @param endedNs when its kernel had ended and its memory was free, before it gave the turn away
 */
public record Iteration(long askedNs, long begunNs, long endedNs) {
  private static final double NS = 1e9;

  /**
   * Reads what a training wrote.
   *
   * @throws DemoException if a line is no iteration, or the file cannot be read
   */
  static List<Iteration> read(Path file) {
    try {
      return Files.readAllLines(file).stream().map(Iteration::parse).toList();
    } catch (IOException e) {
      throw new DemoException("cannot read " + file, e);
    }
  }

  static Iteration parse(String line) {
    String[] words = line.split(" ", -1);
    try {
      Iteration iteration =
          new Iteration(
              Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
      if (words.length == 3 && iteration.isOrdered()) {
        return iteration;
      }
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      // said below
    }
    throw new DemoException("a training wrote '" + line + "', which is no iteration");
  }

  private boolean isOrdered() {
    return askedNs <= begunNs && begunNs <= endedNs;
  }

  double waitSeconds() {
    return (begunNs - askedNs) / NS;
  }

  /** Which part of it, 0 to 1, is between two times. */
  public double part(long fromNs, long toNs) {
    long length = Math.max(1, endedNs - begunNs);
    return Math.max(0, Math.min(endedNs, toNs) - Math.max(begunNs, fromNs)) / (double) length;
  }
}
