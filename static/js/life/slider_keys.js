/** The keys of a slider over time. */
const PAGE = 10; // points per page key

/** Handle a key at `place`, among the points 0 to `last`; call `go(place)` with the target. */
export function moveSlider(event, place, last, go) {
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
