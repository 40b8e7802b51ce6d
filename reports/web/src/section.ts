/* A section of the page. One file each in sections/, one line in sections/index.ts; a section that a run has no data for
 * is not shown. */
import type { Run } from "./data";

export interface Section {
  id: string;
  title: string;
  lead: string;                                  // what one learns here
  applies(runs: Run[]): boolean;                 // asked after rows were read when `rows`, else at once
  rows?: boolean;                                // needs jobs.csv or timeline.csv
  render(into: HTMLElement, runs: Run[]): void;
}
