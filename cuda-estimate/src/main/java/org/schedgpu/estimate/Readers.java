package org.schedgpu.estimate;

import java.util.Set;
import java.util.regex.Pattern;
import org.eclipse.cdt.core.dom.ast.IASTFunctionCallExpression;
import org.eclipse.cdt.core.dom.ast.IASTName;

/** Functions that change no variable given by its name, although no file given declares them. */
final class Readers {
  /** Of C, CUDA and MPI: C knows no references. And of the standard library of C++. */
  private static final Pattern NAMES =
      Pattern.compile(
          "cuda[A-Z].*|cu[A-Z].*|(cublas|cufft|curand|cusparse|cusolver|cudnn|nccl|nvtx|nvml).*"
              + "|MPI_.*|omp_.*|v?(f|s|sn)?w?printf|f?puts|putchar|(m|c|re)alloc|free|exit|abort"
              + "|assert|atexit|mem(set|cpy|move|cmp)|str[a-z]+|ato[a-z]+|f?(open|close|read|write)"
              + "|fseek|fflush|s?rand(om|48)?|time|clock|u?sleep|(re)?size|resize|reserve|push_back"
              + "|emplace(_back)?|at|assign|insert|fill|append|substr|set(w|precision)|to_string"
              + "|min|max|f?(abs|min|max|mod)|pow|sqrt|cbrt|exp2?|log(2|10)?|ceil|floor|l?l?round"
              + "|sin|cos|tan|static_assert|sizeof|move|make_(cuda\\w+|[a-z]+[1-4]|pair|tuple"
              + "|unique|shared)|int|long|float|double|size_t");

  private static final Set<String> SPACES = Set.of("std", "thrust", "cub");

  /** The launch configuration of a kernel, which is blanks here. */
  private static final Pattern LAUNCH = Pattern.compile("^[\\w:<>, ]*\\s{7,}\\(");

  private Readers() {}

  static boolean isNamed(IASTName name) {
    String text = name.toString();
    int space = text.indexOf("::");
    return NAMES.matcher(Tree.simple(name)).matches()
        || (space > 0 && SPACES.contains(text.substring(0, space)));
  }

  /** The parameters of a kernel are no references. */
  static boolean isLaunch(IASTFunctionCallExpression call) {
    return LAUNCH.matcher(call.getRawSignature()).find();
  }
}
