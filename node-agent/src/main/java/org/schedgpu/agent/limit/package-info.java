/**
 * Budgets as limits of the driver, where it has limits per control group. They also hold for
 * programs that do not ask.
 */
package org.schedgpu.agent.limit;
