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
  let body = "";
  for await (const part of request) {
    body += part;
    if (body.length > MOST_BYTES) return 413;
  }
  let message;
  try {
    message = webhook.verify(body, request.headers);
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

createServer(async (request, response) => {
  response.writeHead(await answer(request)).end();
}).listen(Number(process.argv[2]), "127.0.0.1");
