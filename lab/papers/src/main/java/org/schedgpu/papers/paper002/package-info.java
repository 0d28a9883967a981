/** Paper 002: reservation of device memory by priority (RBDM), and HPFW and SM-HPFW for waiters. */
package org.schedgpu.papers.paper002;
