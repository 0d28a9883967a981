/* utf8.h - characters of a text. */
#ifndef SCHEDGPU_UTF8_H
#define SCHEDGPU_UTF8_H
#include <stddef.h>
#include <stdint.h>

/**
 * Decodes the character at `text`, which ends with a NUL (RFC 3629).
 *
 * @return its length in bytes, 1 to 4; 0 if it is invalid, a surrogate, or longer than it need be.
 *     Thread-safe.
 */
size_t sg_utf8_character(const char *text, uint32_t *character);

#endif
