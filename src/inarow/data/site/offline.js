// A service worker: keeps the page's files so that it works without a network. Written by `inarow site`.
"use strict";
const OURS = `inarow ${self.registration.scope} `;
const CACHE = OURS + "@VERSION@";
const FILES = "@FILES@";

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(CACHE)
      .then((cache) => cache.addAll(FILES))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  const drop = async () => {
    const names = await caches.keys();
    await Promise.all(
      names.filter((name) => name.startsWith(OURS) && name !== CACHE).map((name) => caches.delete(name)),
    );
    await self.clients.claim();
  };
  event.waitUntil(drop());
});

/** The page itself from the network if there is one, so that a new version is seen; other files have a version in their address. */
async function answer(request) {
  const cache = await caches.open(CACHE);
  if (request.mode === "navigate") return fetch(request).catch(() => cache.match("./"));
  const kept = await cache.match(request);
  if (kept) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

self.addEventListener("fetch", (event) => {
  if (event.request.method === "GET" && event.request.url.startsWith(self.registration.scope))
    event.respondWith(answer(event.request));
});
