package org.schedgpu.model;

/** The answers of transitions. Their codes are in docs/reference/errors.md. */
public enum Answer {
  OK(0),
  EINVAL(-1),
  ENOJOB(-6),
  EDEVICE(-7),
  ETOOBIG(-8),
  EBUDGET(-9),
  EWOULDBLOCK(-10),
  EFULL(-12),
  EUNDERFLOW(-15),
  EDEADLOCK(-17),
  EBUSY(-22),
  EKEPT(-23),
  ETURN(-24);

  private final int code;

  Answer(int code) {
    this.code = code;
  }

  /** The number that C returns. */
  public int code() {
    return code;
  }

  /** The name of a number, or the number itself if no transition returns it. */
  public static String nameOf(int code) {
    for (Answer answer : values()) {
      if (answer.code == code) {
        return answer.name();
      }
    }
    return Integer.toString(code);
  }
}
