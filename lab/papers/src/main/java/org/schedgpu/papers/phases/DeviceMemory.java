package org.schedgpu.papers.phases;

/**
 * Who may have memory of the device. Jobs are named by their index, sizes are bytes, times
 * nanoseconds. Thread-safety: none.
 */
public interface DeviceMemory extends AutoCloseable {
  /** What a request comes to. */
  enum Answer {
    /** The process has it. */
    OK,
    /** It waits until {@link #nextGranted} names it. */
    WAITS,
    /** It fails as out of memory. */
    OUT_OF_MEMORY
  }

  /** Memory of the device. */
  long totalBytes();

  /** What a CUDA context takes. */
  long contextBytes();

  /** A job begins. */
  void begin(int job, PhasedJob of, long nowNs);

  /** Its process asks for its context. */
  Answer context(int job, long nowNs);

  /** Its process asks for memory. */
  Answer allocate(int job, long bytes, long nowNs);

  /** Its process frees memory. */
  void free(int job, long bytes, long nowNs);

  /** The job and its process end; they hold nothing any more. */
  void end(int job, long nowNs);

  /** A job whose wait is over: it has what it asked for. -1 if there is none. */
  int nextGranted(long nowNs);

  @Override
  void close();
}
