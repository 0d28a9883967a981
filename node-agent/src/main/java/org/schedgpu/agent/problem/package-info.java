/**
 * What goes wrong, in words for who reads it: the exception that ends a command or a question, and
 * what the doctor finds.
 */
package org.schedgpu.agent.problem;
