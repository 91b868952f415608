/** The menu of clusters: open, create from an example, import, delete. */
import { html } from "../../vendor/preact.js";
import { createCluster, deleteCluster, openCluster } from "./clusters.js";
import { isOffered, mayEdit } from "../access/allowed.js";
import { _, ngettext, fill } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { openDialog } from "../base/screen.js";
import { store } from "../base/store.js";
import { Menu, MenuItem } from "../parts/menu.js";

const open = (id) => openCluster(id).catch(() => {});
export const createFromExample = (example) =>
  createCluster({ name: _(example.title), example: example.slug }).catch(reportError);

const sizeText = ({ counts }) =>
  `${ngettext("{n} node", "{n} nodes", counts.nodes ?? 0)}, ${ngettext("{n} pod", "{n} pods", counts.pods ?? 0)}`;

const formatTime = (iso) =>
  new Date(iso).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });

export function confirmDelete(cluster) {
  openDialog("confirm", {
    title: fill(_("Delete {name}?"), { name: cluster.name }),
    text: fill(
      _(
        "It was created on {when} and has {cycles} and {size}. This deletes its objects, profiles and " +
          "history. You can restore it for an hour.",
      ),
      {
        when: formatTime(cluster.created),
        cycles: ngettext("{n} cycle", "{n} cycles", cluster.cycle),
        size: sizeText(cluster),
      },
    ),
    action: _("Delete"),
    danger: true,
    run: () => deleteCluster(cluster).catch(reportError),
  });
}

export function ClusterMenu() {
  const cluster = store.cluster.value;
  // Branches have their own menu beside the timeline.
  const clusters = (store.clusters.value ?? []).filter((row) => row.branch.parent === null || row.id === cluster?.id);
  const examples = store.examples.value ?? [];
  const label = html`<b class="cut cluster-name">${cluster?.name ?? _("No cluster yet")}</b>`;
  return html`<${Menu} label=${label} title=${_("Choose or create a cluster")} className="cluster-menu">
    ${(close) => {
      const pick = (run) => () => (close(), run());
      return html`
        ${clusters.length > 0 && html`<p class="menu-head">${_("Clusters")}</p>`}
        <div class="menu-list scroll">
          ${clusters.map(
            (row) => html`<${MenuItem} key=${row.id} current=${row.id === cluster?.id} hint=${sizeText(row)}
              onPick=${pick(() => open(row.id))}
            >${row.name}<//>`,
          )}
        </div>
        <p class="menu-head">${_("Start from an example")}</p>
        ${examples.map(
          (example) => html`<${MenuItem} key=${example.slug} hint=${sizeText({ counts: example })}
            onPick=${pick(() => createFromExample(example))}
          >${_(example.title)}<//>`,
        )}
        <hr />
        <${MenuItem} onPick=${pick(() => openDialog("cluster"))}>${_("New empty cluster")}<//>
        ${
          isOffered("import") &&
          html`<${MenuItem} onPick=${pick(() => openDialog("import"))}>
            ${_("Import nodes and pods")}
          <//>`
        }
        ${
          cluster &&
          mayEdit.value &&
          html`
            <hr />
            <${MenuItem} danger onPick=${pick(() => confirmDelete(cluster))}>
              ${fill(_("Delete {name}"), { name: cluster.name })}
            <//>
          `
        }
      `;
    }}
  <//>`;
}
