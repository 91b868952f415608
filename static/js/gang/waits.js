/** Why a pod group waits: members that are missing or need space, and the timeout of those at Permit. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { store } from "../base/store.js";
import { sentence } from "../base/sentence.js";
import { sheet } from "../parts/sheet.js";

await sheet(new URL("./gang.css", import.meta.url));

const UNAVAILABLE = 503; // for example, the worker for questions starts last
const TRY_LATER = 2000;

/** `cycle`: the state before it; null for now, which is fetched again after each change, when the server is idle. */
export function Waits({ group, cycle = null }) {
  const [waits, setWaits] = useState([]);
  const { id, revision } = store.cluster.value;
  const path = of(id, "groups", ...group.split("/")) + (cycle === null ? "" : `?cycle=${cycle}`);
  const isBusy = cycle === null && Boolean(store.busy.value);
  useEffect(() => {
    if (isBusy) return;
    let timer = 0;
    let mine = true;
    const ask = () =>
      get(path).then(
        (answer) => mine && setWaits(answer.waits),
        (error) => {
          if (!mine) return;
          // Other errors: the group is deleted, or the moment is withheld.
          if (error.status === UNAVAILABLE) timer = setTimeout(ask, TRY_LATER);
          else setWaits([]);
        },
      );
    ask();
    return () => {
      mine = false;
      clearTimeout(timer);
    };
  }, [path, cycle ?? revision, isBusy]);
  return waits.map((one) => html`<p key=${one.template} class="group-waits quiet">${sentence(one)}</p>`);
}
