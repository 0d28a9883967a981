/* printable.h - texts that somebody chose, for a line of a log or a terminal. */
#ifndef SCHEDGPU_PRINTABLE_H
#define SCHEDGPU_PRINTABLE_H

/**
 * Makes one line of a text: a semicolon where a line ended, and a question mark for each byte of
 * what steers a terminal, turns the direction of writing around, cannot be seen, or is no UTF-8.
 * Thread-safe. The Java side: Printable.java.
 */
void sg_printable(char *text);

#endif
