/**
 * A report on a node over a period, as a page, a picture or JSON: {@link ReportBuilder} computes
 * {@link ReportData} from the history, and all other classes only show it.
 */
package org.schedgpu.agent.report;
