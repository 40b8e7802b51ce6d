/* The sections in the order of the page. A further one is a file and a line here. */
import type { Section } from "../section";
import { again } from "./again";
import { assumed } from "./assumed";
import { fragments } from "./fragments";
import { gantt } from "./gantt";
import { goals } from "./goals";
import { headline } from "./headline";
import { lost } from "./lost";
import { network } from "./network";
import { numbers } from "./numbers";
import { queue } from "./queue";
import { spread } from "./spread";
import { teams } from "./teams";
import { unused } from "./unused";
import { usage } from "./usage";

export const sections: Section[] = [headline, goals, usage, unused, queue, spread, teams, gantt, fragments, network, lost, numbers, assumed, again];
