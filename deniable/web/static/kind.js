// Which page this is: a survey's, a trial's, or the preview of a draft. Its own address alone says so, and with it where answers go;
// nothing that a server tells about the survey is asked. So no field of it can turn one into another.

import { decoded } from "./tab.js";

// Nothing below the organiser's pages is a survey's page: whatever runs there sends nothing.
const ORGANISERS = /^\/organiser(\/|$)/i;
const DRAFT = /^(\/organiser\/drafts\/[0-9a-f]{16})\/preview$/;
// deniable/survey/apart.py has the same; no real survey has a short name that begins so.
const APART = [
  ["trial--", "trial"],
  ["made-up--", "madeUp"],
];

const kindOf = (slug) => APART.find(([prefix]) => slug.startsWith(prefix))?.[1] ?? null;
const lastOf = (path) => decoded(path.split("/").filter(Boolean).pop() ?? "");

/** Where a page asks what to ask (`survey`), and where it sends (`answers`): a preview has no such place. `kind` is what its banner says;
 *  `name` is what the tab remembers things under; `draft` is where a preview came from. A file (`carried`) sends where it says. */
export function placeOf(carried, pathname) {
  if (!carried && ORGANISERS.test(decoded(pathname))) {
    const draft = DRAFT.exec(pathname)?.[1] ?? null;
    return Object.freeze({ kind: "preview", survey: `${pathname}/survey`, answers: null, name: null, draft });
  }
  const slug = lastOf(carried ? carried.address : pathname);
  const survey = carried ? carried.address : `/api/surveys/${encodeURIComponent(slug)}`;
  return Object.freeze({ kind: kindOf(slug), survey, answers: `${survey}/answers`, name: carried ? survey : slug, draft: null });
}
