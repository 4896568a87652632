// Has the editor make at once what is set on a thread.
//
// The editor collects what is set on a thread, and passes it on when nothing was set there for 100 ms. Who types sees a thread
// beside its lines for that long, at every key that moves it. Nothing else waits: a range that is passed on at once is in
// the window some milliseconds later. The setter starts the editor's timer before it returns, so while it runs, a timer of just
// that length is made short. An editor that has no such timer is as before.

/** After so many milliseconds without another one, the editor passes on what was set on a thread. */
export const COLLECTED = 100;

/** Sets something, and says after how many milliseconds the editor passes it on. */
export function atOnce(set: () => void): number {
  const later = globalThis.setTimeout;
  let pause = COLLECTED;
  const short = (call: (...words: unknown[]) => void, asked?: number, ...words: unknown[]) => {
    if (asked !== COLLECTED) {
      return later(call, asked, ...words);
    }
    pause = 0;
    return later(call, 0, ...words);
  };
  globalThis.setTimeout = Object.assign(short, later) as typeof setTimeout;
  try {
    set();
  } finally {
    globalThis.setTimeout = later;
  }
  return pause;
}
