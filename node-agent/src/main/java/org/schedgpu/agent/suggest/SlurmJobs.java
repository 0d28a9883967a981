package org.schedgpu.agent.suggest;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.problem.AgentException;
import org.schedgpu.rest.JobField;
import org.schedgpu.rest.SlurmRest;
import org.schedgpu.rest.SlurmRestAddress;
import org.schedgpu.rest.SlurmRestException;

/** The one field of Slurm's jobs that the site chose, through slurmrestd. */
interface SlurmJobs {
  /** The present text of the field. */
  String read(long job) throws SlurmRestException;

  /** Replaces it. */
  void write(long job, String text) throws SlurmRestException;

  /** Opens a connection with the current schedgpu.conf. */
  interface Connector {
    SlurmJobs connect() throws SlurmRestException;
  }

  /** Asks which version slurmrestd serves; an {@link AgentException} if that fails. */
  static SlurmJobs connect(Conf conf) throws SlurmRestException {
    JobField field = JobField.of(conf.slurmComment().orElseThrow()).orElseThrow();
    SlurmRest rest = SlurmRest.connect(address(conf));
    return new SlurmJobs() {
      @Override
      public String read(long job) throws SlurmRestException {
        return rest.job(job).text(field);
      }

      @Override
      public void write(long job, String text) throws SlurmRestException {
        rest.write(job, field, text);
      }
    };
  }

  private static SlurmRestAddress address(Conf conf) {
    String text =
        conf.slurmRest()
            .orElseThrow(
                () ->
                    new AgentException(
                        "SlurmComment needs SlurmRest: add SlurmRest=unix:/PATH or"
                            + " http://HOST:PORT, or SlurmComment=no"));
    if (text.startsWith("unix:")) {
      return SlurmRestAddress.socket(Path.of(text.substring("unix:".length())));
    }
    Optional<Path> file = conf.slurmRestToken();
    return SlurmRestAddress.token(
        URI.create(text),
        conf.slurmRestUser(),
        token(
            file.orElseThrow(
                () ->
                    new AgentException(
                        "SlurmRest=%s needs SlurmRestToken, a file with a token of scontrol token"
                            .formatted(text)))));
  }

  /** Everyone who can read the token can act as Slurm's administrator. */
  private static String token(Path file) {
    Set<PosixFilePermission> others =
        EnumSet.of(
            PosixFilePermission.GROUP_READ,
            PosixFilePermission.GROUP_WRITE,
            PosixFilePermission.OTHERS_READ,
            PosixFilePermission.OTHERS_WRITE);
    try {
      others.retainAll(Files.getPosixFilePermissions(file));
      if (!others.isEmpty()) {
        throw new AgentException(
            "SlurmRestToken=%s: others than its owner may read it: chmod 600 %s"
                .formatted(file, file));
      }
      String token = Files.readString(file).strip().replaceFirst("^SLURM_JWT=", "");
      if (!SlurmRestAddress.isToken(token)) {
        throw new AgentException(
            "SlurmRestToken=%s: must be one line, as scontrol token prints it".formatted(file));
      }
      return token;
    } catch (IOException problem) {
      throw new AgentException(
          "SlurmRestToken=%s: cannot be read (%s): put a token of scontrol token there"
              .formatted(file, problem.getMessage()),
          problem);
    }
  }
}
