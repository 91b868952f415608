/** The button of the certificate, and the name, which stays in this browser. */
const KEY = "playground.certificate";
const name = document.querySelector(".certificate-name input");

if (name) {
  const keep = () => localStorage.setItem(KEY, name.value);
  // The name may be typed before this script loads.
  if (name.value) keep();
  else name.value = localStorage.getItem(KEY) ?? "";
  name.addEventListener("input", keep);
}
document.querySelector("#print")?.addEventListener("click", () => print());
