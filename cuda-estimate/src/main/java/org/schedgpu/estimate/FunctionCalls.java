package org.schedgpu.estimate;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.eclipse.cdt.core.dom.ast.IASTCompoundStatement;
import org.eclipse.cdt.core.dom.ast.IASTEqualsInitializer;
import org.eclipse.cdt.core.dom.ast.IASTFunctionCallExpression;
import org.eclipse.cdt.core.dom.ast.IASTFunctionDefinition;
import org.eclipse.cdt.core.dom.ast.IASTInitializer;
import org.eclipse.cdt.core.dom.ast.IASTInitializerClause;
import org.eclipse.cdt.core.dom.ast.IASTName;
import org.eclipse.cdt.core.dom.ast.IASTReturnStatement;
import org.eclipse.cdt.core.dom.ast.IASTStatement;
import org.eclipse.cdt.core.dom.ast.IASTTypeId;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.IType;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTConstructorInitializer;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTFunctionDeclarator;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTInitializerList;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTParameterDeclaration;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPTemplateInstance;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPTemplateParameterMap;
import org.eclipse.cdt.internal.core.dom.parser.cpp.semantics.CPPVisitor;

/** The arguments with which functions are called, and the values of simple functions. */
final class FunctionCalls {
  private static final int MAX_FRAMES = 512;

  private final ProgramIndex index;
  private final Evaluator evaluator;
  private final Set<IBinding> open = new HashSet<>();

  FunctionCalls(ProgramIndex index, Evaluator evaluator) {
    this.index = index;
    this.evaluator = evaluator;
  }

  /** The value of a function that consists of one {@code return}. */
  Value of(IASTFunctionCallExpression call, Frame frame) {
    Value unknown = Value.unknown(Tree.text(call) + " is known only when the program runs");
    IASTName name = Tree.calledName(call);
    if (name == null) {
      return unknown;
    }
    IBinding function = name.resolveBinding();
    IASTFunctionDefinition definition = index.definition(Tree.general(function));
    if (definition == null || !(onlyStatement(definition) instanceof IASTReturnStatement back)) {
      return unknown;
    }
    if (!open.add(Tree.general(function))) {
      return Value.unknown(name + " calls itself");
    }
    try {
      return evaluator.of(back.getReturnArgument(), frame(call, function, definition, frame));
    } finally {
      open.remove(Tree.general(function));
    }
  }

  private static IASTStatement onlyStatement(IASTFunctionDefinition definition) {
    return definition.getBody() instanceof IASTCompoundStatement body
            && body.getStatements().length == 1
        ? body.getStatements()[0]
        : null;
  }

  /**
   * All ways in which a function is called in the files given; one outermost frame if it is not.
   *
   * @param loops counts how often a call is executed in a frame of its own function
   */
  List<Frame> frames(IASTFunctionDefinition definition, Loops loops) {
    if (definition == null) {
      return List.of(Frame.OUTERMOST);
    }
    IBinding function = Tree.general(definition.getDeclarator().getName().resolveBinding());
    List<IASTFunctionCallExpression> callers = index.callers(function);
    if (callers.isEmpty() || !open.add(function)) {
      return List.of(Frame.OUTERMOST);
    }
    try {
      List<Frame> frames = new ArrayList<>();
      for (IASTFunctionCallExpression call : callers) {
        IBinding called = Tree.calledName(call).resolveBinding();
        for (Frame outer : frames(Tree.functionOf(call), loops)) {
          if (Tree.isInside(call, definition)) {
            continue;
          }
          Frame inner = frame(call, called, definition, outer);
          Value count = loops.times(call, outer);
          Map<IBinding, Value> bound = index.isForOthers(function) ? Map.of() : inner.bound();
          frames.add(new Frame(bound, inner.templates(), count));
          if (frames.size() > MAX_FRAMES) {
            return List.of(
                new Frame(
                    Map.of(), null, Value.unknown(function.getName() + " has too many calls")));
          }
        }
      }
      return frames.isEmpty() ? List.of(Frame.OUTERMOST) : frames;
    } finally {
      open.remove(function);
    }
  }

  private Frame frame(
      IASTFunctionCallExpression call,
      IBinding called,
      IASTFunctionDefinition definition,
      Frame outer) {
    Map<IBinding, Value> bound = new HashMap<>();
    if (definition.getDeclarator() instanceof ICPPASTFunctionDeclarator declarator) {
      ICPPASTParameterDeclaration[] parameters = declarator.getParameters();
      for (int i = 0; i < parameters.length; i++) {
        IASTInitializerClause given =
            i < call.getArguments().length
                ? call.getArguments()[i]
                : single(parameters[i].getDeclarator().getInitializer());
        IBinding parameter = parameters[i].getDeclarator().getName().resolveBinding();
        if (given != null && parameter != null && index.writes(parameter).isEmpty()) {
          bound.put(parameter, evaluator.of(given, outer));
        }
      }
    }
    return new Frame(bound, templates(called, outer), Value.of(1));
  }

  private static ICPPTemplateParameterMap templates(IBinding called, Frame outer) {
    return called instanceof ICPPTemplateInstance instance
        ? instance.getTemplateParameterMap()
        : outer.templates();
  }

  /** The one expression of an initializer; null if there is none. */
  static IASTInitializerClause single(IASTInitializer initializer) {
    if (initializer instanceof IASTEqualsInitializer equals) {
      return equals.getInitializerClause();
    }
    IASTInitializerClause[] all =
        initializer instanceof ICPPASTConstructorInitializer made
            ? made.getArguments()
            : initializer instanceof ICPPASTInitializerList list
                ? list.getClauses()
                : new IASTInitializerClause[0];
    return all.length == 1 ? all[0] : null;
  }

  /** The type as written. */
  static IType type(IASTTypeId typeId) {
    return CPPVisitor.createType(typeId);
  }
}
