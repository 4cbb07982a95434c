// The report of one activity: /rides/ID.

import { Report } from "../report/report.js";

export function open(app, [id]) {
  const report = new Report(app, id);
  report.load();
  return {
    title: () => report.title, parent: "/rides",
    element: report.element,
    update: () => report.update(),
    recordActivity: record => report.recordActivity(record),
    close: () => report.close(),
  };
}
