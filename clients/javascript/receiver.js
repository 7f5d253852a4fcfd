// Receives webhooks: verifies each one, and prints it as a line of JSON.
//
//   node receiver.js 9000
//
// The secret of the webhook is in the environment variable CLUBS_WEBHOOK_SECRET. In front of it
// stands whatever ends TLS: Clubs calls https only.

import { createServer } from "node:http";
import { Webhook } from "standardwebhooks";

const MOST_BYTES = 64 * 1024;
const webhook = new Webhook(process.env.CLUBS_WEBHOOK_SECRET);
// The same message may come more than once.
const known = new Set();

async function answer(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    // The rest is not kept, but read: otherwise nobody would get the answer.
    if (size <= MOST_BYTES) parts.push(part);
  }
  if (size > MOST_BYTES) return 413;
  let message;
  try {
    message = webhook.verify(Buffer.concat(parts).toString(), request.headers);
  } catch {
    return 401;
  }
  const name = request.headers["webhook-id"];
  if (!known.has(name)) {
    console.log(JSON.stringify(message));
    known.add(name);
    if (known.size > 10_000) known.delete(known.values().next().value);
  }
  return 204;
}

const server = createServer(async (request, response) => {
  try {
    response.writeHead(await answer(request)).end();
  } catch {
    // The request broke off.
    response.destroy();
  }
});
server.requestTimeout = 10_000;
server.listen(Number(process.argv[2]), "127.0.0.1");
