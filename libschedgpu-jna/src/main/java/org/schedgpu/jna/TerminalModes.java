package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.Optional;

/**
 * The modes of the terminal at stdin (termios), bit for bit: to be given back as they were found. A
 * library that knows some of the bits by name gives back those.
 */
public final class TerminalModes {
  private static final int STDIN = 0;

  /** After what was written has been sent. */
  private static final int TCSADRAIN = 1;

  /** More than struct termios has on any Linux. */
  private static final int SIZE = 256;

  private final byte[] termios;

  /** libc's functions. */
  private static final class Libc {
    static {
      Native.register(Libc.class, NativeLibrary.getProcess());
    }

    static native int tcgetattr(int fd, byte[] termios) throws LastErrorException;

    static native int tcsetattr(int fd, int when, byte[] termios) throws LastErrorException;
  }

  private TerminalModes(byte[] termios) {
    this.termios = termios;
  }

  /** As they are now; empty if stdin is no terminal. */
  public static Optional<TerminalModes> ofStdin() {
    byte[] termios = new byte[SIZE];
    try {
      Libc.tcgetattr(STDIN, termios);
      return Optional.of(new TerminalModes(termios));
    } catch (LastErrorException noTerminal) {
      return Optional.empty();
    }
  }

  /** Makes stdin as it was; a terminal that is gone needs nothing. */
  public void restore() {
    try {
      Libc.tcsetattr(STDIN, TCSADRAIN, termios);
    } catch (LastErrorException gone) {
      // Its user has hung up.
    }
  }
}
