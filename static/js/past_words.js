/** What became of the lines of an old configuration, in the language of the page. */
import { _ } from "./i18n.js";
import { template, toldBy } from "./said.js";

const told = toldBy([
  template("became the plugin {plugin}"),
  template("a Policy is one profile of a configuration now"),
  template("that of a configuration"),
  template("a node is done with at the first plugin that rejects it"),
  template("without any, only the mandatory predicates ran"),
  template("without any, no plugin scores"),
  template("part of every Policy's profile, whatever it said"),
  template("gave all nodes the same score, and was passed over"),
  template("the weight of the plugin"),
  template("weights were cut to 32 bits, and 0 means 1"),
  template("times the number of priorities with such an argument"),
  template("another priority gave the plugin its weight"),
  template("an argument of the plugin"),
  template("counted only if it was not 0 and InterPodAffinityPriority scored"),
  template("was a number of nanoseconds, is a duration now"),
  template("still a plugin"),
  template("with the weight it had"),
  template("in the order it had"),
  template("at the same point"),
  template("nothing that is not enabled by name takes part"),
  template("there is nothing left to disable"),
  template("still a default"),
  template("{plugin} took its place"),
  template("has not changed"),
  template("what is today's default is left out"),
  template("no such field: it was passed over"),
  template("did not exist yet"),
  template("they are defaults today and change nothing here"),
  template("the only version there is since v1.29"),
  template("there is no other kind of lock any more"),
  template("need not be said: follows from the configuration and the plugin"),
  template("a configuration is a file today: --config"),
  template("passed over: a Policy takes its place"),
  template("filled nodes up: scoringStrategy MostAllocated"),
  template("with the weights that the provider had"),
  template("none of these gates plays a part here"),
  template("names the file that follows"),
  template("named the Policy that follows"),
  template("this is today's version"),
  template("prepared what is not enabled, or is no longer needed at this point"),
]);

// Some explanations are several, one after the other; the glossary has many of them whole.
export const pastInWords = (text) => (_(text) === text ? text.split("; ").map((part) => told(part) ?? _(part)).join("; ") : _(text));
