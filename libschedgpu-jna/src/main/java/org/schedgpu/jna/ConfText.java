package org.schedgpu.jna;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads schedgpu.conf and devices.conf through libschedgpu, which defines the keys, their defaults
 * and the allowed values ({@code schedgpu/conf_text.h}). Hooks and plugin use the same code.
 */
public final class ConfText {
  private static final int SAID_BESIDE_THE_TEXT = 8192;
  private static final int ERROR_SIZE = 1 << 16;

  private ConfText() {}

  /**
   * A value.
   *
   * @param line the line that sets it; 0: it is the default
   * @param text as written; empty if the default depends on the node
   */
  public record Value(int line, String text) {}

  /** Problems of a file. */
  public static final class WrongConfException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with all problems.
     *
     * @param problems one per line
     */
    public WrongConfException(String problems) {
      super(problems);
    }
  }

  /**
   * Every key of schedgpu.conf with its value.
   *
   * @param path the name of the file in problems
   * @param bytes the content; comments need not be UTF-8
   * @throws WrongConfException with every problem
   */
  public static Map<String, Value> parse(String path, byte[] bytes) {
    CLibrary.load();
    byte[] said = new byte[bytes.length + SAID_BESIDE_THE_TEXT];
    byte[] error = new byte[ERROR_SIZE];
    check(
        CApi.schedgpu_conf_parse(path, bytes, bytes.length, said, said.length, error, error.length),
        path,
        error);
    return values(text(said));
  }

  /**
   * The values in what libschedgpu says: a line {@code LINE KEY VALUE} for each. Only a line feed
   * ends a line.
   */
  static Map<String, Value> values(String said) {
    Map<String, Value> values = new LinkedHashMap<>();
    for (String line : said.split("\n", 0)) {
      String[] lineKeyText = line.split(" ", 3);
      values.put(lineKeyText[1], new Value(Integer.parseInt(lineKeyText[0]), lineKeyText[2]));
    }
    return values;
  }

  /**
   * The devices of a node, in the order of devices.conf; empty if no line names the node.
   *
   * @param path the name of the file in problems
   * @param bytes the content; comments need not be UTF-8
   * @throws WrongConfException with every problem
   */
  public static List<DeviceSpec> devices(String path, byte[] bytes, String node) {
    CLibrary.load();
    RegionLayout layout = RegionLayout.ofLibrary();
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
