/** Makes plans of facts by the administrator's rules. */
package org.schedgpu.gres.rule;
