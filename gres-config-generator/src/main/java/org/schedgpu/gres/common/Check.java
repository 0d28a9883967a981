package org.schedgpu.gres.common;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.regex.Pattern;

/**
 * Checks values that go into Slurm's files. It is stricter than Slurm where Slurm would read
 * something other than was meant: a bracket in a file name, a type that looks like a count.
 */
public final class Check {
  private static final Pattern NODE = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?");
  private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9_.-]+");
  private static final Pattern COUNT = Pattern.compile("[0-9]+[kKmMgGtTpP]?");
  private static final Pattern PATH = Pattern.compile("/[A-Za-z0-9_./+@:-]+");
  private static final Pattern UUID = Pattern.compile("[A-Za-z0-9_./-]+");
  private static final int MAX_NODE_CHARS = 255;
  private static final int MAX_TYPE_CHARS = 63;

  private Check() {}

  public static int range(String what, int value, int min, int max) {
    if (value < min || value > max) {
      throw new GresException(
          what + " is " + value, "use a number from %d to %d".formatted(min, max));
    }
    return value;
  }

  /**
   * Checks the name of one host: not a hostlist, without blanks, and not a name that has another
   * meaning for Slurm.
   */
  public static String nodeName(String name) {
    if (name == null || name.length() > MAX_NODE_CHARS || !NODE.matcher(name).matches()) {
      throw new GresException(
          "node name " + quoted(name) + " is not a host name",
          "use letters, digits, '-', '_' and '.'; one name for each node, no hostlist");
    }
    if (name.equalsIgnoreCase("DEFAULT") || name.equalsIgnoreCase("ALL")) {
      throw new GresException(
          "node name '" + name + "' means something else to Slurm", "name the node itself");
    }
    return name;
  }

  /** Checks a GRES type, or the empty text for GPUs without a type. */
  public static String gresTypeOrNone(String type) {
    return "".equals(type) ? type : gresType(type);
  }

  public static String gresType(String type) {
    if (type == null || type.length() > MAX_TYPE_CHARS || !TYPE.matcher(type).matches()) {
      throw new GresException(
          "GRES type " + quoted(type) + " is not a word that Slurm takes",
          "use 1 to 63 letters, digits, '_', '-' and '.', such as k20m");
    }
    return type;
  }

  /** True if Slurm takes a type for a count where none follows: {@code gpu:3090}. */
  public static boolean isCount(String type) {
    return COUNT.matcher(type).matches();
  }

  /** Checks a type that no user asks for yet. */
  public static String newGresType(String type) {
    if (isCount(gresType(type))) {
      throw new GresException(
          "GRES type '" + type + "' would be read by Slurm as a count",
          "begin it with a letter, such as gpu" + type);
    }
    return type;
  }

  /**
   * Checks an absolute path without characters that separate, quote or expand in Slurm's files.
   *
   * @param what name of the path in the message
   */
  public static String path(String what, String path) {
    if (path != null && path.chars().anyMatch(Character::isWhitespace)) {
      throw new GresException(
          what + " " + quoted(path) + " has a blank", "use a path without blanks");
    }
    if (path == null || !PATH.matcher(path).matches() || path.endsWith("/")) {
      throw new GresException(
          what + " " + quoted(path) + " is not an absolute path that Slurm reads as one file",
          "use a path such as /dev/nvidia0; Slurm expands brackets and splits at commas");
    }
    return path;
  }

  public static String uuid(String uuid, int maxChars) {
    if (uuid == null || uuid.length() > maxChars || !UUID.matcher(uuid).matches()) {
      throw new GresException(
          "device UUID " + quoted(uuid) + " is not a UUID",
          "give what nvidia-smi -L shows, such as GPU-..., at most " + maxChars + " characters");
    }
    return uuid;
  }

  /** Checks a device's display name. A quote or '#' would end the value in devices.conf. */
  public static String deviceName(String name, int maxBytes) {
    boolean usable =
        name != null
            && !name.isBlank()
            && name.getBytes(StandardCharsets.UTF_8).length <= maxBytes
            && name.chars().noneMatch(c -> c == '"' || c == '#' || Character.isISOControl(c));
    if (!usable) {
      throw new GresException(
          "device name " + quoted(name) + " cannot be written to devices.conf",
          "use 1 to " + maxBytes + " bytes without '\"', '#' and line breaks");
    }
    return name;
  }

  /**
   * Quotes a value for a message; control characters are replaced, so that it stays on one line.
   */
  public static String quoted(String value) {
    return value == null ? "(none)" : "'" + value.replaceAll("\\p{Cntrl}", "?") + "'";
  }

  /** The reason why a file could not be read, to follow its name in a message. */
  public static String unreadable(IOException e) {
    if (e instanceof NoSuchFileException) {
      return " does not exist";
    }
    return e instanceof AccessDeniedException
        ? " cannot be read (permission denied)"
        : " cannot be read (" + IoReason.of(e) + ")";
  }
}
