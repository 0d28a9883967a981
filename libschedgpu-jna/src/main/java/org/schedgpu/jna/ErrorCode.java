package org.schedgpu.jna;

/** The error codes of libschedgpu (enum schedgpu_error). schedgpu_strerror() gives their text. */
public enum ErrorCode {
  OK(0),
  EINVAL(-1),
  ENOREGION(-2),
  EVERSION(-3),
  ECORRUPT(-4),
  EPERM(-5),
  ENOJOB(-6),
  EDEVICE(-7),
  ETOOBIG(-8),
  EBUDGET(-9),
  EWOULDBLOCK(-10),
  ETIMEDOUT(-11),
  EFULL(-12),
  ELOCK(-13),
  ESYSTEM(-14),
  EUNDERFLOW(-15),
  EUSER(-16),
  EDEADLOCK(-17),
  EOWNER(-18),
  EINUSE(-19),
  EKERNEL(-20),
  EAGENT(-21),
  EBUSY(-22),
  EKEPT(-23),
  ETURN(-24);

  private final int number;

  ErrorCode(int number) {
    this.number = number;
  }

  /** The C value: 0 or negative. */
  public int number() {
    return number;
  }

  /** The code of a C result; {@link #OK} for results that are not errors. */
  public static ErrorCode of(int number) {
    for (ErrorCode code : values()) {
      if (code.number == number) {
        return code;
      }
    }
    if (number > 0) {
      return OK;
    }
    throw new IllegalStateException(
        "libschedgpu: unknown error code "
            + number
            + ": install libschedgpu and schedgpu of one version");
  }
}
