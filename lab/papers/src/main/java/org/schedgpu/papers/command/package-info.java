/** The program behind {@code make papers}. */
package org.schedgpu.papers.command;
