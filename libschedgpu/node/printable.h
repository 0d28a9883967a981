/* printable.h - makes texts that a user chose safe for a log or a terminal. */
#ifndef SCHEDGPU_PRINTABLE_H
#define SCHEDGPU_PRINTABLE_H

/**
 * Turns a text into one line: a semicolon for each end of a line, and a question mark for each byte
 * of a control sequence, of a character that changes the direction of writing or is invisible, or
 * of invalid UTF-8. Thread-safe. The Java counterpart is Printable.java.
 */
void sg_printable(char *text);

#endif
