package org.schedgpu.agent.top;

import java.util.List;
import org.jline.utils.AttributedString;

/** The meaning of the keys and columns. */
final class Help {
  private static final List<String> LINES =
      List.of(
          "",
          " q  Ctrl-C   quit",
          " p  space    pause, and go on",
          " s           sort jobs: held, in use, running, user",
          " d           one device after the other, then all",
          " j k arrows  scroll; page keys by ten lines",
          " ?           this help, and back",
          "",
          " Sizes are GiB. HELD is what others cannot have for the job's sake: reserved",
          " memory, CUDA contexts, overruns. IN USE is what its programs allocated, PEAK",
          " the most of that; contexts are in neither.",
          " # is the place in the queue by age; the order is that of the policy.",
          " SERVED is an estimate: when the request is served if running jobs end as the",
          " same user's jobs of the same name did before. Jobs that come later with a",
          " higher priority are not in it.");

  private Help() {}

  static List<AttributedString> lines() {
    return LINES.stream().map(AttributedString::new).toList();
  }
}
