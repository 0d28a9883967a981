/** Makes plans from facts and the administrator's rules. */
package org.schedgpu.gres.rule;
