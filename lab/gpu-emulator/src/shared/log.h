/* log.h - messages of the emulator, all on stderr and all beginning "emulated GPU: ". */
#ifndef EMULATED_GPU_LOG_H
#define EMULATED_GPU_LOG_H

/* A problem that the user must know or solve. */
void log_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A call, shown only with EMULATED_GPU_LOG=1. */
void log_call(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
