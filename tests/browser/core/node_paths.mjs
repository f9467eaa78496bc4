// Where the tests find what they import when Node runs them: `/core/` is the client's, as in a page; all are ES modules.

const CORE = new URL("../../../clients/tpclient/web/core/", import.meta.url);

export async function resolve(name, context, next) {
  const found = await next(name.startsWith("/core/") ? new URL(name.slice("/core/".length), CORE).href : name, context);
  return found.url.endsWith(".js") ? { ...found, format: "module" } : found;
}
