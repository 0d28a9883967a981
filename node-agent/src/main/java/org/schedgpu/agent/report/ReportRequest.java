package org.schedgpu.agent.report;

/**
 * What is to be reported to whom.
 *
 * @param node whose GPUs these are
 * @param timeZone in which times are shown
 * @param nowNs wall clock
 * @param device only this one; null: all
 * @param job only this one, {@code slurm:4711}; null: all
 * @param reader what he may see of others
 */
public record ReportRequest(
    String node,
    String timeZone,
    long nowNs,
    Window window,
    Integer device,
    String job,
    Reader reader) {
  /** Who reads it. */
  public interface Reader {
    /** Whether the jobs of a user may be told one by one. */
    boolean maySee(int uid);

    /** Whether those of every user may. */
    boolean seesAll();
  }

  /** Root, and everybody where the site hides nothing. */
  public static final Reader ALL =
      new Reader() {
        @Override
        public boolean maySee(int uid) {
          return true;
        }

        @Override
        public boolean seesAll() {
          return true;
        }
      };
}
