/** Paper 002. */
package org.schedgpu.papers.paper002;
