package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * schedgpu.conf and devices.conf, read by libschedgpu as hooks and plugin read them ({@code
 * schedgpu/conf_text.h}): the keys, their defaults and what a value must be are there.
 */
public final class ConfText {
  private static final int SAID_BESIDE_THE_TEXT = 8192;
  private static final int ERROR_SIZE = 1 << 16;

  private ConfText() {}

  /**
   * A value.
   *
   * @param line in which it stands; 0: it is the default
   * @param text as it is written; empty where the default depends on the node
   */
  public record Value(int line, String text) {}

  /** Problems of a file. */
  public static final class WrongConfException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * With all of them.
     *
     * @param problems one in a line
     */
    public WrongConfException(String problems) {
      super(problems);
    }
  }

  /**
   * Every key of schedgpu.conf with its value.
   *
   * @param path as problems call the file
   * @throws WrongConfException with every problem
   */
  public static Map<String, Value> parse(String path, String text) {
    CLibrary.load();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] said = new byte[bytes.length + SAID_BESIDE_THE_TEXT];
    byte[] error = new byte[ERROR_SIZE];
    check(
        CApi.schedgpu_conf_parse(path, bytes, bytes.length, said, said.length, error, error.length),
        path,
        error);
    Map<String, Value> values = new LinkedHashMap<>();
    text(said).lines().map(line -> line.split(" ", 3)).forEach(part -> put(values, part));
    return values;
  }

  private static void put(Map<String, Value> values, String[] lineKeyText) {
    values.put(lineKeyText[1], new Value(Integer.parseInt(lineKeyText[0]), lineKeyText[2]));
  }

  /**
   * The devices of a node, in the order of devices.conf; none if no line names it.
   *
   * @param path as problems call the file
   * @throws WrongConfException with every problem
   */
  public static List<DeviceSpec> devices(String path, String text, String node) {
    CLibrary.load();
    RegionLayout layout = RegionLayout.ofLibrary();
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    byte[] error = new byte[ERROR_SIZE];
    Memory setup = AdminStructs.emptySetup(layout);
    check(
        CApi.schedgpu_conf_parse_devices(
            path, bytes, bytes.length, node, setup, error, error.length),
        path,
        error);
    return AdminStructs.devices(setup, layout);
  }

  private static void check(int result, String path, byte[] error) {
    if (result == ErrorCode.EINVAL.number()) {
      throw new WrongConfException(text(error));
    }
    if (result != 0) {
      throw new WrongConfException(path + ": cannot be read: not enough memory");
    }
  }

  private static String text(byte[] bytes) {
    return Native.toString(bytes, StandardCharsets.UTF_8.name());
  }
}
