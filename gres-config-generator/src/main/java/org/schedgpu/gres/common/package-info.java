/**
 * What every package here needs: errors, JSON, tables, sizes, versions. It depends on no other
 * package of this module.
 */
package org.schedgpu.gres.common;
