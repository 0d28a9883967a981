package org.schedgpu.integration;

import java.lang.reflect.Method;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.TestAbortedException;

/**
 * Where a class lacks something before all of its tests, each of them is skipped for that reason:
 * of a class that is aborted as a whole, Surefire reports neither a test nor the reason. The other
 * methods before all are then not called. An instance belongs to one class, whose tests run in one
 * thread.
 */
final class SkipsEach implements InvocationInterceptor, BeforeEachCallback {
  private TestAbortedException reason;

  @Override
  public void interceptBeforeAllMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    if (reason != null) {
      invocation.skip();
      return;
    }
    try {
      invocation.proceed();
    } catch (TestAbortedException e) {
      reason = e;
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (reason != null) {
      throw new TestAbortedException(reason.getMessage(), reason);
    }
  }
}
