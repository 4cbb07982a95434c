#!/usr/bin/env node
// Prints heart rates as they arrive, and reports when the daemon or a sensor is lost. Every 2 s it
// prints what a display would show if there is no current value.
//
//     example.js [CONTROL_SOCKET] [COUNT]
"use strict";

const { Client } = require("./cyclometer");

const client = new Client({ kinds: ["heart_rate"] }, process.argv[2]);
let left = Number(process.argv[3] ?? Infinity);

client.on("connected", (hello) => console.log("connected to release", hello.release));
client.on("disconnected", (error) => console.log("lost:", error.message));
client.on("failed", (error) => { console.error(error.message); process.exitCode = 1; });
client.on("record", (record) => { if (record.class === "state") console.log(record.sensor, "is", record.state); });
client.on("sample", (sample) => {
  // Some records have intervals only, and the ride repeats the best sensor's value.
  if (sample.bpm === undefined || sample.source !== undefined) return;
  console.log(`${sample.sensor}: ${sample.bpm} bpm`);
  if (--left > 0) return;
  clearInterval(display);
  client.close();
});

const display = setInterval(() => {
  const live = client.live("heart_rate");
  if (!live.value) console.log(`now: - bpm (${live.state})`);
}, 2000);
