/** The share dialog: the link and the embed code with copy buttons, and stored shares. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { problemText } from "../base/api.js";
import { _, fill, formatNumber } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { copyText, copyResultText, deleteShare, embedCode, loadShares, makeShare } from "./shares.js";
import { store } from "../base/store.js";
import { Dialog } from "../parts/dialog.js";

const formatSize = (bytes) => fill(_("{n} KiB"), { n: formatNumber(Math.max(1, Math.round(bytes / 1024))) });

function CopyField({ id, label, text, rows }) {
  const [status, setStatus] = useState("");
  useEffect(() => setStatus(""), [text]);
  const run = async () => setStatus(copyResultText(await copyText(text)));
  const select = (event) => event.currentTarget.select();
  return html`<div class="share-text">
    <label for=${id}>${label}</label>
    <div class="row">
      ${
        rows
          ? html`<textarea id=${id} class="mono" rows=${rows} readonly spellcheck="false" value=${text}
            onFocus=${select}
          ></textarea>`
          : html`<input id=${id} class="mono" readonly value=${text} onFocus=${select} />`
      }
      <button type="button" class="btn" onClick=${run}>${_("Copy")}</button>
    </div>
    <p class="quiet" role="status">${status}</p>
  </div>`;
}

function storageText({ id, path, size }) {
  if (id)
    return fill(_("The playground stores this snapshot ({size}) under an ID that cannot be guessed."), {
      size: formatSize(size),
    });
  return fill(
    _("The link contains the whole snapshot ({n} characters after the #). The server stores and logs " + "nothing."),
    { n: formatNumber(path.split("#")[1].length) },
  );
}

function Stored({ rows, forget }) {
  return html`<details class="share-stored">
    <summary>${fill(_("Your stored snapshots: {n}"), { n: formatNumber(rows.length) })}</summary>
    <ul>
      ${rows.map(
        (row) => html`<li key=${row.id} class="row">
          <a class="grow cut" href=${`/s/${row.id}/`} target="_blank" rel="noopener">${row.title || row.id}</a>
          <span class="quiet num">${formatSize(row.size)}</span>
          <span class="quiet">${row.emulates}</span>
          <button type="button" class="btn small" aria-label=${fill(_("Delete {name}"), { name: row.title || row.id })}
            onClick=${() => forget(row.id)}
          >${_("Delete")}</button>
        </li>`,
      )}
    </ul>
  </details>`;
}

export function ShareDialog() {
  const [made, setMade] = useState(null);
  const [problems, setProblems] = useState([]);
  const [stored, setStored] = useState(false);
  const [rows, setRows] = useState([]);
  const refresh = () => loadShares().then(setRows, reportError);
  useEffect(() => {
    setProblems([]);
    makeShare("", stored).then(
      (share) => (setMade(share), refresh()),
      (error) => (setMade(null), setProblems(error.problems ?? [{ rule: error.message }])),
    );
  }, [stored]);
  const forget = (id) =>
    deleteShare(id).then(
      () => (id === made?.id ? (setMade(null), setStored(false)) : undefined, refresh()),
      reportError,
    );
  const shown = store.shown.value;
  const moment = shown
    ? fill(_("cycle {n}, step {step}"), { n: formatNumber(shown.record.cycle.number), step: shown.step })
    : _("before the first cycle");
  return html`<${Dialog} title=${_("Share a snapshot")} wide>
    <p>
      ${_(
        "Anyone with the link can view and step through this snapshot without an account, but cannot " +
          "change it. Later events are not included.",
      )}
    </p>
    ${
      made &&
      html`
        <p class="quiet">${made.title} · ${moment} · ${fill(_("emulates {version}"), { version: made.emulates })}</p>
        <${CopyField} id="share-link" label=${_("Link")} text=${location.origin + made.path} />
        <${CopyField} id="share-embed" label=${_("Code to embed it in another page")} text=${embedCode(made)}
          rows=${3} />
        <p class="quiet">${storageText(made)}</p>
        ${
          !made.id &&
          html`<p>
            <button type="button" class="btn" onClick=${() => setStored(true)}>
              ${_("Make a short link instead")}
            </button>
          </p>`
        }
      `
    }
    ${!made && !problems.length && html`<p class="quiet">${_("Loading…")}</p>`}
    ${
      problems.length > 0 &&
      html`<ul class="problems" role="alert">${problems.map((each) => html`<li>${problemText(each)}</li>`)}</ul>`
    }
    ${rows.length > 0 && html`<${Stored} rows=${rows} forget=${forget} />`}
  <//>`;
}
