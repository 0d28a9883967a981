package org.schedgpu.gres.facts;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.schedgpu.gres.common.Check;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.Json;

/**
 * The devices and CPUs of a node, as {@code schedgpu gres facts} prints them in JSON and {@code
 * schedgpu gres plan --facts} reads them.
 *
 * <pre>{"nodeName": "gpu1", "cpus": 16, "devices": [{"index": 0, "uuid": "GPU-...",
 * "file": "/dev/nvidia0", "totalBytes": 5032116224, "reservedBytes": 0,
 * "contextBytes": 67108864, "name": "Tesla K20m"}]}</pre>
 *
 * <p>Immutable, so safe for use by several threads.
 *
 * @param nodeName Slurm's NodeName
 * @param cpus Slurm's CPUs= of the node, at least 1, or null if it is not known
 * @param devices the devices of the node, 1 to 16
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record NodeFacts(
    @JsonProperty(required = true) String nodeName,
    Integer cpus,
    @JsonProperty(required = true) List<Device> devices) {

  private static final int MAX_CPUS = 65_535;

  /**
   * @throws GresException if a value is outside its range
   */
  public NodeFacts {
    Check.nodeName(nodeName);
    if (cpus != null) {
      Check.range("node " + nodeName + ", cpus", cpus, 1, MAX_CPUS);
    }
    devices = devices == null ? List.of() : List.copyOf(devices);
    Check.range("node " + nodeName + ", number of devices", devices.size(), 1, Device.MAX_DEVICES);
  }

  /** The CPUs of the node, if they are known. */
  public OptionalInt knownCpus() {
    return cpus == null ? OptionalInt.empty() : OptionalInt.of(cpus);
  }

  /** The facts as JSON, with a line feed at the end; {@link #parse} reads it back. */
  public String toJson() {
    return Json.write(this);
  }

  /**
   * Reads the facts of one node. Unknown, missing and repeated keys are errors.
   *
   * @param json the text
   * @param place the source of the text, for messages: {@code facts file gpu1.json}
   * @throws GresException if it is not the JSON of one node
   */
  public static NodeFacts parse(String json, String place) {
    return Json.read(json, NodeFacts.class, place);
  }

  /**
   * Reads a facts file of one node in UTF-8.
   *
   * @throws GresException if it cannot be read or is not the JSON of one node
   */
  public static NodeFacts read(Path file) {
    return parse(text(file), "facts file " + file);
  }

  /**
   * Reads a facts file of one node or several, one after the other or as a JSON array.
   *
   * @throws GresException if it cannot be read or is not the JSON of nodes
   */
  static List<NodeFacts> readAll(Path file) {
    try (Reader text = Files.newBufferedReader(file)) {
      return Json.readAll(text, NodeFacts.class, "facts file " + file);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw unreadable(file, e);
    }
  }

  private static GresException unreadable(Path file, IOException e) {
    return new GresException(
        "facts file " + file + Check.unreadable(e),
        "write it on the node with schedgpu gres facts",
        e);
  }
}
