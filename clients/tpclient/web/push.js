// The service worker of the page: shows pushed notifications.
// The page registers it when a player asks for notifications in this browser.

self.addEventListener("push", (event) => event.waitUntil(tell(read(event.data))));

function read(data) {
  try {
    return data.json();
  } catch {
    return {};
  }
}

/** Show a notice; one about the same game takes the place of the one before. A code is for the page that asked for it. */
async function tell({ title, body, tag, url, code }) {
  if (code) {
    const pages = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
    for (const page of pages) page.postMessage({ code });
  }
  await self.registration.showNotification(title || "Thousand Parsec", { body: body ?? "", tag, icon: "icon.svg", data: { url } });
}

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(come());
});

/** Bring a page of the game to the front, or open one; never another site, whatever a notice says. */
async function come() {
  const [page] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  return page ? page.focus() : self.clients.openWindow("./");
}
