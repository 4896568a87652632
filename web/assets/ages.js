// How long ago things were, while a page stays open; in the words of the server (pages/when.rs).

import { all, whenIdle } from "./dom.js";

const MINUTE = 60000;
// Units: from which minute on, and their minutes.
const UNITS = [["year", 1051200, 525600], ["month", 100800, 43200], ["week", 20160, 10080], ["day", 1440, 1440], ["hour", 60, 60], ["minute", 1, 1]];
const words = new Intl.RelativeTimeFormat("en");

function ago(moment) {
  const minutes = Math.floor((Date.now() - Date.parse(moment)) / MINUTE);
  const [unit, , size] = UNITS.find(([, from]) => minutes >= from) ?? [];
  return unit ? words.format(-Math.floor(minutes / size), unit) : "just now";
}

function tell() {
  for (const time of all("time[datetime]")) {
    const now = ago(time.dateTime);
    if (time.textContent !== now) time.textContent = now;
  }
}

tell();
setInterval(() => whenIdle(tell), MINUTE);
