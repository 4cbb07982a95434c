// The service worker, which keeps the page's files, and the change to another release.

const SCRIPT = "/service-worker.js";
const TAKE_OVER_MS = 3000;

/** Only in a secure context: over plain HTTP in a network there is none. */
export async function keepFiles() {
  if (!navigator.serviceWorker) return;
  const policy = window.trustedTypes?.createPolicy("service-worker", { createScriptURL: () => SCRIPT });
  try {
    await navigator.serviceWorker.register(policy ? policy.createScriptURL(SCRIPT) : SCRIPT);
  } catch {
    // Without it the page needs its server to open, as it does in other contexts.
  }
}

/** Shows the page again with the files of the server's release. */
export async function changeRelease() {
  const registration = await navigator.serviceWorker?.getRegistration();
  if (registration) {
    await registration.update().catch(() => {});
    const taken = new Promise(resolve => navigator.serviceWorker.addEventListener("controllerchange", resolve, { once: true }));
    const limit = new Promise(resolve => setTimeout(resolve, TAKE_OVER_MS));
    const worker = registration.waiting ?? registration.installing;
    worker?.addEventListener("statechange", () => worker.state === "installed" && worker.postMessage("replace"));
    registration.waiting?.postMessage("replace");
    if (worker) await Promise.race([taken, limit]);
  }
  location.reload();
}
