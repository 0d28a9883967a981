/** Paper 001: Reaño et al., Intra-node Memory Safe GPU Co-Scheduling (schedGPU), TPDS 2018. */
package org.schedgpu.papers.paper001;
