/** What every part needs: errors, JSON, tables, sizes, versions. It depends on no other part. */
package org.schedgpu.gres.common;
