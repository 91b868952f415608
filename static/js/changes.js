/** What was changed, in the language of the page: the header names it from the first screen on. */
import { template, toldBy } from "./said.js";

const CHANGES = [
  template("set the configuration"),
  template("restore {n} objects"),
  template("create {n} objects"),
  template("update {n} objects"),
  template("recreate {n} objects"),
  template("delete {n} objects"),
  template("create {what}"),
  template("update {what}"),
  template("recreate {what}"),
  template("delete {what}"),
  template("cordon {node}"),
  template("uncordon {node}"),
  template("drain {node}"),
  template("fail node {node}"),
  template("recover node {node}"),
  template("evict {pod}"),
  template("finish pod {pod}"),
];

const changes = toldBy(CHANGES);

/** As the undo list names it. */
export const changeInWords = (text) => changes(text) ?? text;
