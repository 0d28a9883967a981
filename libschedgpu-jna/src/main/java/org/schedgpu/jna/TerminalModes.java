package org.schedgpu.jna;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.Optional;

/**
 * The modes of the terminal at stdin (termios), bit for bit, so that they can be restored exactly.
 * A library that knows only some bits by name restores only those.
 */
public final class TerminalModes {
  private static final int STDIN = 0;

  /** TCSADRAIN: after pending output has been sent. */
  private static final int TCSADRAIN = 1;

  /** More bytes than struct termios has on any Linux. */
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

  /** The present modes; empty if stdin is not a terminal. */
  public static Optional<TerminalModes> ofStdin() {
    byte[] termios = new byte[SIZE];
    try {
      Libc.tcgetattr(STDIN, termios);
      return Optional.of(new TerminalModes(termios));
    } catch (LastErrorException noTerminal) {
      return Optional.empty();
    }
  }

  /** Restores the modes of stdin; does nothing for a terminal that no longer exists. */
  public void restore() {
    try {
      Libc.tcsetattr(STDIN, TCSADRAIN, termios);
    } catch (LastErrorException gone) {
      // The user has closed the terminal.
    }
  }
}
