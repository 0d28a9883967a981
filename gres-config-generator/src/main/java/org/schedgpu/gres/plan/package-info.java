/** How the devices of nodes are shared: what is to be, whatever the files are. */
package org.schedgpu.gres.plan;
