// An answer is drawn once. A server that takes a report, says that it did not, and asks again would get a second draw of the same answer;
// the majority of enough draws is the answer. So whatever leaves this tab counts until a server acknowledges it: the odds of all draws
// multiply, whatever the questions and the survey are called by then. Beyond the limit of a single draw nothing more is sent.

import { MOST_ODDS } from "./rules.js";

const KEY = "deniable-drawn";
// Lives as long as the page.
let here = 1;

/** What the tab remembers over a reload: in its session storage, which a server may have the browser clear (Clear-Site-Data) and some
 *  browsers do not give to a page, and in its name. */
const tab = {
  get() {
    const named = window.name.startsWith(`${KEY}=`) ? Number(window.name.slice(KEY.length + 1)) : 1;
    try {
      return Math.max(named, Number(sessionStorage.getItem(KEY) ?? 1));
    } catch {
      return named;
    }
  },
  keep(odds) {
    window.name = odds > 1 ? `${KEY}=${odds}` : "";
    try {
      if (odds > 1) sessionStorage.setItem(KEY, String(odds));
      else sessionStorage.removeItem(KEY);
    } catch {
      // The name remembers it.
    }
  },
};

/** How many times what left this tab and was not acknowledged may have changed the odds of one answer. */
function spent() {
  const most = Math.max(here, tab.get());
  return most >= 1 ? most : Infinity;
}

/** What another draw of these questions may change at most. */
const oddsOf = (survey) => Math.max(...survey.elements.map((element) => element.odds));

/** Whether the answers to a survey may be drawn (once more). */
export const mayDraw = (survey) => spent() * oddsOf(survey) <= MOST_ODDS;

/** Before anything is drawn: from here on it counts. Gives the odds of this draw, to be taken back once it is acknowledged. */
export function count(survey) {
  here = spent() * oddsOf(survey);
  tab.keep(here);
  return oddsOf(survey);
}

/** A server says that it has stored what was drawn: that draw counts no more. Others that it denied still do. */
export function acknowledged(odds) {
  here = Math.max(1, spent() / (odds >= 1 ? odds : 1));
  tab.keep(here);
}
