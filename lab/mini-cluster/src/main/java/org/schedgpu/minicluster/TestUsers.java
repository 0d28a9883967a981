package org.schedgpu.minicluster;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Real users for tests, made with useradd and removed with userdel, which need root. A user that
 * existed before is used as it is and stays. JVMs that run at the same time may use the same user:
 * each holds a shared lock on a file of that name, and the last one removes the user, when its JVM
 * ends at the latest. Thread-safe.
 */
public final class TestUsers {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,30}");

  /** A file for each user that tests made; it outlives a JVM that was killed, as the user does. */
  private static final Path MADE = Path.of("/tmp/mini-cluster-users");

  private static final Map<String, FileChannel> IN_USE = new HashMap<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(TestUsers::removeAll, "test-users-remover"));
  }

  private TestUsers() {}

  /**
   * The user with this name, made if it does not exist: with its own group, /bin/sh, no home
   * folder.
   *
   * @throws IllegalArgumentException if the name is not 1-31 lower-case letters, digits or dashes
   * @throws MiniClusterException if useradd fails
   */
  public static synchronized TestUser ensure(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "mini-cluster: user name '" + name + "': use lower-case letters and digits");
    }
    try (FileChannel all = openAll()) {
      all.lock();
      boolean exists = CommandRunner.run("id", "-u", name).ok();
      if (!exists) {
        CommandRunner.run("useradd", "--no-create-home", "--user-group", "--shell", "/bin/sh", name)
            .orThrow();
      }
      boolean first = (!exists || Files.exists(MADE.resolve(name))) && !IN_USE.containsKey(name);
      if (first) {
        FileChannel file = open(name);
        file.lock(0, Long.MAX_VALUE, true);
        IN_USE.put(name, file);
      }
      return new TestUser(name, id("-u", name), id("-g", name), first);
    } catch (IOException e) {
      throw new MiniClusterException("cannot lock the users of tests in " + MADE, e);
    }
  }

  private static void removeAll() {
    Set.copyOf(IN_USE.keySet()).forEach(TestUsers::remove);
  }

  /** Removes a user that tests made, unless another JVM uses it. */
  static synchronized void remove(String name) {
    FileChannel file = IN_USE.remove(name);
    if (file == null) {
      return;
    }
    try (FileChannel all = openAll()) {
      all.lock();
      file.close();
      try (FileChannel again = open(name)) {
        Optional<FileLock> alone = Optional.ofNullable(again.tryLock());
        if (alone.isPresent()) {
          CommandRunner.run("userdel", "--force", name).orThrow();
          Files.delete(MADE.resolve(name));
        }
      }
    } catch (IOException e) {
      throw new MiniClusterException("cannot remove the user " + name, e);
    }
  }

  /** One JVM at a time makes and removes users: with a lock on this, until it is closed. */
  private static FileChannel openAll() throws IOException {
    Files.createDirectories(MADE);
    return open("ALL");
  }

  private static FileChannel open(String name) throws IOException {
    return FileChannel.open(
        MADE.resolve(name),
        StandardOpenOption.CREATE,
        StandardOpenOption.READ,
        StandardOpenOption.WRITE);
  }

  /**
   * A number that {@code id} prints.
   *
   * @throws MiniClusterException if the user does not exist
   */
  static int id(String option, String name) {
    return Integer.parseInt(CommandRunner.run("id", option, name).orThrow().stdout().strip());
  }
}
