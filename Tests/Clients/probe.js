// Prints what the client for Node gives, one update per line, in the words that all probes share.
//
//     probe.js SOCKET SUBSCRIPTION COUNT [METHOD...]
"use strict";

const { Client } = require("../../clients/node/cyclometer");

const [socket, subscription, count, ...methods] = process.argv.slice(2);
const client = new Client(JSON.parse(subscription), socket);
const plain = (value) => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));
let left = Number(count);

function say(text) {
  if (left <= 0) return;
  console.log(text);
  for (const method of methods.splice(0)) {
    client.request(method, {}).then(
      (answer) => console.log("answer " + JSON.stringify(answer)),
      (error) => console.log("refusal " + (error.code === "disconnected" ? "lost" : error.code)));
  }
  if (--left === 0) client.close();
}

client.on("connected", (hello, isNew) => say(`connected ${hello.instance}${isNew ? " new" : ""}`));
client.on("disconnected", (error) => say(`disconnected ${error.message}`));
client.on("gap", (gap) => say(`gap ${gap.kind} ${gap.lost}`));
client.on("lag", (dropped) => say(`lag ${dropped}`));
for (const event of ["sample", "record"]) client.on(event, (record) => say(`${plain(record.class)} ${plain(record.seq)}`));
client.on("failed", (error) => { say(`failed ${error.message}`); left = 0; });
