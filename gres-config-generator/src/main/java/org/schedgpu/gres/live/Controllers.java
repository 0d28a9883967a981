package org.schedgpu.gres.live;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.schedgpu.rest.SlurmRestAddress;

/** Chooses between scontrol and slurmrestd. */
public final class Controllers {
  private Controllers() {}

  /**
   * slurmrestd if an address is given, else scontrol. Where slurmrestd cannot change nodes
   * (v0.0.38), they are read through it and changed through scontrol.
   *
   * @param rest {@code unix:/PATH} or {@code http://HOST:PORT}, or empty for scontrol
   * @param environment PATH and SLURM_CONF for scontrol, SLURM_JWT for slurmrestd
   * @param say receives one line if nodes are changed through scontrol
   * @throws LiveException if the address is not valid, or slurmrestd does not answer
   */
  public static Controller choose(
      Optional<String> rest, Map<String, String> environment, Consumer<String> say) {
    Controller scontrol = new ScontrolController(environment);
    if (rest.isEmpty()) {
      return scontrol;
    }
    Controller asked = RestController.connect(address(rest.get(), environment));
    if (asked.canChangeNodes()) {
      return asked;
    }
    say.accept(asked.description() + " cannot change nodes: drain and resume go through scontrol");
    return new SplitController(asked, scontrol);
  }

  static SlurmRestAddress address(String rest, Map<String, String> environment) {
    Optional<String> token =
        Optional.ofNullable(environment.get("SLURM_JWT")).filter(jwt -> !jwt.isBlank());
    if (!token.map(SlurmRestAddress::isToken).orElse(true)) {
      throw new LiveException(
          "SLURM_JWT is no token: it has blanks or several lines",
          "set it to what scontrol token prints");
    }
    Optional<String> user = token.map(jwt -> user(jwt));
    try {
      return new SlurmRestAddress(
          URI.create(rest), user, token, Duration.ofSeconds(Controller.LIMIT_SECONDS));
    } catch (IllegalArgumentException e) {
      throw new LiveException(
          "'" + rest + "' is no address of slurmrestd",
          "give unix:/PATH or http://HOST:PORT with --rest",
          e);
    }
  }

  /** The user of Slurm's token ("sun"); slurmrestd needs the name beside the token. */
  private static String user(String jwt) {
    try {
      byte[] claims = Base64.getUrlDecoder().decode(jwt.split("\\.", -1)[1]);
      String user = new ObjectMapper().readTree(claims).path("sun").asText();
      if (!user.isEmpty()) {
        return user;
      }
    } catch (IOException | IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
      // Not a token of Slurm; slurmrestd will reject it.
    }
    return System.getProperty("user.name");
  }
}
