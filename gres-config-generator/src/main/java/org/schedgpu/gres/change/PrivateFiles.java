package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Files in {@code schedgpu-backup}, beside the backups. Only their owner may read them. Each is
 * replaced atomically and is on the disk when the call returns. The caller makes sure that only one
 * process writes.
 */
public final class PrivateFiles {
  private final Path folder;
  private final Disk disk = new Disk();

  /**
   * @param configFolder the folder of slurm.conf
   */
  public PrivateFiles(Path configFolder) {
    folder = configFolder.resolve(BackupStore.FOLDER);
  }

  public Path folder() {
    return folder;
  }

  /**
   * Reads a file.
   *
   * @return empty if there is none
   * @throws org.schedgpu.gres.common.GresException if it cannot be read
   */
  public Optional<byte[]> read(String name) {
    Path file = folder.resolve(name);
    try {
      return Files.exists(file) ? Optional.of(Files.readAllBytes(file)) : Optional.empty();
    } catch (IOException e) {
      throw DiskProblem.of("file " + file + " cannot be read", e);
    }
  }

  /**
   * Replaces a file, and makes the folder if it does not exist.
   *
   * @throws org.schedgpu.gres.common.GresException if that fails; then the file is unchanged
   */
  public void write(String name, byte[] content) {
    Path file = folder.resolve(name);
    Path fresh = folder.resolve(name + ".new");
    try {
      makeFolder();
      disk.write(fresh, content);
      disk.sync(fresh);
      disk.rename(fresh, file);
      disk.sync(folder);
    } catch (IOException e) {
      throw DiskProblem.of("file " + file + " cannot be written", e);
    }
  }

  /**
   * Runs {@code work} while holding a lock file of the folder, so that no other process does the
   * same.
   *
   * @param lockName name of the lock file
   * @throws org.schedgpu.gres.common.GresException if another process holds the lock
   */
  public <T> T alone(String lockName, java.util.function.Supplier<T> work) {
    try {
      makeFolder();
    } catch (IOException e) {
      throw DiskProblem.of("folder " + folder + " cannot be made", e);
    }
    return RunLock.holding(folder, lockName, work);
  }

  private void makeFolder() throws IOException {
    if (!Files.isDirectory(folder)) {
      disk.makeFolder(folder);
      disk.sync(folder.getParent());
    }
  }
}
