/**
 * The G queue and the R queue of TSUBAME2.5 with remote GPUs (rCUDA), as the paper on the R queue
 * gives them: its Figures 5 and 6 word for word, equations 1 and 2, and Table 2. Nodes are given
 * out whole or by GPUs; devices are never shared, so that no decision on device memory is made.
 */
package org.schedgpu.papers.remote;
