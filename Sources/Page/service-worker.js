// Keeps the files of the page, so that the dashboard opens without a server and says that it is cut
// off. Nothing of the server's data is kept. The server writes the hash of all files into FOLDER, so
// each release has a cache of its own.

const FOLDER = "/f/0/";
const CACHE = `files ${FOLDER}`;
const SHELL = "/";
const MANIFEST = "/manifest.webmanifest";
/** So long a server that does not answer may hold up the page. */
const ANSWER_MS = 3000;
/** Files that a file names: absolute paths of the page, and relative imports. */
const NAMED = /["'(]((?:\/f\/|\/fonts\/|\.{1,2}\/)[^"'()\s]+\.(?:js|css|svg|png|ttf|otf))["')]/g;

self.addEventListener("install", event => event.waitUntil(keepAll()));

self.addEventListener("activate", event => event.waitUntil(Promise.all([removeOthers(), self.clients.claim()])));

/** The page asks for this when the bike stands, because the files of two releases do not fit together. */
self.addEventListener("message", event => {
  if (event.data === "replace") self.skipWaiting();
});

self.addEventListener("fetch", event => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== self.location.origin) return;
  if (request.mode === "navigate") {
    // A file of a ride is a download, not a page.
    if (!pathname.startsWith("/api/")) event.respondWith(answerPage(request));
  } else if (pathname.startsWith("/f/") || pathname.startsWith("/fonts/") || pathname === MANIFEST) {
    event.respondWith(answerFile(request));
  }
});

async function answerPage(request) {
  const limit = new Promise((_, reject) => setTimeout(reject, ANSWER_MS));
  try {
    return await Promise.race([fetch(request), limit]);
  } catch {
    return await caches.match(SHELL) ?? Response.error();
  }
}

async function answerFile(request) {
  const kept = await caches.match(request, { ignoreVary: true });
  return kept ?? fetch(request);
}

/** Follows the names in the files from the shell on, so that no list of files has to be kept. */
async function keepAll() {
  const cache = await caches.open(CACHE);
  const paths = [SHELL, MANIFEST];
  for (const path of paths) {
    const response = await fetch(path);
    if (!response.ok) {
      if (path === SHELL) throw new Error(`the page answered ${response.status}`);
      continue;
    }
    await cache.put(path, response.clone());
    if (!/text|script|json/.test(response.headers.get("Content-Type"))) continue;
    for (const [, name] of (await response.text()).matchAll(NAMED)) {
      const { pathname } = new URL(name, new URL(path, self.location.origin));
      const isOurs = pathname.startsWith(FOLDER) || pathname.startsWith("/fonts/");
      if (isOurs && !paths.includes(pathname)) paths.push(pathname);
    }
  }
}

async function removeOthers() {
  const names = await caches.keys();
  await Promise.all(names.filter(name => name !== CACHE).map(name => caches.delete(name)));
}
