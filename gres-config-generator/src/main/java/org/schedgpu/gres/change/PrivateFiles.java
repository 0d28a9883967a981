package org.schedgpu.gres.change;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Files beside the backups, in {@code schedgpu-backup}: for their owner only, each replaced as a
 * whole, on the disk when the call returns. The caller keeps two from writing at once.
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
   * Replaces a file, and makes the folder if it is not there.
   *
   * @throws org.schedgpu.gres.common.GresException if that fails; the file is what it was then
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
   * Does something while no other process does it, by a lock file of the folder.
   *
   * @param lockName of the file
   * @throws org.schedgpu.gres.common.GresException if another process is at it
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
