// What a tab remembers over a reload, and what its address bar shows.

/** A part of an address as text. */
export function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a link that was cut in the middle of a character
  }
}

/** A value of this tab. Where the browser keeps no data for this site it lives as long as the page. */
export function remembered(key) {
  return {
    get() {
      try {
        return JSON.parse(sessionStorage.getItem(key));
      } catch {
        return null;
      }
    },
    keep(value) {
      try {
        sessionStorage.setItem(key, JSON.stringify(value));
        return true;
      } catch {
        return false;
      }
    },
    forget() {
      try {
        sessionStorage.removeItem(key);
      } catch {
        // Nothing was kept.
      }
    },
  };
}

/** The token stands behind a #, which browsers never send by themselves: it appears in no log. Once read it leaves the address bar, so
 *  that it is not printed, photographed or copied along with the address. */
export function takeToken(ticket) {
  const given = decoded(location.hash.slice(1));
  if (location.hash) history.replaceState(history.state, "", location.pathname + location.search);
  if (given) ticket.keep(given);
  return given || ticket.get();
}
