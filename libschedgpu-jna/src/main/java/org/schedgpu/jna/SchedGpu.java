package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import com.sun.jna.ptr.IntByReference;
import com.sun.jna.ptr.LongByReference;
import com.sun.jna.ptr.PointerByReference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The root side of a node's region: a handle over {@code schedgpu_admin}. Calls throw {@link
 * SchedGpuException}. Used by one thread at a time; a job begun with {@link JobSpec#owned()} lives
 * as long as this handle or its processes.
 */
public final class SchedGpu implements AutoCloseable {
  private static final int CHECK_TEXT_SIZE = 512;

  private final RegionLayout layout = RegionLayout.ofLibrary();
  private Pointer admin;

  /**
   * The process that holds the lock of the region.
   *
   * @param pid in this process's PID namespace
   * @param state letter of /proc/PID/stat, {@code T} = stopped
   */
  public record LockHolder(int pid, char state) {}

  private SchedGpu(Pointer admin) {
    this.admin = admin;
  }

  /** Creates the region in {@code runDir}, or checks the existing one and adds new devices. */
  public static void setup(Path runDir, Setup setup) {
    CLibrary.load();
    Memory memory = AdminStructs.setup(setup, RegionLayout.ofLibrary());
    check(CApi.schedgpu_admin_setup(runDir.toString(), memory), "set up " + runDir);
  }

  /** The region of {@code runDir} if it has another layout version and so cannot be opened. */
  public static Optional<OtherVersionRegion> otherLayout(Path runDir) {
    CLibrary.load();
    IntByReference version = new IntByReference();
    LongByReference processes = new LongByReference();
    int result = CApi.schedgpu_admin_other_layout(runDir.toString(), version, processes);
    if (result != 0) {
      return Optional.empty();
    }
    return Optional.of(
        new OtherVersionRegion(Integer.toUnsignedLong(version.getValue()), processes.getValue()));
  }

  /**
   * Removes the region of {@code runDir}, but not the folder; false if there was none.
   *
   * @param force also if live processes use it; their reservations are lost
   */
  public static boolean remove(Path runDir, boolean force) {
    CLibrary.load();
    int result = CApi.schedgpu_admin_remove(runDir.toString(), force ? 1 : 0);
    if (result == ErrorCode.ENOREGION.number()) {
      return false;
    }
    check(result, "remove " + runDir);
    return true;
  }

  /** Opens the region of {@code runDir}. */
  public static SchedGpu open(Path runDir) {
    CLibrary.load();
    PointerByReference admin = new PointerByReference();
    check(CApi.schedgpu_admin_open(runDir.toString(), admin), "open " + runDir);
    return new SchedGpu(admin.getValue());
  }

  @Override
  public void close() {
    if (admin != null) {
      CApi.schedgpu_admin_close(admin);
      admin = null;
    }
  }

  private Pointer handle() {
    if (admin == null) {
      throw new IllegalStateException("the region has been closed");
    }
    return admin;
  }

  /** How long to wait for the lock before {@link ErrorCode#ELOCK}. */
  public void setTimeoutNs(long timeoutNs) {
    CApi.schedgpu_admin_set_timeout(handle(), timeoutNs);
  }

  /** The process that held the lock when a call failed with {@link ErrorCode#ELOCK}. */
  public Optional<LockHolder> lockHolder() {
    byte[] state = new byte[1];
    int pid = CApi.schedgpu_admin_lock_holder(handle(), state);
    return pid == 0 ? Optional.empty() : Optional.of(new LockHolder(pid, (char) state[0]));
  }

  /** Registers a job, or updates priority, wait, mode and budgets of a registered one. */
  public void jobBegin(JobSpec job) {
    int result = CApi.schedgpu_admin_job_begin(handle(), AdminStructs.jobSpec(job, layout));
    checkCall(result, "begin job " + job.reference());
  }

  /** Ends a job; false if it does not exist (any more). */
  public boolean jobEnd(JobKind kind, long jobId) {
    int result = CApi.schedgpu_admin_job_end(handle(), kind.number(), jobId);
    if (result == ErrorCode.ENOJOB.number()) {
      return false;
    }
    checkCall(result, "end job " + kind.text() + ":" + jobId);
    return true;
  }

  /** A registered job as it was begun. */
  public Optional<JobSpec> jobFind(JobKind kind, long jobId) {
    Memory spec = AdminStructs.emptyJobSpec(layout);
    int result = CApi.schedgpu_admin_job_find(handle(), kind.number(), jobId, spec);
    if (result == ErrorCode.ENOJOB.number()) {
      return Optional.empty();
    }
    checkCall(result, "find job " + kind.text() + ":" + jobId);
    return Optional.of(AdminStructs.jobSpec(spec, layout));
  }

  /** Removes dead clients and serves the waiters. */
  public ReapResult reap() {
    Memory reaped = AdminStructs.emptyReaped(layout);
    checkCall(CApi.schedgpu_admin_reap(handle(), reaped), "reap");
    return AdminStructs.reaped(reaped, layout);
  }

  /** The number of processes that look dead; if it is not 0, a reap is due. Takes no lock. */
  public int dead() {
    return CApi.schedgpu_admin_dead(handle());
  }

  /** The same for hooks and commands only. They are few, so this is much cheaper on a full node. */
  public int deadOfRoot() {
    return CApi.schedgpu_admin_dead_of_root(handle());
  }

  /** A number that changes whenever somebody writes the region. Takes no lock. */
  public long changes() {
    return CApi.schedgpu_admin_changes(handle());
  }

  /**
   * Sets the job's overrun on a device: what its processes use beyond all that the job holds or
   * reserved. 0 clears it. False if the job does not exist (any more).
   */
  public boolean setOverrun(JobKind kind, long jobId, int device, long bytes) {
    int result = CApi.schedgpu_admin_set_overrun(handle(), kind.number(), jobId, device, bytes);
    if (result == ErrorCode.ENOJOB.number()) {
      return false;
    }
    checkCall(result, "set the overrun of job " + kind.text() + ":" + jobId);
    return true;
  }

  /** Sets the foreign memory of a device: what programs of no job use. */
  public void setForeign(int device, long bytes) {
    int result = CApi.schedgpu_admin_set_foreign(handle(), device, bytes);
    checkCall(result, "set the foreign memory of device " + device);
  }

  /**
   * Updates the peak of each job. Call it regularly: for a job of several processes the peak is
   * then closer to the truth. Takes no lock if there is nothing to update.
   */
  public void notePeaks() {
    checkCall(CApi.schedgpu_admin_note_peaks(handle()), "note the peaks of the jobs");
  }

  /**
   * Writes the checkpoint if a hook left that to the agent. The agent calls this soon after {@code
   * RunDir/checkpoint.due} appears.
   */
  public void answer() {
    checkCall(CApi.schedgpu_admin_answer(handle()), "write the checkpoint");
  }

  /** Changes the policy while jobs run. */
  public void setPolicy(Policy policy) {
    checkCall(CApi.schedgpu_admin_set_policy(handle(), policy.number()), "set the policy");
  }

  /** A consistent snapshot of the region; takes no lock. */
  public RegionSnapshot snapshot() {
    return read(SnapshotParser::allEnded);
  }

  /** The same without ended jobs, for frequent callers. */
  public RegionSnapshot liveSnapshot() {
    return read(region -> List.of());
  }

  /**
   * The same with the jobs that ended after a given one, oldest first.
   *
   * @param sequence of that job ({@link EndedJob}). If the region counts from the start again, the
   *     result has all ended jobs
   */
  public RegionSnapshot snapshotAfter(long sequence) {
    return read(region -> List.copyOf(new EndedJobs(region, sequence)));
  }

  /** A copy from which snapshots and a {@link Forecast} can be made. The caller closes it. */
  public RegionCopy picture() {
    Memory taken = takePicture();
    try {
      return new RegionCopy(taken, layout);
    } catch (RuntimeException problem) {
      taken.close();
      throw problem;
    }
  }

  private RegionSnapshot read(Function<RegionBytes, List<EndedJob>> ended) {
    try (Memory taken = takePicture()) {
      ByteBuffer bytes = taken.getByteBuffer(0, taken.size());
      return new SnapshotParser(bytes, layout, RegionSnapshot.nowNs()).parse(ended);
    }
  }

  /**
   * Megabytes outside the heap: too large to keep one per handle, or to leave to the garbage
   * collector.
   */
  private Memory takePicture() {
    Memory picture = new Memory(CApi.schedgpu_snapshot_size());
    boolean taken = false;
    try {
      int size = Math.toIntExact(picture.size());
      checkCall(CApi.schedgpu_admin_snapshot(handle(), picture, size), "read the region");
      taken = true;
      return picture;
    } finally {
      if (!taken) {
        picture.close();
      }
    }
  }

  /** The state of the region according to the kernel and the files; takes no lock. */
  public RegionInfo info() {
    Memory info = AdminStructs.emptyRegionInfo(layout);
    checkCall(CApi.schedgpu_admin_region_info(handle(), info), "ask about the region");
    return AdminStructs.regionInfo(info, layout);
  }

  /** Checks every invariant of the region; the broken ones, or empty. */
  public Optional<String> check() {
    byte[] text = new byte[CHECK_TEXT_SIZE];
    int result = CApi.schedgpu_admin_check(handle(), text, text.length);
    if (result != ErrorCode.ECORRUPT.number()) {
      checkCall(result, "check the region");
      return Optional.empty();
    }
    return Optional.of(Native.toString(text, StandardCharsets.UTF_8.name()));
  }

  /** As {@link #check(int, String)}, and names the process that holds the lock. */
  private void checkCall(int result, String what) {
    String holder =
        result == ErrorCode.ELOCK.number()
            ? lockHolder()
                .map(h -> " (process " + h.pid() + ", state " + h.state() + ")")
                .orElse("")
            : "";
    check(result, what + holder);
  }

  static void check(int result, String what) {
    if (result >= 0) {
      return;
    }
    int errno = Native.getLastError();
    ErrorCode code = ErrorCode.of(result);
    String system = code == ErrorCode.ESYSTEM ? " (" + Posix.errorText(errno) + ")" : "";
    throw new SchedGpuException(
        code, "cannot " + what + ": " + CApi.schedgpu_strerror(result) + system);
  }
}
