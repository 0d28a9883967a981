/**
 * Budgets as limits of the driver, where it has limits per control group: they hold also for
 * programs that do not ask.
 */
package org.schedgpu.agent.limit;
