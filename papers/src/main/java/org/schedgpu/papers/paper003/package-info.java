/** Paper 003. */
package org.schedgpu.papers.paper003;
