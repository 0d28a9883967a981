package org.schedgpu.estimate;

import java.util.HashMap;
import java.util.Map;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPTemplateParameterMap;

/**
 * One call of a function: the values of its parameters, and of the variables of loops around.
 *
 * @param bound values by parameter or variable
 * @param templates what the parameters of templates are; null if none are
 * @param count how often it is called this way; unknown with the reason
 */
record Frame(Map<IBinding, Value> bound, ICPPTemplateParameterMap templates, Value count) {
  /** A function that nothing calls, so that nothing is known about its parameters. */
  static final Frame OUTERMOST = new Frame(Map.of(), null, Value.of(1));

  /** The same with the value of one more variable. */
  Frame with(IBinding variable, Value value) {
    Map<IBinding, Value> more = new HashMap<>(bound);
    more.put(variable, value);
    return new Frame(more, templates, count);
  }
}
