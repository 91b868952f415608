/** The start of a page in a class, which reads the class before it opens the cluster. */
import { get } from "../base/api.js";
import { registerDraft, takeDraft } from "../base/drafts.js";
import { startFollowing, joinClass } from "./class_pointer.js";
import { showPanel } from "../base/screen.js";
import { isLookingAround, classPanel, withheldFrom } from "../access/class_membership.js";

/** Enter the class with this number, then call `open` for the cluster. A class that has ended counts as none. */
export async function startInClass(id, open) {
  try {
    joinClass(await get(`classes/${id}/`));
    // After the reload, a follower continues to look around and an open question stays open.
    const draft = takeDraft(`class ${id}`);
    if (draft === null && withheldFrom.peek() !== null) {
      classPanel.value = true;
      showPanel("class");
    }
    if (draft) [isLookingAround.value, classPanel.value] = [draft.away, draft.panel];
    registerDraft(`class ${id}`, () => ({ away: isLookingAround.peek(), panel: classPanel.peek() }));
  } catch (error) {
    if (error.status !== 404) throw error;
  }
  await open();
  startFollowing();
}
