package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * What {@code schedgpu run} was asked for, as it was written (struct schedgpu_run_wish); null where
 * nothing was said. libschedgpu decides what comes of it, as it does for prolog and plugin.
 *
 * @param mem budget per device
 * @param processes that use a device at once
 * @param waitTime how long an allocation waits
 * @param overflow what is done beyond the budget
 * @param name of the job
 * @param learnedBytes what earlier runs of it needed; 0: not known
 */
public record RunOptions(
    String mem,
    String priority,
    String mode,
    String waitTime,
    String processes,
    String overflow,
    String name,
    long learnedBytes) {
  private static final int ERROR_SIZE = 4096;

  /** Options that are wrong, or more than the job may have. */
  public static final class WrongOptionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * With the reason.
     *
     * @param message names the option, its value, and what is possible
     */
    public WrongOptionException(String message) {
      super(message);
    }
  }

  /**
   * The job that comes of it.
   *
   * @param learned whether the budget is what earlier runs needed
   */
  public record Decided(JobSpec job, boolean learned) {}

  private CStruct wish() {
    return new CStruct(
        Arrays.asList(mem, priority, mode, waitTime, processes, overflow, name), learnedBytes);
  }

  /**
   * Looks at the options alone.
   *
   * @throws WrongOptionException with the first that is none
   */
  public void check() {
    CLibrary.load();
    byte[] error = new byte[ERROR_SIZE];
    CStruct wish = wish();
    check(CApi.schedgpu_run_check(wish.memory(), error, error.length), error);
  }

  /**
   * Decides the job of this process.
   *
   * @param confPath as problems call schedgpu.conf
   * @param confText what it says
   * @param devices of the job, as the region has them
   * @throws WrongOptionException if it cannot be had, with the reason
   */
  public Decided decide(String confPath, String confText, List<DeviceSpec> devices) {
    CLibrary.load();
    RegionLayout layout = RegionLayout.ofLibrary();
    Setup setup =
        new Setup(Policy.FIFO, 0, DeadlockRule.AVOID, Setup.EVERYONE, 0, List.copyOf(devices));
    Memory spec = AdminStructs.emptyJobSpec(layout);
    byte[] conf = confText.getBytes(StandardCharsets.UTF_8);
    byte[] error = new byte[ERROR_SIZE];
    CStruct wish = wish();
    int result =
        CApi.schedgpu_run_decide(
            confPath,
            conf,
            conf.length,
            AdminStructs.setup(setup, layout),
            wish.memory(),
            Posix.effectiveUid(),
            spec,
            error,
            error.length);
    check(result, error);
    JobSpec job = AdminStructs.jobSpec(spec, layout).withJobId(ProcessHandle.current().pid());
    return new Decided(job.thatIsOwned(), result > 0);
  }

  private static void check(int result, byte[] error) {
    if (result < 0) {
      String text = Native.toString(error, StandardCharsets.UTF_8.name());
      throw new WrongOptionException(text.isEmpty() ? "not enough memory to decide" : text);
    }
  }
}
