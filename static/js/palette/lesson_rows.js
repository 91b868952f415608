/** Lessons in the palette, found by title. They are loaded with the first letter. */
import { html, useEffect, useState } from "../../vendor/preact.js";
import { _, loadWithMessages } from "../base/i18n.js";
import { reportError } from "../base/notices.js";
import { isOffered } from "../access/allowed.js";
import { matching } from "./text_search.js";

/** Return the rows of lessons with matching titles; picking one continues or starts it. */
export function useLessons(query) {
  const [walk, setWalk] = useState(null);
  const isSearched = Boolean(query) && isOffered("lessons");
  useEffect(() => {
    if (!isSearched || walk) return;
    loadWithMessages(() => import("../lesson/lesson_progress.js"))
      .then((module) => module.loadLessons().then(() => setWalk(module)))
      .catch(() => {}); // without them the other results still show
  }, [isSearched, walk]);
  if (!isSearched || !walk) return [];
  return matching(walk.lessons.value ?? [], query, ({ title }) => title).map((row) => ({
    key: `lesson ${row.slug}`,
    label: row.title,
    about: _("lesson"),
    end: row.solved ? html`<span class="is-pass">✓ ${_("done")}</span>` : null,
    run: () => walk.continueLesson(row).catch(reportError),
  }));
}
