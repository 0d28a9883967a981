package org.schedgpu.gres.command;

import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.live.Controller;
import org.schedgpu.gres.live.Controllers;
import picocli.CommandLine.Option;

/** {@code --rest}: selects scontrol or slurmrestd. */
final class RestOption {
  @Option(
      names = "--rest",
      paramLabel = "ADDR",
      description =
          "Asks slurmrestd at unix:/PATH or http://HOST:PORT (token in"
              + " $$SLURM_JWT) instead of scontrol.")
  String address;

  /**
   * @param environment provides PATH, SLURM_CONF and SLURM_JWT
   * @param say receives messages for the user
   * @throws GresException if slurmrestd does not answer
   */
  Controller controller(Map<String, String> environment, Consumer<String> say) {
    return Controllers.choose(Optional.ofNullable(address), environment, say);
  }
}
