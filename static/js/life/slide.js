/** The keys of a slider over time. */
const PAGE = 10; // points that a page key moves by

/** Where a key leads from `place`, of the points 0 to `last`; `go(place)` goes there. */
export function slide(event, place, last, go) {
  const places = {
    ArrowLeft: place - 1,
    ArrowDown: place - 1,
    ArrowRight: place + 1,
    ArrowUp: place + 1,
    PageDown: place - PAGE,
    PageUp: place + PAGE,
    Home: 0,
    End: last,
  };
  if (!(event.key in places)) return;
  event.preventDefault();
  go(Math.max(0, Math.min(last, places[event.key])));
}
