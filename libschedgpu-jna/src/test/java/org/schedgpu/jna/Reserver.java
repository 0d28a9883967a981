package org.schedgpu.jna;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A process of a job that reserves memory, reports it, and stays: for {@link SchedGpuTest}. */
final class Reserver {
  private Reserver() {}

  /** The client API, as programs call it. */
  private static final class Client {
    static {
      Native.register(Client.class, LibraryFinder.find().orElseThrow().toString());
    }

    static native int schedgpu_reserve(int device, long bytes, long timeoutNs);
  }

  /** Prints {@code r} when it has the memory; ends with its parent at the latest. */
  static Process start(Path runDir, long jobId, long bytes) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                "-Dschedgpu.library=" + LibraryFinder.find().orElseThrow(),
                Reserver.class.getName(),
                Long.toString(bytes)));
    builder.environment().put("SCHEDGPU_JOB", "slurm:" + jobId);
    builder.environment().put("SCHEDGPU_RUN_DIR", runDir.toString());
    builder.environment().remove("SCHEDGPU_DEVICES");
    return builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  public static void main(String[] args) throws IOException {
    int result = Client.schedgpu_reserve(0, Long.parseLong(args[0]), JobSpec.FOREVER);
    System.out.print(result == 0 ? 'r' : 'e');
    System.out.flush();
    System.in.read();
  }
}
