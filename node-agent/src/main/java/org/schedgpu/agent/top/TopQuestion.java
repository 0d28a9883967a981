package org.schedgpu.agent.top;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.schedgpu.agent.query.Principal;
import org.schedgpu.agent.query.Question;
import org.schedgpu.agent.region.RegionAccess;

/** {@code top}: the content of {@code schedgpu top --once --json}. */
public final class TopQuestion implements Question {
  private final RegionAccess access;
  private final Supplier<Path> history;
  private TopSource source;

  /**
   * Of a region.
   *
   * @param access of the thread that answers
   * @param history gives the present path of the history
   */
  public TopQuestion(RegionAccess access, Supplier<Path> history) {
    this.access = access;
    this.history = history;
  }

  /** True, because NVML, squeue and the history of many names take time. */
  @Override
  public boolean isLong() {
    return true;
  }

  @Override
  public Object answer(Map<String, Object> arguments, Principal viewer) {
    if (source == null) {
      source = new TopSource(Optional.of(history.get())); // NVML stays closed until it is asked
    }
    return access.ask(region -> TopJson.values(source.read(region, access.runDir(), viewer)));
  }
}
