package org.schedgpu.agent.task;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.OptionalLong;
import java.util.Set;
import org.schedgpu.agent.problem.AgentException;

/**
 * One agent for each run directory: a lock on {@code RunDir/agent.lock}, which the kernel releases
 * when the process ends, however it ends. The file contains the pid and is never removed: removing
 * it could let a second agent start.
 */
public final class AgentLock implements AutoCloseable {
  private static final String FILE = "agent.lock";
  private static final int MAX_TEXT = 32;

  private final Path runDir;
  private final FileChannel channel;

  private AgentLock(Path runDir, FileChannel channel) {
    this.runDir = runDir;
    this.channel = channel;
  }

  /** Takes the lock, or names the process that has it. Makes the folder if it is missing. */
  public static AgentLock take(Path runDir) {
    Path file = runDir.resolve(FILE);
    try {
      makeFolder(runDir);
      FileChannel channel = open(file);
      if (channel.tryLock() == null) {
        String pid = read(channel);
        channel.close();
        throw new AgentException(
            "%s: an agent looks after it already, process %s: end that one first"
                .formatted(runDir, pid));
      }
      write(channel);
      return new AgentLock(runDir, channel);
    } catch (IOException problem) {
      throw new AgentException(
          "%s: cannot be locked (%s): start the agent as root".formatted(file, problem), problem);
    }
  }

  /**
   * Returns the pid of the agent of a run directory; empty if no agent runs. Does not take the
   * lock: an agent that starts at that moment would believe that another agent holds it.
   *
   * @throws IOException if the lock cannot be examined
   */
  public static OptionalLong holder(Path runDir) throws IOException {
    Path file = runDir.resolve(FILE);
    return Files.exists(file) ? FileLocks.writer(file) : OptionalLong.empty();
  }

  private static void makeFolder(Path runDir) throws IOException {
    if (!Files.isDirectory(runDir)) {
      Files.createDirectory(runDir);
      Files.setPosixFilePermissions(runDir, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(
        file,
        Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            LinkOption.NOFOLLOW_LINKS),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--")));
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer text = ByteBuffer.allocate(MAX_TEXT);
    channel.read(text, 0);
    return new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII).strip();
  }

  private static void write(FileChannel channel) throws IOException {
    byte[] text = (ProcessHandle.current().pid() + "\n").getBytes(StandardCharsets.US_ASCII);
    channel.truncate(0);
    channel.write(ByteBuffer.wrap(text), 0);
  }

  /** The folder that only this agent uses. */
  public Path runDir() {
    return runDir;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException ofNoInterest) {
      return;
    }
  }
}
