/**
 * Problems as text: the exception that ends a command or a question, and the findings of the
 * doctor.
 */
package org.schedgpu.agent.problem;
