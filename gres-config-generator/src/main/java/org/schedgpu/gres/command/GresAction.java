package org.schedgpu.gres.command;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.schedgpu.gres.common.GresException;
import org.schedgpu.gres.common.OutOfMemory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The base of each command of {@code schedgpu gres}: it sets up the output and reports failures. A
 * problem with the plan, the files or Slurm, or too little memory, gives one line on stderr and
 * status 1.
 */
abstract class GresAction implements Callable<Integer> {
  static final int OK = 0;
  static final int FAILED = 1;

  @Spec private CommandSpec spec;

  @Override
  public final Integer call() {
    try {
      return run();
    } catch (GresException e) {
      err().println(e.getMessage());
    } catch (OutOfMemoryError e) {
      err().println(OutOfMemory.message());
    }
    return FAILED;
  }

  /**
   * Runs the command.
   *
   * @return the exit status
   * @throws GresException if the command fails
   * @throws ParameterException if the options contradict each other
   */
  abstract int run();

  final CommandSpec spec() {
    return spec;
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }
}
