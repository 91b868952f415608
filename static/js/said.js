/** What the server says in free text, in the language of the page. What is not known here stays as it was said. */
import { _, fill } from "./i18n.js";

/** Marks a template for translators; places are what the server put in. */
export const template = (text) => text;

/** Of the playground itself: a translation takes its place. */
const OURS = [
  template("NUMA zones are not looked at"),
  template("Yunikorn's queues do not decide which pod goes where"),
  template("apply it to see what comes of it"),
  template("ask about a later cycle, near a checkpoint"),
  template("ask again in a moment"),
  template("at most {n} new moments a minute"),
  template("batch resources are not fitted"),
  template("branches were forked from it: {names}"),
  template("bring that back first"),
  template("changes what it lists ({fields})"),
  template("delete clusters, or make room on the disk that holds DATA_DIR"),
  template("delete one"),
  template("delete some"),
  template("delete these first"),
  template("does not wait at Permit"),
  template("elastic quotas hold nobody back"),
  template("export it as a scenario"),
  template("given more than once, the first was kept: {kinds}"),
  template("has ended already: {phase}"),
  template("has {cells} cells where the header has {columns}"),
  template("hints for single pods are passed over"),
  template("holds no object of the API"),
  template("import it as a new cluster"),
  template("import the one that you mean by itself"),
  template("import what `kubectl kustomize` prints for it"),
  template("is a kustomization, which names files: import its folder, or what `kubectl kustomize` prints"),
  template("is given twice in one mapping"),
  template("is larger than {n} bytes"),
  template("is left out: nothing is known of it"),
  template("is managed by the DaemonSet {name}"),
  template("is no CSV: {why}"),
  template("is no JSON: {why}"),
  template("is no YAML: {why}"),
  template("is no field here; there are: {names}"),
  template("is none of the options"),
  template("is not a branch of the same cluster"),
  template("is not a field of {kind}"),
  template("is not allowed"),
  template("is required for {kind}"),
  template("it has {n}"),
  template("it was forked from {name}, which is deleted"),
  template("it is out of tree, of {project}: leave it out, or name a module that has it (PLUGINS, --plugins)"),
  template("lists {name}, which is not here"),
  template("look at a cycle"),
  template("many shared moments are being opened"),
  template("more than {n} documents"),
  template("more than {n} objects"),
  template("more than {n} problems; the rest was not looked at"),
  template("more than {n} rows"),
  template("more than {n} values"),
  template("no plugin has the name {name}: this disables nothing"),
  template("must be JSON: {why}"),
  template("must be UTF-8 text, but byte {n} is not"),
  template("must be a number above 0 and at most {most}"),
  template("must be a whole number from 0 to {most}"),
  template("must be an object with apiVersion and kind"),
  template("must be nested at most {n} levels deep"),
  template("must be one of {choices}"),
  template("must be text of at most {n} characters"),
  template("must have {least} to {most} objects"),
  template("no answer came within {n} s"),
  template("no more than {n} clusters a user"),
  template("no pod waits that could be tried"),
  template("no priority class tolerates being preempted for a while"),
  template("no profile has the pod's schedulerName"),
  template("no profile schedules this pod"),
  template("no worker that answers questions is running"),
  template("nodes are not compared by their measured load"),
  template("nodes are not overcommitted"),
  template("nodes are not scored by a label or annotation"),
  template("nodes are not scored by how little is left"),
  template("nodes are not scored by terminating and nominated pods"),
  template("nodes are not scored by the power that they would draw"),
  template("nodes are not scored by the shape of their room"),
  template("nodes are not scored by their size"),
  template("not listed by a kustomization: {names}"),
  template("nothing is asked here: begin the check first"),
  template("nothing is waited for here: begin the check first"),
  template("only a pod that runs can end; delete it"),
  template("only the configuration is taken; nothing else in it is read by scheduling: {kinds}"),
  template("parts of GPUs are not counted"),
  template("pause the run, or share when it is over"),
  template("placement policies are passed over"),
  template("pods are not patched before they are bound"),
  template("pods come by priority and age, not in the order of their application's parts"),
  template("pods do not fall back to other kinds of GPUs"),
  template("pods do not keep away from nodes with scarce resources"),
  template("pods of one priority come in the order of their age, not of their QoS class"),
  template("preemption is left out, unless DefaultPreemption is enabled"),
  template("preemption stays on one node"),
  template("quote it: in YAML, y, n, yes, no, on and off are booleans too"),
  template("reclaimed resources are not balanced"),
  template("reclaimed resources are not fitted"),
  template("reservations hold no room"),
  template("resources have no strategies of their own"),
  template("share it with a profile without extenders"),
  template("the answer has more than {n} bytes"),
  template("the broker, which takes questions to a worker, does not answer"),
  template("the cluster has just gone on"),
  template("the cluster is still busy with earlier commands"),
  template("the cluster is still busy"),
  template("the cluster's quota of {quota} MiB is used up: its history takes {used} MiB"),
  template("the cost of the network between pods is not weighed"),
  template("the database does not answer"),
  template("the disks' throughput is not compared"),
  template("the engine failed: {why}"),
  template("the fragmentation of GPUs is not weighed"),
  template("the pods of a group are not placed all together or not at all"),
  template("the risk of overcommitted nodes is not weighed"),
  template("the server failed; its log says why"),
  template("the system calls of neighbours are not compared"),
  template("there are {n} configurations, and a cluster has one: {places}"),
  template("there is already a {kind} of this name in document {n}"),
  template("there is already a {kind} of this name in {file}"),
  template("there is no column for the name"),
  template("there is no object in this text"),
  template("there is no row in these files"),
  template("there is no such {kind}"),
  template("there is nothing here"),
  template("there is nothing here, or nothing of yours"),
  template("there is nothing in it that scheduling uses"),
  template("this attempt cannot be explained: {why}"),
  template("this part of the history was thinned out, and {why}"),
  template("throttles hold nobody back"),
  template("try again in a minute"),
  template("try again in a moment"),
  template("try again later"),
  template("try again when it is"),
  template("try again"),
  template("without {plugin} (of {project}) at {points}"),
  template("without {plugin} at {points}"),
  template("working out the answer takes longer than {n} s"),
  template("{kind} exists already"),
  template("{kind} is given twice"),
  template("{n} commands wait already"),
  template("{n} more problems are not listed"),
  template("{n} workers ended while they applied this command; it is not tried again"),
];

