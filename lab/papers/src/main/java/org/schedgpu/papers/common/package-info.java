/** A result beside the paper's, and the ways to show it: text, Markdown, HTML, pictures. */
package org.schedgpu.papers.common;
