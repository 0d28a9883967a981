/**
 * What happened on a node over a while, as a page, a picture or JSON: {@link ReportData} is worked
 * out of the history, and everything else only shows it.
 */
package org.schedgpu.agent.report;
