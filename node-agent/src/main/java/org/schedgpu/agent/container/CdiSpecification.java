package org.schedgpu.agent.container;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.schedgpu.agent.conf.Conf;
import org.schedgpu.agent.setup.PreloadLibrary;

/**
 * What containers of all jobs of a node need, as a specification of the Container Device Interface
 * (CDI). It cannot have what differs from job to job: their other variables, and the IPC namespace.
 */
final class CdiSpecification {
  /** The oldest version that has all that we write, so the one that most engines know. */
  private static final String VERSION = "0.3.0";

  private CdiSpecification() {}

  /**
   * For {@link org.schedgpu.agent.text.JsonText}. Paths inside are those of the node.
   *
   * @throws org.schedgpu.agent.problem.AgentException if there is no library
   */
  static Map<String, Object> of(Conf conf) {
    Path library = withoutLinks(PreloadLibrary.require(conf));
    Map<String, Object> edits = new LinkedHashMap<>();
    edits.put("env", List.of("LD_PRELOAD=" + library, "SCHEDGPU_RUN_DIR=" + conf.runDir()));
    edits.put("mounts", List.of(mount(bind(library), "ro"), mount(conf.runDir(), "rw")));
    Map<String, Object> specification = new LinkedHashMap<>();
    specification.put("cdiVersion", VERSION);
    specification.put("kind", "schedgpu.org/job");
    specification.put("devices", List.of(Map.of("name", "any", "containerEdits", edits)));
    return specification;
  }

  /** A link may lead nowhere inside. */
  private static Path withoutLinks(Path library) {
    try {
      return library.toRealPath();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Our own folder, else the library alone, as libschedgpu/node/container_env.c has it. */
  private static Path bind(Path library) {
    Path folder = library.getParent();
    return folder.endsWith("schedgpu/container") ? folder : library;
  }

  private static Map<String, Object> mount(Path path, String access) {
    Map<String, Object> mount = new LinkedHashMap<>();
    mount.put("hostPath", path.toString());
    mount.put("containerPath", path.toString());
    mount.put("options", List.of(access, "nosuid", "nodev", "rbind"));
    return mount;
  }
}
