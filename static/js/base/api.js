/** Client of the HTTP API (docs/reference/http-api.md). A failed request throws an error with its problems. */
import { _, fill } from "./i18n.js";
import { guestOptions, isGuest } from "./guest.js";

const BASE = document.body.dataset.api;
// Seconds; longer than an explanation or a large import takes.
const READ_LIMIT = 60;
const WRITE_LIMIT = 300;

/** A failed request. `problems`: [{path, rule, value?, hint?, document?, line?}]; `status` is 0 without an answer. */
export class ApiError extends Error {
  constructor(status, problems, { offers = [], lost = [], request = "" } = {}) {
    super(problems.map(problemText).join("; ") || `HTTP ${status}`);
    this.request = request; // method, path and kind of command: the same for each try
    this.status = status;
    this.problems = problems;
    this.offers = offers;
    this.lost = lost;
  }
}

/** Return one problem as a sentence: path, value, rule, likely fix. */
export function problemText({ path, value, rule, message, hint }) {
  const reason = message ?? rule ?? "";
  const text = value === undefined || reason.includes(String(value)) ? reason : `${JSON.stringify(value)} ${reason}`;
  return `${path ? `${path}: ` : ""}${text}${hint ? `; ${hint}` : ""}`;
}

export const errorText = (error) => error.problems?.map(problemText).join("\n") || error.message;

export function csrfToken() {
  return document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? "";
}

/** Open the login, which returns to this page: the session is over. */
function logIn() {
  const here = encodeURIComponent(location.pathname + location.search);
  location.assign(`${document.body.dataset.login}?next=${here}`);
}

export async function logOut() {
  await fetch("/accounts/logout/", { method: "POST", headers: { "X-CSRFToken": csrfToken() } });
  location.reload();
}

let notifySuccess = (_key) => {};
/** Register `listener(key)`, which is called when a request succeeds, so that notices of earlier failures can close. */
export const onSuccess = (listener) => (notifySuccess = listener);

/** Return the key that tries of one request share: method, path without query, kind of command. */
function requestKey(path, { method = "GET", body = null } = {}) {
  const [, kind = ""] = (typeof body === "string" && body.match(/^\{"kind":"(\w+)"/)) || [];
  return [method, path.split("?")[0], kind].join(" ");
}

async function readAnswer(response, key) {
  if (response.status === 204) return null;
  const isJson = response.headers.get("content-type")?.includes("json");
  const body = isJson ? await response.json() : null;
  if (response.ok) return body;
  if (response.status === 403 && document.body.dataset.login && !isGuest) logIn();
  throw new ApiError(
    response.status,
    body?.problems ?? [{ path: "", rule: body?.detail ?? `HTTP ${response.status}` }],
    { ...body, request: key },
  );
}

/** Send a request; most callers use a function below. */
export async function request(path, options = {}) {
  const key = requestKey(path, options);
  const limit = (options.method ?? "GET") === "GET" ? READ_LIMIT : WRITE_LIMIT;
  const timeout = AbortSignal.timeout(limit * 1000);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const noAnswerError = (rule) => new ApiError(0, [{ path: "", rule }], { request: key });
  try {
    const response = await fetch(BASE + path, { credentials: "same-origin", ...options, signal }).catch((error) => {
      throw error instanceof TypeError ? noAnswerError(_("The server does not respond.")) : error;
    });
    const answer = await readAnswer(response, key);
    notifySuccess(key);
    return answer;
  } catch (error) {
    if (error.name !== "TimeoutError") throw error;
    throw noAnswerError(fill(_("The server did not respond within {n} s."), { n: limit }));
  }
}

let findWriteRefusal = (_path) => "";
/** Register `findRefusal(path)`, which returns why this page cannot write to `path`, "" if it can. */
export const setWriteRefusal = (findRefusal) => (findWriteRefusal = findRefusal);

async function write(method, path, body) {
  if (isGuest) throw new ApiError(403, [{ path: "", rule: _("A shared snapshot is read-only.") }]);
  const refusal = findWriteRefusal(path);
  if (refusal) throw new ApiError(0, [{ path: "", rule: refusal }]);
  const headers = { "X-CSRFToken": csrfToken() };
  if (body !== undefined && !(body instanceof FormData)) headers["Content-Type"] = "application/json";
  return request(path, { method, headers, body: body instanceof FormData ? body : body && JSON.stringify(body) });
}

export const get = (path, signal) => request(path, { signal, ...guestOptions() });
export const post = (path, body = {}) => write("POST", path, body);
export const put = (path, body) => write("PUT", path, body);
export const patch = (path, body) => write("PATCH", path, body);
export const remove = (path) => write("DELETE", path);

/**
 * Encode one part of a path. Browsers resolve `.` and `..` (also `%2E`) as path steps. Encoded twice, they are a name
 * that the server does not find.
 */
const encodePathPart = (part) => encodeURIComponent(part).replace(/^\.{1,2}$/, (dots) => dots.replaceAll(".", "%252E"));

/**
 * Return the path of a cluster's resource, each part encoded: `clusterPath(3, "nodes", "node-1")` →
 * "clusters/3/nodes/node-1/".
 */
export const clusterPath = (...parts) => `clusters/${parts.map((part) => `${encodePathPart(part)}/`).join("")}`;
