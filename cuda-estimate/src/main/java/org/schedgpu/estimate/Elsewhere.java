package org.schedgpu.estimate;

import org.eclipse.cdt.core.dom.ast.DOMException;
import org.eclipse.cdt.core.dom.ast.EScopeKind;
import org.eclipse.cdt.core.dom.ast.IASTExpression;
import org.eclipse.cdt.core.dom.ast.IASTFieldReference;
import org.eclipse.cdt.core.dom.ast.IASTIdExpression;
import org.eclipse.cdt.core.dom.ast.IArrayType;
import org.eclipse.cdt.core.dom.ast.IBinding;
import org.eclipse.cdt.core.dom.ast.IParameter;
import org.eclipse.cdt.core.dom.ast.IQualifierType;
import org.eclipse.cdt.core.dom.ast.IScope;
import org.eclipse.cdt.core.dom.ast.IType;
import org.eclipse.cdt.core.dom.ast.ITypedef;
import org.eclipse.cdt.core.dom.ast.IVariable;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPASTInitializerList;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPBase;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPClassType;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPConstructor;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPField;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPMember;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPMethod;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPNamespaceScope;
import org.eclipse.cdt.core.dom.ast.cpp.ICPPVariable;
import org.eclipse.cdt.internal.core.dom.parser.cpp.CPPImplicitConstructor;

/** What code that is not in this source may write: a value that it may change is unknown. */
final class Elsewhere {
  private final ProgramIndex index;

  Elsewhere(ProgramIndex index) {
    this.index = index;
  }

  /** Why another source may set a variable that is no member; null if none can. */
  String whyVariable(IBinding binding) {
    if (!(binding instanceof IVariable variable)
        || binding instanceof IParameter
        || isConstant(variable)) {
      return null;
    }
    boolean isShared = variable.isExtern() || (hasNamespaceScope(variable) && !variable.isStatic());
    return isShared
        ? variable.getName() + " is neither const nor static: another source may set it"
        : null;
  }

  /** Why code elsewhere may set the member that an expression names; null if none can. */
  String whyMember(IASTExpression expression) {
    IASTExpression owner = Tree.plain(expression);
    IBinding member = Tree.variable(owner);
    if (!(member instanceof ICPPField field) || isConstant(field)) {
      return null;
    }
    if (field.isStatic()) {
      return field.getName() + " is neither const nor of one object: another source may set it";
    }
    while (owner instanceof IASTFieldReference reference && !reference.isPointerDereference()) {
      owner = Tree.plain(reference.getFieldOwner());
    }
    IBinding object = owner instanceof IASTIdExpression ? Tree.variable(owner) : null;
    if (!(object instanceof IVariable variable)
        || object instanceof IParameter
        || object instanceof ICPPField
        || !(plain(variable.getType()) instanceof ICPPClassType type)) {
      return "the object with " + field.getName() + " comes from elsewhere";
    }
    String shared = whyVariable(variable);
    return shared != null ? shared : whyObject(variable, type);
  }

  private String whyObject(IVariable object, ICPPClassType type) {
    for (ProgramIndex.Write write : index.writes(object)) {
      boolean isEmpty =
          write.value() instanceof ICPPASTInitializerList list && list.getClauses().length == 0;
      if (!isEmpty) {
        return object.getName() + " changes in line " + Tree.line(write.node());
      }
    }
    for (IBinding called : index.calledOn(object)) {
      boolean isHarmless =
          index.definition(called) != null
              || (called instanceof ICPPMethod method
                  && method.getType() != null
                  && method.getType().isConst());
      if (!isHarmless) {
        return called.getName() + "() may change " + object.getName() + ", and is not here";
      }
    }
    if (index.passesThis()) {
      return "this goes to a function, which may change " + object.getName();
    }
    return isMadeHere(type)
        ? null
        : "a constructor of " + type.getName() + " is not in the files given";
  }

  private boolean isMadeHere(ICPPClassType type) {
    for (ICPPConstructor constructor : type.getConstructors()) {
      if (!(constructor instanceof CPPImplicitConstructor)
          && index.definition(Tree.general(constructor)) == null) {
        return false;
      }
    }
    for (ICPPBase base : type.getBases()) {
      if (!(base.getBaseClass() instanceof ICPPClassType parent) || !isMadeHere(parent)) {
        return false;
      }
    }
    return true;
  }

  private static boolean hasNamespaceScope(IVariable variable) {
    try {
      IScope scope = variable.getScope();
      boolean isUnnamed =
          scope instanceof ICPPNamespaceScope
              && variable.getOwner() != null
              && variable.getOwner().getName().isEmpty();
      return scope != null
          && (scope.getKind() == EScopeKind.eGlobal || scope.getKind() == EScopeKind.eNamespace)
          && !isUnnamed;
    } catch (DOMException unknown) {
      return true;
    }
  }

  private static boolean isConstant(IVariable variable) {
    if (variable instanceof ICPPVariable one && one.isConstexpr()) {
      return true;
    }
    IType type = variable.getType();
    while (type instanceof ITypedef || type instanceof IArrayType) {
      type = type instanceof ITypedef typedef ? typedef.getType() : ((IArrayType) type).getType();
    }
    boolean isOfAll = !(variable instanceof ICPPMember) || variable.isStatic();
    return isOfAll && type instanceof IQualifierType qualified && qualified.isConst();
  }

  private static IType plain(IType given) {
    IType type = given;
    while (type instanceof ITypedef || type instanceof IQualifierType) {
      type =
          type instanceof ITypedef typedef ? typedef.getType() : ((IQualifierType) type).getType();
    }
    return type;
  }
}
