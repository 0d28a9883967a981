package org.schedgpu.rest;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.schedgpu.rest.SlurmRestException.Kind;

/**
 * Calls with a time limit on the whole call. A call is repeated only if that is safe: questions
 * always, changes only if the server cannot have received them.
 */
final class Calls {
  private static final int ATTEMPTS = 3;
  private static final Set<Integer> BUSY = Set.of(502, 503, 504);

  /** Daemon threads, so that a call that hangs does not keep the program from ending. */
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "slurmrestd call");
            thread.setDaemon(true);
            return thread;
          });

  private final Duration timeout;
  private final Duration pause;
  private final Failures failures;

  Calls(SlurmRestAddress address, Duration pause) {
    timeout = address.timeout();
    this.pause = pause;
    failures = new Failures(address);
  }

  /** Asks a question, and asks again after a failure that may be temporary. */
  <T> T ask(String what, Callable<T> call) throws SlurmRestException {
    return repeatedly(what, call, true);
  }

  /** Changes something. */
  <T> T change(String what, Callable<T> call) throws SlurmRestException {
    return repeatedly(what, call, false);
  }

  private <T> T repeatedly(String what, Callable<T> call, boolean harmless)
      throws SlurmRestException {
    for (int attempt = 1; ; attempt++) {
      try {
        return once(what, call);
      } catch (SlurmRestException e) {
        boolean again = e.kind() == Kind.UNREACHABLE || (harmless && mayPass(e));
        if (!again || attempt == ATTEMPTS) {
          throw e;
        }
        sleep(what, attempt);
      }
    }
  }

  private static boolean mayPass(SlurmRestException e) {
    return e.kind() == Kind.MALFORMED
        || (e.kind() == Kind.REFUSED && BUSY.contains(statusOf(e.getCause())));
  }

  private static int statusOf(Throwable e) {
    if (e instanceof org.schedgpu.rest.generated.v0038.invoker.ApiException api) {
      return api.getCode();
    }
    return e instanceof org.schedgpu.rest.generated.v0040.invoker.ApiException api
        ? api.getCode()
        : 0;
  }

  private <T> T once(String what, Callable<T> call) throws SlurmRestException {
    Future<T> future = THREADS.submit(call);
    try {
      return future.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause
          ? failures.of(what, cause)
          : failures.of(what, e);
    } catch (TimeoutException e) {
      future.cancel(true);
      throw failures.with(
          Kind.TIMED_OUT, what, "no whole answer within " + timeout.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      future.cancel(true);
      throw interrupted(what, e);
    }
  }

  private void sleep(String what, int attempt) throws SlurmRestException {
    try {
      Thread.sleep(pause.toMillis() * attempt);
    } catch (InterruptedException e) {
      throw interrupted(what, e);
    }
  }

  private SlurmRestException interrupted(String what, InterruptedException e) {
    Thread.currentThread().interrupt();
    return failures.with(Kind.TIMED_OUT, what, "interrupted", e);
  }
}
