package org.schedgpu.agent.top;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import org.jline.utils.NonBlockingReader;

/** The action for a key or a signal. */
enum Key {
  QUIT,
  PAUSE,
  SORT,
  DEVICE,
  HELP,
  DOWN,
  UP,
  PAGE_DOWN,
  PAGE_UP,
  SUSPEND,
  GO_ON,
  REDRAW;

  private static final char ESCAPE = 0x1b;
  private static final char CTRL_C = 0x03;
  private static final char CTRL_L = 0x0c;

  /**
   * How long to wait for the rest of an escape sequence: after that it was the Escape key itself.
   */
  private static final long SEQUENCE_MS = 100;

  private static final int LONGEST_SEQUENCE = 8;

  private static final Map<Character, Key> LETTERS =
      Map.ofEntries(
          Map.entry('q', QUIT),
          Map.entry('Q', QUIT),
          Map.entry(CTRL_C, QUIT),
          Map.entry('p', PAUSE),
          Map.entry(' ', PAUSE),
          Map.entry('s', SORT),
          Map.entry('d', DEVICE),
          Map.entry('?', HELP),
          Map.entry('h', HELP),
          Map.entry('j', DOWN),
          Map.entry('k', UP),
          Map.entry(CTRL_L, REDRAW));

  /** The bytes after an escape; O instead of [ in application mode. */
  private static final Map<String, Key> SEQUENCES =
      Map.of("[A", UP, "OA", UP, "[B", DOWN, "OB", DOWN, "[5~", PAGE_UP, "[6~", PAGE_DOWN);

  /** Reads until the terminal is closed; then the action is to quit. */
  static void readAll(NonBlockingReader reader, Queue<Key> keys) {
    try {
      for (int c = reader.read(); c >= 0; c = reader.read()) {
        of((char) c, reader).ifPresent(keys::add);
      }
    } catch (IOException closed) {
      // as at the end of input
    }
    keys.add(QUIT);
  }

  private static Optional<Key> of(char c, NonBlockingReader reader) throws IOException {
    return Optional.ofNullable(c == ESCAPE ? SEQUENCES.get(sequence(reader)) : LETTERS.get(c));
  }

  /** A letter or a tilde ends the sequence, except its first character. */
  private static String sequence(NonBlockingReader reader) throws IOException {
    StringBuilder sequence = new StringBuilder();
    while (sequence.length() < LONGEST_SEQUENCE) {
      int c = reader.read(SEQUENCE_MS);
      if (c < 0) {
        break;
      }
      sequence.append((char) c);
      if (sequence.length() > 1 && (Character.isLetter(c) || c == '~')) {
        break;
      }
    }
    return sequence.toString();
  }
}
