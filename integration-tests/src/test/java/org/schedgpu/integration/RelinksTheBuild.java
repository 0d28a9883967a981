package org.schedgpu.integration;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A test class that links libraries of the build again, for another place of installation. No other
 * class of this module runs at the same time ({@link BuildLock}).
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface RelinksTheBuild {}