/** Kubernetes' own validation: its words stay, and the translation stands beside them. */
const UPSTREAM = [
  template("Required value"),
  template("a pod needs at least one container"),
  template("at least 1 access mode is required"),
  template("duplicate value"),
  template("keys must be strings"),
  template("must be a list"),
  template("must be a mapping"),
  template("must be a string"),
  template("must be an integer"),
  template("must be an object"),
  template("must be between {least} and {most}, inclusive"),
  template("must be equal to {name} limit of {limit}"),
  template("must be greater than or equal to 0"),
  template("must be greater than zero"),
  template("must be in the range 1-100"),
  template("must be less than or equal to {name} limit of {limit}"),
  template("must be no more than {n} characters"),
  template("must be true or false"),
  template("must be specified when `operator` is 'In' or 'NotIn'"),
  template("must have at least one node selector term"),
  template("must not be specified when labelSelector is not set"),
  template("no PriorityClass with this name was found"),
  template("only one owner can have controller set to true"),
  template("taints must be unique by key and effect pair"),
  template("value must be empty when `operator` is 'Exists'"),
];

const escaped = (text) => text.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
const place = /(\{\w+\})/;
const pattern = (text) => new RegExp(`^${text.split(place).map((part) => (place.test(part) ? `(?<${part.slice(1, -1)}>.+?)` : escaped(part))).join("")}$`, "s");

/** A function of a text: how the language of the page tells it, null where none of these templates fits (and in English). */
export function toldBy(templates) {
  let table = null;
  return (text) => {
    if (!text || document.documentElement.lang === "en") return null;
    table ??= templates.map((source) => ({ source, fits: pattern(source) }));
    for (const { source, fits } of table) {
      const found = fits.exec(text);
      if (found) return fill(_(source), found.groups ?? {});
    }
    return null;
  };
}

const ours = toldBy(OURS);
const upstream = toldBy(UPSTREAM);

/** A problem's rule, hint or reason in the language of the page, as far as it is known. */
export function inWords(text) {
  const beside = ours(text) === null ? upstream(text) : null;
  return ours(text) ?? (beside === null ? text : `${text} (${beside})`);
}
