package org.schedgpu.agent.overrun;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.schedgpu.agent.user.ShareOwners;
import org.schedgpu.jna.UserFiles;

/** Finds in /proc why the preload library does not see a program's allocations. */
public enum UncaughtProgram {
  STATIC("it is linked statically", Advice.GATE),
  SETUID("it is setuid or setgid", Advice.SYSTEM_WIDE + ", or " + Advice.GATE),
  NOT_LOADED(
      "libschedgpu-preload.so is not loaded into it (LD_PRELOAD was changed, or a container)",
      Advice.SYSTEM_WIDE + "; in a container " + Advice.PROXY),
  LOADED(
      "its CUDA context takes more than ContextBytes, or it loads the driver with RTLD_DEEPBIND"
          + " or dlmopen",
      "set ContextBytes of devices.conf to what a context takes, or " + Advice.PROXY),
  UNKNOWN("why cannot be seen by this user", "try as root");

  /** The advice for such programs: docs/how-to/without-preload.md. */
  private static final class Advice {
    static final String GATE =
        "run it in mode gate with a budget: --schedgpu-mode=gate --schedgpu-mem=SIZE";
    static final String GATE_OF_RUN =
        "run it in mode gate with a budget: schedgpu run --mode gate --mem SIZE";
    static final String SYSTEM_WIDE =
        "name the library in /etc/ld.so.preload, which no user can unset";
    static final String PROXY = "put the proxy libcuda.so.1 first on its library path";
  }

  private static final String PRELOAD = "/libschedgpu-preload";
  private static final String DRIVER = "/libcuda.so";
  private static final String OURS = "schedgpu";
  private static final int SET_ID_BITS = 06000;

  /** Frameworks have thousands of mappings, of some hundred bytes each. */
  private static final int MAX_MAPS_BYTES = 1 << 20;

  private final String reason;
  private final String todo;

  UncaughtProgram(String reason, String todo) {
    this.reason = reason;
    this.todo = todo;
  }

  String reason() {
    return reason;
  }

  /** The reason for a program that is not attached at all, whatever its contexts take. */
  String silent() {
    return this == LOADED
        ? "it lost SCHEDGPU_JOB, or loads the driver with RTLD_DEEPBIND or dlmopen"
        : reason;
  }

  /**
   * What its user can do.
   *
   * @param ofRun true for a job of {@code schedgpu run}, false for one of Slurm
   */
  String forUser(boolean ofRun) {
    String gate = ofRun ? Advice.GATE_OF_RUN : Advice.GATE;
    return switch (this) {
      case NOT_LOADED -> "leave LD_PRELOAD as it is, in a container bind the library, or " + gate;
      case LOADED -> "leave the variables SCHEDGPU_* as they are, or " + gate;
      case STATIC, SETUID, UNKNOWN -> gate;
    };
  }

  String todo() {
    return todo;
  }

  /**
   * @param uid its user
   * @param process its folder in /proc
   */
  static UncaughtProgram of(int uid, Path process) {
    try {
      return UserFiles.shared().inTime(ShareOwners.ofMachine().of(uid), () -> of(process));
    } catch (IOException denied) {
      return UNKNOWN;
    }
  }

  private static UncaughtProgram of(Path process) throws IOException {
    Path program = process.resolve("exe");
    if (ElfFile.isStatic(program)) {
      return STATIC;
    }
    if (((int) Files.getAttribute(program, "unix:mode") & SET_ID_BITS) != 0) {
      return SETUID;
    }
    String maps = UserFiles.text(process.resolve("maps"), MAX_MAPS_BYTES);
    return maps.lines().anyMatch(UncaughtProgram::isLibrary) ? LOADED : NOT_LOADED;
  }

  /**
   * The names of our library and of our proxy driver. No pattern, because the user chooses the text
   * that it would run on.
   */
  private static boolean isLibrary(String mapping) {
    int driver = mapping.lastIndexOf(DRIVER);
    int ours = driver < 0 ? -1 : mapping.lastIndexOf(OURS, driver - OURS.length());
    return mapping.startsWith(PRELOAD, mapping.lastIndexOf('/'))
        || (ours > 0 && mapping.lastIndexOf('/', ours) >= 0);
  }
}
