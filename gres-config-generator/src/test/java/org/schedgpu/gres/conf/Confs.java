package org.schedgpu.gres.conf;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.function.Executable;
import org.schedgpu.gres.common.GresException;

/** Files and messages for the tests of this package. */
final class Confs {
  static final Path PATH = Path.of("/etc/slurm/slurm.conf");

  private Confs() {}

  static ConfFile parse(String text) {
    return ConfFile.parse(PATH, text.getBytes(StandardCharsets.UTF_8));
  }

  static ConfLine line(String text) {
    return parse(text).lines().get(0);
  }

  static Path write(Path folder, String name, String text) {
    try {
      Path file = folder.resolve(name);
      Files.createDirectories(file.getParent());
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The message, without the folder of the test. */
  static String error(Path folder, Executable action) {
    String message = assertThrows(GresException.class, action).getMessage();
    return message.replace("schedgpu gres: ", "").replace(folder + "/", "");
  }

  static String error(Executable action) {
    return error(PATH.getParent(), action);
  }
}
