/** The commands of {@code schedgpu gres}, their options and what they print. */
package org.schedgpu.gres.command;
