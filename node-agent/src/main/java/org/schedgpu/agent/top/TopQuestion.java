package org.schedgpu.agent.top;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.Question;
import org.schedgpu.agent.region.RegionAccess;

/** {@code top}: what {@code schedgpu top --once --json} prints. */
public final class TopQuestion implements Question {
  private final RegionAccess access;
  private final Supplier<Path> history;
  private TopSource source;

  /**
   * Of a region.
   *
   * @param access of the thread that answers
   * @param history file of the history, as it is now configured
   */
  public TopQuestion(RegionAccess access, Supplier<Path> history) {
    this.access = access;
    this.history = history;
  }

  /** NVML, squeue and the history of many names take their time. */
  @Override
  public boolean isLong() {
    return true;
  }

  @Override
  public Object answer(Map<String, Object> arguments, Principal viewer) {
    if (source == null) {
      source = new TopSource(Optional.of(history.get())); // NVML stays closed until it is asked
    }
    return access.ask(region -> TopJson.values(source.read(region, viewer)));
  }
}
