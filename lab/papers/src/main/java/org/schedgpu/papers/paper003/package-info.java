/** Paper 003: the R queue of TSUBAME2.5, remote GPUs against fragmentation. */
package org.schedgpu.papers.paper003;
