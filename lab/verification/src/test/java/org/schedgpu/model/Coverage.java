package org.schedgpu.model;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * Counts which cases the histories of a run reached. A case that never occurred was not compared.
 */
final class Coverage {
  private final Map<Answer, Long> asked = new EnumMap<>(Answer.class);
  private final Map<Answer, Long> settled = new EnumMap<>(Answer.class);
  private static final long LONG_RUN = 500_000;

  /** Not answered to a request, or only to one of a lane job: {@link LaneCoverage}. */
  private static final Set<Answer> NEVER_ASKED =
      Set.of(Answer.EFULL, Answer.EUNDERFLOW, Answer.EKEPT, Answer.ETURN);

  /** Of histories with lane jobs. */
  final LaneCoverage lanes = new LaneCoverage();

  private long transitions;
  private long histories;
  private long queued;
  private long granted;
  private long surplus;
  private long beyond;
  private long grown;

  void transition() {
    transitions++;
  }

  void asked(Answer answer, boolean nowQueued) {
    asked.merge(answer, 1L, Long::sum);
    queued += nowQueued ? 1 : 0;
  }

  void settled(Answer answer) {
    settled.merge(answer, 1L, Long::sum);
  }

  void granted() {
    granted++;
  }

  /** Because of unreserved memory alone. */
  void unreserved(boolean moreThanUsable) {
    beyond += moreThanUsable ? 1 : 0;
  }

  void overflow(boolean some) {
    grown += some ? 1 : 0;
  }

  void ended(boolean surplusContextWaits) {
    histories++;
    surplus += surplusContextWaits ? 1 : 0;
  }

  /** A run of half a million transitions reaches every case; a shorter run need not. */
  void check() {
    if (transitions < LONG_RUN) {
      return;
    }
    EnumSet<Answer> missing = EnumSet.complementOf(EnumSet.copyOf(NEVER_ASKED));
    missing.removeAll(asked.keySet());
    EnumSet<Answer> unsettled =
        EnumSet.of(Answer.OK, Answer.ENOJOB, Answer.EBUDGET, Answer.EWOULDBLOCK);
    unsettled.removeAll(settled.keySet());
    if (!missing.isEmpty()
        || !unsettled.isEmpty()
        || granted == 0
        || surplus == 0
        || beyond == 0
        || grown == 0) {
      throw new AssertionError("never answered: " + missing + " " + unsettled + "; " + this);
    }
  }

  @Override
  public String toString() {
    return String.format(
        "%d transitions in %d histories; asked %s; queued %d, granted later %d; settled %s; "
            + "ended with a surplus context waiting %d; more in use than can be %d times, "
            + "a budget has grown %d times",
        transitions, histories, asked, queued, granted, settled, surplus, beyond, grown);
  }
}
