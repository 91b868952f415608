/** The certificate's one button; the name that is typed stays in this browser. */
const KEY = "playground.certificate";
const name = document.querySelector(".certificate-name input");

if (name) {
  name.value ||= localStorage.getItem(KEY) ?? "";
  name.addEventListener("input", () => localStorage.setItem(KEY, name.value));
}
document.querySelector("#print")?.addEventListener("click", () => print());
