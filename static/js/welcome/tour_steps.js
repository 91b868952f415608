/** The tour: five steps that point at parts of the page. The user starts it. */
import { _ } from "../base/i18n.js";
import { endTour, tour } from "./tour.js";

/** Return [{selector, panel, title, text, keys}]. `panel` is the tab of the selected element on a narrow page. */
export const tourSteps = () => [
  {
    selector: ".cluster",
    panel: "cluster",
    title: _("This is your cluster"),
    text: _(
      "Each card or cell is a node. Gray shows the requests of its Pods, blue the requests of the Pod " +
        "in view. Click a node to pin it in all views.",
    ),
    keys: [],
  },
  {
    selector: ".transport .buttons",
    panel: "cluster",
    title: _("Control the time"),
    text: _("Schedule the next Pod in one go, or plugin by plugin. You can go back to every earlier cycle."),
    keys: [
      ["]", _("a cycle")],
      [".", _("a step")],
      ["m", _("slow motion")],
      ["[", _("back")],
    ],
  },
  {
    selector: ".pipeline",
    panel: "cluster",
    title: _("The cycle, point by point"),
    text: _(
      "The extension points run from left to right. The numbers are nodes in and nodes left. Click a " +
        "point to see the state right after it.",
    ),
    keys: [[">", _("the next point")]],
  },
  {
    selector: ".side, #panel",
    panel: "details",
    title: _("Reasons and scores"),
    text: _(
      "This panel shows the reasons that rejected nodes, the arithmetic of the scores, the Pod, the " +
        "node, the Events and the profile.",
    ),
    keys: [
      ["w", _("why not")],
      ["s", _("scores")],
      ["e", _("profile")],
    ],
  },
  {
    selector: ".btn.find, .top .menu:last-of-type",
    panel: "cluster",
    title: _("Find everything else"),
    text: _(
      "Find any action, Pod, node or cluster here. Make nodes fail, add Pods, change the profile or " +
        "fork the past, and see the effects.",
    ),
    keys: [
      ["Ctrl+K", _("find")],
      ["?", _("all keys")],
    ],
  },
];

/** Go to the next step (1) or the previous one (−1); after the last one the tour ends. */
export function moveTour(direction) {
  const step = tour.peek().step + direction;
  if (step >= tourSteps().length) endTour();
  else if (step >= 0) tour.value = { step };
}
