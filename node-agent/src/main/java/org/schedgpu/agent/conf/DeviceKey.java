package org.schedgpu.agent.conf;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** The keys of devices.conf, and what the hooks take for each (libschedgpu/conf/conf_devices.c). */
@SuppressWarnings("ImmutableEnumChecker") // the predicates are functions without a state
enum DeviceKey {
  NODE_NAME("NodeName", "one node, no hostlist", DeviceKey::isNode),
  DEVICE("Device", "0 to 15", value -> isNumber(value, 0, Limits.MAX_INDEX)),
  UUID("UUID", "a UUID as NVML tells it (GPU-...), below 48 characters", DeviceKey::isUuid),
  FILE("File", "an absolute path", ConfKey::isPath),
  TOTAL_BYTES("TotalBytes", "a number of bytes above 0", value -> isNumber(value, 1, Limits.BYTES)),
  RESERVED_BYTES("ReservedBytes", "a number of bytes", value -> isNumber(value, 0, Limits.BYTES)),
  CONTEXT_BYTES("ContextBytes", "a number of bytes", value -> isNumber(value, 0, Limits.BYTES)),
  VIRTUAL(
      "Virtual",
      "different indexes such as 0-11 or 0,2,4-6, at most 1024",
      value -> IndexList.of(value).isPresent()),
  NAME("Name", "a name below 64 characters", value -> ConfKey.isBelow(64, value)),

  /** GPUs of the node that schedGPU leaves alone. */
  NOT_OURS(
      "NotOurs",
      "different indexes such as 24-30, at most 1024, beside NodeName only",
      value -> IndexList.of(value).isPresent());

  private static final List<String> TEXTS = Arrays.stream(values()).map(DeviceKey::text).toList();

  private final String text;
  private final String allowed;
  private final Predicate<String> right;

  /** Of numbers. */
  private static final class Limits {
    private static final long MAX_INDEX = 15;
    private static final long BYTES = Long.MAX_VALUE;

    private Limits() {}
  }

  DeviceKey(String text, String allowed, Predicate<String> right) {
    this.text = text;
    this.allowed = allowed;
    this.right = right;
  }

  String text() {
    return text;
  }

  /** What a value must be. */
  String allowed() {
    return allowed;
  }

  boolean isRight(String value) {
    return right.test(value);
  }

  /** Whether a line of a device may do without. */
  boolean isOptional() {
    return this == NAME || this == NOT_OURS;
  }

  static Optional<DeviceKey> of(String text) {
    return Arrays.stream(values()).filter(key -> key.text.equalsIgnoreCase(text)).findFirst();
  }

  /** For messages. */
  static List<String> texts() {
    return TEXTS;
  }

  private static boolean isNode(String value) {
    return !value.isEmpty() && !value.matches("(?s).*[\\[\\],].*") && ConfKey.isBelow(256, value);
  }

  private static boolean isUuid(String value) {
    return value.matches("(?s)GPU-[^, \t:]+") && ConfKey.isBelow(48, value);
  }

  private static boolean isNumber(String value, long least, long most) {
    if (!value.matches("[0-9]+")) {
      return false;
    }
    BigInteger number = new BigInteger(value);
    return number.compareTo(BigInteger.valueOf(least)) >= 0
        && number.compareTo(BigInteger.valueOf(most)) <= 0;
  }
}
