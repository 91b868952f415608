/** Why a pod group waits: members that are missing or need space, and the timeout of those at Permit. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get, clusterPath } from "../base/api.js";
import { store } from "../base/store.js";
import { translateSentence } from "../base/sentence.js";
import { loadStyleSheet } from "../parts/style_sheet.js";

await loadStyleSheet(new URL("./gang.css", import.meta.url));

const UNAVAILABLE = 503; // for example, the worker for questions starts last
const TRY_LATER = 2000;

/** `cycle`: the state before it; null for now, which is fetched again after each change, when the server is idle. */
export function Waits({ group, cycle = null }) {
  const [waits, setWaits] = useState([]);
  const { id, revision } = store.cluster.value;
  const path = clusterPath(id, "groups", ...group.split("/")) + (cycle === null ? "" : `?cycle=${cycle}`);
  const isBusy = cycle === null && Boolean(store.busy.value);
  useEffect(() => {
    if (isBusy) return;
    let timer = 0;
    let isMounted = true;
    const ask = () =>
      get(path).then(
        (answer) => isMounted && setWaits(answer.waits),
        (error) => {
          if (!isMounted) return;
          // Other errors: the group is deleted, or the moment is withheld.
          if (error.status === UNAVAILABLE) timer = setTimeout(ask, TRY_LATER);
          else setWaits([]);
        },
      );
    ask();
    return () => {
      isMounted = false;
      clearTimeout(timer);
    };
  }, [path, cycle ?? revision, isBusy]);
  return waits.map(
    (reason) => html`<p key=${reason.template} class="group-waits quiet">${translateSentence(reason)}</p>`,
  );
}
