package org.schedgpu.minicluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Daemons are children of this JVM, so a shell command cannot restart them itself: its script puts
 * a request into a folder and waits for the answer.
 */
final class RestartRequests implements AutoCloseable {
  private static final long POLL_MS = 20;
  private static final String REQUEST = ".request";
  private static final String SCRIPT =
      """
      #!/bin/sh
      # restart slurmctld | restart NODE
      request=$(mktemp -u %1$s/XXXXXXXX)
      echo "$1" > "$request.new"
      mv "$request.new" "$request.request"
      until [ -e "$request.answer" ]; do sleep 0.02; done
      read -r answer < "$request.answer"
      [ "$answer" = done ] || { cat "$request.answer"; exit 1; }
      """;

  private final Path folder;
  private final Consumer<String> restart;
  private final Thread thread = new Thread(this::serve, "mini-cluster-restarts");
  private volatile boolean closed;

  /**
   * @param folder an empty one, of its own
   * @param restart restarts slurmctld or a node's slurmd, by name
   */
  RestartRequests(Path folder, Consumer<String> restart) {
    this.folder = folder;
    this.restart = restart;
    thread.setDaemon(true);
  }

  Path start() {
    Path script = folder.resolve("restart");
    try {
      DirectoryTrees.create(folder, "rwx------");
      Files.writeString(script, SCRIPT.formatted(folder));
      Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    } catch (IOException e) {
      throw new MiniClusterException("cannot make " + script, e);
    }
    thread.start();
    return script;
  }

  private void serve() {
    try {
      while (!closed) {
        for (Path request : requests()) {
          answer(request);
        }
        Thread.sleep(POLL_MS);
      }
    } catch (IOException | InterruptedException e) {
      // The cluster closes and takes the folder away.
    }
  }

  private List<Path> requests() throws IOException {
    try (Stream<Path> all = Files.list(folder)) {
      return all.filter(path -> path.toString().endsWith(REQUEST)).sorted().toList();
    }
  }

  private void answer(Path request) throws IOException {
    String name = Files.readString(request).strip();
    Files.delete(request);
    String answer = "done";
    try {
      restart.accept(name);
    } catch (MiniClusterException | IllegalArgumentException e) {
      answer = String.valueOf(e.getMessage());
    }
    String base = request.toString().substring(0, request.toString().length() - REQUEST.length());
    Path fresh = Path.of(base + ".fresh");
    Files.write(fresh, (answer + "\n").getBytes(StandardCharsets.UTF_8));
    Files.move(fresh, Path.of(base + ".answer"), StandardCopyOption.ATOMIC_MOVE);
  }

  @Override
  public void close() {
    closed = true;
  }
}
