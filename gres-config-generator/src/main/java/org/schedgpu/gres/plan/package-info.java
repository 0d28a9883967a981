/** How the devices of nodes are shared: the intended state, independent of the files in place. */
package org.schedgpu.gres.plan;
