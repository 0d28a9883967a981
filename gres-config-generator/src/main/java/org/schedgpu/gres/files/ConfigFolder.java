package org.schedgpu.gres.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.schedgpu.gres.common.GresException;

/**
 * Puts the files of a plan into a folder. Each file is replaced completely or not at all: all new
 * content is on the disk under temporary names before the first rename. Only one writer at a time.
 */
public final class ConfigFolder {
  private static final Set<PosixFilePermission> NEW_FILE =
      PosixFilePermissions.fromString("rw-r--r--");

  private static final Set<String> OURS =
      Set.of(GresFiles.GRES_CONF, GresFiles.SLURM_CONF, GresFiles.DEVICES_CONF);

  /** Renames like {@link Files#move}; tests replace it by one that fails. */
  interface Renamer {
    void rename(Path from, Path to) throws IOException;
  }

  private final Path folder;
  private final Renamer renamer;

  /**
   * A folder for files.
   *
   * @param folder the folder to write to; made if it does not exist
   */
  public ConfigFolder(Path folder) {
    this(folder, (from, to) -> Files.move(from, to, StandardCopyOption.ATOMIC_MOVE));
  }

  ConfigFolder(Path folder, Renamer renamer) {
    this.folder = folder;
    this.renamer = renamer;
  }

  /**
   * Writes the three files.
   *
   * @param files the content of the files
   * @param force replace a gres.conf that schedGPU did not write
   * @return the files, in the order in which they were replaced
   * @throws GresException if schedGPU did not write the gres.conf in place and {@code force} is not
   *     set, or if a file cannot be written; the message names the files that were replaced
   */
  public List<Path> write(GresFiles files, boolean force) {
    Map<String, byte[]> bytes = new LinkedHashMap<>();
    files.byName().forEach((name, text) -> bytes.put(name, text.getBytes(StandardCharsets.UTF_8)));
    return write(bytes, force);
  }

  /**
   * As above, with files of the site among them. Those never replace a file with other content.
   *
   * @param files content by name; a name may lead into a subfolder
   */
  public List<Path> write(Map<String, byte[]> files, boolean force) {
    Map<Path, Path> temporaries = new LinkedHashMap<>();
    List<Path> replaced = new ArrayList<>();
    try {
      Files.createDirectories(folder);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        requireReplaceable(file.getKey(), file.getValue(), force);
      }
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Files.createDirectories(folder.resolve(file.getKey()).getParent());
        Path target = realTarget(folder.resolve(file.getKey()));
        temporaries.put(target, temporaryFor(target));
        store(temporaries.get(target), file.getValue());
      }
      for (Map.Entry<Path, Path> file : temporaries.entrySet()) {
        renamer.rename(file.getValue(), file.getKey());
        replaced.add(file.getKey());
      }
    } catch (IOException e) {
      throw failed(replaced, e);
    } finally {
      temporaries.values().forEach(ConfigFolder::deleteIfLeft);
    }
    return replaced;
  }

  private void requireReplaceable(String name, byte[] content, boolean force) throws IOException {
    Path file = folder.resolve(name);
    if (!Files.exists(file)) {
      return;
    }
    if (!Files.isRegularFile(file)) {
      throw new GresException(file + " is not a file", "move it away or use another folder");
    }
    boolean isOurs =
        OURS.contains(name)
            ? !name.equals(GresFiles.GRES_CONF)
                || Files.readString(file).startsWith(GresConfWriter.MARK)
            : Arrays.equals(Files.readAllBytes(file), content);
    if (!isOurs && !force) {
      throw new GresException(
          file + " was not written by schedgpu gres",
          "keep a copy and repeat with --force, or use another folder");
    }
  }

  /** The target of a link, so that the link itself stays; a link of another user is refused. */
  private static Path realTarget(Path file) throws IOException {
    if (Files.isSymbolicLink(file)) {
      Object owner = Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
      Object mine = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      if (!owner.equals(mine) && !owner.equals(0)) {
        throw new GresException(
            "%s is a link of user %s to %s".formatted(file, owner, Files.readSymbolicLink(file)),
            "remove it, or use another folder");
      }
    }
    return Files.exists(file) ? file.toRealPath() : file.toAbsolutePath();
  }

  /**
   * A temporary file with the mode of the target, in the same folder, because a rename is atomic
   * only there.
   */
  private static Path temporaryFor(Path target) throws IOException {
    Path temporary =
        Files.createTempFile(target.getParent(), "." + target.getFileName() + ".", ".tmp");
    Files.setPosixFilePermissions(
        temporary, Files.exists(target) ? Files.getPosixFilePermissions(target) : NEW_FILE);
    return temporary;
  }

  private static void store(Path file, byte[] content) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.wrap(content);
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  private GresException failed(List<Path> replaced, IOException e) {
    String state = replaced.isEmpty() ? "no file was replaced" : "replaced already: " + replaced;
    return new GresException(
        "folder %s cannot be written (%s), %s".formatted(folder, e, state),
        "make it writable, with room, and repeat",
        e);
  }

  private static void deleteIfLeft(Path temporary) {
    try {
      Files.deleteIfExists(temporary);
    } catch (IOException e) {
      // Report the first error; nothing reads a leftover .tmp file.
    }
  }
}
