// Bundles the libraries that package-lock.json pins into files users get as they are, and records what each file is
// made of. Run by `make vendor`, which installs the packages first; npm checks their integrity against the lock file.
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const target = join(root, "static", "vendor");
// axe-core checks accessibility in the browser tests; it is no part of what users are served.
const testTarget = join(root, "tests", "browser", "vendor");
const lock = JSON.parse(await readFile(join(here, "package-lock.json"), "utf8"));

/** One row of the manifest for an installed package; its licence text is copied next to the file that uses it. */
async function describe(name, folder) {
  const installed = join(here, "node_modules", name);
  const { version, license } = JSON.parse(await readFile(join(installed, "package.json"), "utf8"));
  const texts = (await readdir(installed)).filter((file) => /^licen[cs]e/i.test(file)).sort();
  if (!license || !texts.length) throw new Error(`${name}: no licence or no licence text; do not vendor it`);
  const file = join(folder, "licenses", `${name.replace("@", "").replace("/", "-")}.txt`);
  await mkdir(dirname(file), { recursive: true });
  const parts = await Promise.all(texts.map((text) => readFile(join(installed, text), "utf8")));
  await writeFile(file, `${parts.join("\n\n").trimEnd()}\n`);
  const { integrity } = lock.packages[`node_modules/${name}`];
  return { name, version, license, integrity, licenseFile: relative(root, file) };
}

async function entry(file, names) {
  const sha256 = createHash("sha256")
    .update(await readFile(file))
    .digest("hex");
  const packages = [];
  for (const name of [...new Set(names)].sort()) packages.push(await describe(name, dirname(file)));
  return { file: relative(root, file), sha256, packages };
}

async function bundle(source) {
  const outfile = join(target, basename(source));
  const { metafile } = await build({
    absWorkingDir: here,
    entryPoints: [source],
    outfile,
    bundle: true,
    format: "esm",
    minify: true,
    target: "es2022",
    legalComments: "none",
    metafile: true,
    banner: { js: "// Bundled by `make vendor`. Packages, versions and licences: manifest.json." },
  });
  // "node_modules/@scope/name/…" → "@scope/name": what really went into the file, not what was asked for.
  const names = Object.keys(metafile.inputs).flatMap(
    (input) => input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? [],
  );
  return entry(outfile, names);
}

async function copy(name, path, file) {
  await mkdir(dirname(file), { recursive: true });
  await copyFile(join(here, "node_modules", name, path), file);
  return entry(file, [name]);
}

await rm(target, { recursive: true, force: true });
await rm(testTarget, { recursive: true, force: true });
const files = [
  await bundle("src/codemirror.js"),
  await bundle("src/preact.js"),
  await bundle("src/uplot.js"),
  await copy("uplot", "dist/uPlot.min.css", join(target, "uplot.css")),
  await copy("axe-core", "axe.min.js", join(testTarget, "axe.js")),
];
await writeFile(join(target, "manifest.json"), `${JSON.stringify({ files }, null, 2)}\n`);
for (const { file, packages } of files)
  console.log(`${file}: ${packages.map((p) => `${p.name} ${p.version}`).join(", ")}`);
