/** The certificate's one button; the name that is typed stays in this browser. */
const KEY = "playground.certificate";
const name = document.querySelector(".certificate-name input");

if (name) {
  const keep = () => localStorage.setItem(KEY, name.value);
  // What was typed before this was loaded is kept, too.
  if (name.value) keep();
  else name.value = localStorage.getItem(KEY) ?? "";
  name.addEventListener("input", keep);
}
document.querySelector("#print")?.addEventListener("click", () => print());
