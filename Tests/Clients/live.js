// What only the client for Node has, on the server at argv[2]: one line of JSON per step.
"use strict";

const { Client } = require("../../clients/node/cyclometer");

const client = new Client({}, process.argv[2]);
const say = (...values) => console.log(JSON.stringify(values));
const brief = ({ value, age, state, last }) => [value?.bpm ?? null, state, last?.bpm ?? null, age === null ? null : Math.round(age)];

async function main() {
  const live = (sensor) => brief(client.live("heart_rate", sensor));
  say("before", live("strap"));
  const lost = new Promise((done) => { client.on("disconnected", done); });
  await new Promise((done) => {
    client.on("record", ({ mark }) => {
      if (mark === "young") say("young", live("strap"), live("belt"), live());
      if (mark === "stale") say("stale", live("strap"));
      if (mark === "ride") say("ride", live());
      if (mark === "source") say("source", live("ride"));
      if (mark === "removed") say("removed", live("ride"), live("strap"));
      if (mark === "done") done();
    });
  });
  const error = await client.request("pair", { address: "C0:FF:EE:00:00:02" }, 200).catch((reason) => reason);
  say("pair", error.code, await client.request("ping"));
  await lost;
  say("lost", live("ride"), (await client.request("ping", {}, 100).catch((reason) => reason)).code);
  client.close();
  say("closed", (await client.request("ping").catch((reason) => reason)).code);
}

main();
