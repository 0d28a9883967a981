package org.schedgpu.minicluster;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/**
 * Real users for tests, made with useradd and removed with userdel, which need root. A user that
 * existed before is used as it is and stays. Users that were made here are also removed when the
 * JVM ends. Two JVMs that run at the same time should use different names. Thread-safe.
 */
public final class TestUsers {
  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9-]{0,30}");
  private static final Set<String> MADE = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> MADE.forEach(TestUsers::remove), "test-users-remover"));
  }

  private TestUsers() {}

  /**
   * The user with this name, made if it does not exist: with its own group, /bin/sh, no home
   * folder.
   *
   * @throws IllegalArgumentException if the name is not 1-31 lower-case letters, digits or dashes
   * @throws MiniClusterException if useradd fails
   */
  public static TestUser ensure(String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "mini-cluster: user name '" + name + "': use lower-case letters and digits");
    }
    boolean create = !CommandRunner.run("id", "-u", name).ok();
    if (create) {
      CommandRunner.run("useradd", "--no-create-home", "--user-group", "--shell", "/bin/sh", name)
          .orThrow();
      MADE.add(name);
    }
    return new TestUser(name, id("-u", name), id("-g", name), create);
  }

  static void remove(String name) {
    if (MADE.remove(name)) {
      CommandRunner.run("userdel", "--force", name).orThrow();
    }
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
