package org.schedgpu.gres.common;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.regex.Pattern;

/**
 * Rules for the words that go into Slurm's files. Stricter than Slurm where Slurm would read
 * something else than was meant: a bracket in a file name, a type that looks like a count.
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

  /** A host name; no hostlist, no blank, none of the names that mean something else to Slurm. */
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

  /** A type, or the empty text for GPUs without one. */
  public static String gresTypeOrNone(String type) {
    return "".equals(type) ? type : gresType(type);
  }

  public static String gresType(String type) {
    if (type == null || type.length() > MAX_TYPE_CHARS || !TYPE.matcher(type).matches()) {
      throw new GresException(
          "GRES type " + quoted(type) + " is not a word that Slurm takes",
          "use 1 to 63 letters, digits, '_', '-' and '.', such as k20m");
    }
    if (COUNT.matcher(type).matches()) {
      throw new GresException(
          "GRES type '" + type + "' would be read by Slurm as a count",
          "begin it with a letter, such as gpu" + type);
    }
    return type;
  }

  /**
   * An absolute path without anything that separates, quotes or expands in Slurm's files.
   *
   * @param what what the path is, for the message
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

  /** A name for display. A quote or '#' would end the value in devices.conf. */
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

  /** The value for a message; what cannot be printed on one line is replaced. */
  public static String quoted(String value) {
    return value == null ? "(none)" : "'" + value.replaceAll("\\p{Cntrl}", "?") + "'";
  }

  /** What is behind the name of a file that could not be read. */
  public static String unreadable(IOException e) {
    if (e instanceof NoSuchFileException) {
      return " does not exist";
    }
    return e instanceof AccessDeniedException
        ? " cannot be read (permission denied)"
        : " cannot be read (" + IoReason.of(e) + ")";
  }
}
