package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * A disk on which the run ends at one of its points: before and after each operation, and in the
 * middle of each write. After that nothing can be done, as with a killed process.
 */
final class StoppingDisk extends Disk {
  /** The end of the run. An Error, so that no handler of failures takes it for one. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** How the end appears to the run. */
  interface End {
    void come() throws IOException;
  }

  private final int stopAt;
  private final int stopUntil;
  private final End end;
  private final Runnable observer;
  private int points;

  private StoppingDisk(int stopAt, int stopUntil, End end, Runnable observer) {
    this.stopAt = stopAt;
    this.stopUntil = stopUntil;
    this.end = end;
    this.observer = observer;
  }

  /**
   * Ends the run at a point, from 1.
   *
   * @param observer is called at every point
   */
  static StoppingDisk killedAt(int point, Runnable observer) {
    return new StoppingDisk(
        point,
        Integer.MAX_VALUE,
        () -> {
          throw new Killed();
        },
        observer);
  }

  /** A disk that is full at the points of a range. */
  static StoppingDisk fullAt(int first, int last, Runnable observer) {
    return new StoppingDisk(
        first,
        last,
        () -> {
          throw new IOException("No space left on device");
        },
        observer);
  }

  int points() {
    return points;
  }

  boolean wasReached() {
    return points >= stopAt;
  }

  private void point() throws IOException {
    observer.run();
    points++;
    if (points >= stopAt && points <= stopUntil) {
      end.come();
    }
  }

  private void around(End operation) throws IOException {
    point();
    operation.come();
    point();
  }

  @Override
  void write(Path file, byte[] content) throws IOException {
    around(
        () -> {
          super.write(file, Arrays.copyOf(content, content.length / 2));
          point();
          Files.delete(file);
          super.write(file, content);
        });
  }

  @Override
  void own(Path file, FileState state) throws IOException {
    around(() -> super.own(file, state));
  }

  @Override
  void sync(Path fileOrFolder) throws IOException {
    around(() -> super.sync(fileOrFolder));
  }

  @Override
  void rename(Path from, Path to) throws IOException {
    around(() -> super.rename(from, to));
  }

  @Override
  void delete(Path file) throws IOException {
    around(() -> super.delete(file));
  }

  @Override
  void makeFolder(Path folder) throws IOException {
    around(() -> super.makeFolder(folder));
  }
}
