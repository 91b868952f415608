/** The tour: five steps that point at parts of the page. The user starts it. */
import { _ } from "../base/i18n.js";
import { endTour, tour } from "./tour.js";

/** Return [{at, panel, title, text, keys}]: `at` is the subject, `panel` its tab on a narrow page. */
export const tourSteps = () => [
  {
    at: ".cluster",
    panel: "cluster",
    title: _("This is your cluster"),
    text: _(
      "Each card or cell is a node. Grey is what its pods ask for, blue what the pod in view would add. Click one " +
        "to pin it; everything else follows.",
    ),
    keys: [],
  },
  {
    at: ".transport .buttons",
    panel: "cluster",
    title: _("Time is yours"),
    text: _(
      "Schedule the next pod whole, or watch it plugin by plugin. Go back as far as you like: every cycle is kept.",
    ),
    keys: [
      ["]", _("a cycle")],
      [".", _("a step")],
      ["m", _("slow motion")],
      ["[", _("back")],
    ],
  },
  {
    at: ".pipeline",
    panel: "cluster",
    title: _("The cycle, point by point"),
    text: _(
      "The extension points run from left to right. The numbers are nodes in and nodes left. Click a point to " +
        "stand right after it.",
    ),
    keys: [[">", _("the next point")]],
  },
  {
    at: ".side, #panel",
    panel: "details",
    title: _("Why not, and why that one"),
    text: _(
      "Here are the reasons that rejected nodes, the arithmetic of the scores, the pod, the node, the Events and " +
        "the profile.",
    ),
    keys: [
      ["w", _("why not")],
      ["s", _("scores")],
      ["e", _("profile")],
    ],
  },
  {
    at: ".btn.find, .top .menu:last-of-type",
    panel: "cluster",
    title: _("Everything else by its words"),
    text: _(
      "Find any action, pod, node or cluster here. Make nodes fail, add pods, change the profile, fork the past, " +
        "and look what changes.",
    ),
    keys: [
      ["Ctrl+K", _("find")],
      ["?", _("all keys")],
    ],
  },
];

/** Go to the next step (1) or the previous one (−1); after the last one the tour ends. */
export function moveTour(way) {
  const step = tour.peek().step + way;
  if (step >= tourSteps().length) endTour();
  else if (step >= 0) tour.value = { step };
}
