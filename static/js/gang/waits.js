/** Why a pod group waits: members that have still to come, or need room, and until when those at Permit keep theirs. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { get, of } from "../base/api.js";
import { store } from "../base/store.js";
import { sentence } from "../base/sentence.js";
import { sheet } from "../parts/sheet.js";

await sheet(new URL("./gang.css", import.meta.url));

const UNAVAILABLE = 503; // such as the worker for questions, which starts last
const TRY_LATER = 2000;

/** `cycle`: as that one found it; null for now, which is asked again after each change, once nothing is under way. */
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
          // Others are such as a group that is gone, or a moment that is held back.
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
