// pprof.mjs FILE: a pprof file as npm's pprof-format reads it, one line of JSON
// a stack, for totals.py. NODE_MODULES says where that is installed.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";

const require = createRequire(`${process.env.NODE_MODULES}/`);
const { Profile } = require("pprof-format");

const profile = Profile.decode(gunzipSync(readFileSync(process.argv[2])));
const string = (index) => profile.stringTable.strings[Number(index)];
const types = profile.sampleType.map((type) => `${string(type.type)}/${string(type.unit)}`);
const functions = new Map(profile.function.map((it) => [String(it.id), it]));
const locations = new Map(profile.location.map((it) => [String(it.id), it]));
if (string(profile.defaultSampleType) !== "wall" || string(0) !== "") {
  throw new Error("wall time is not what is shown first");
}
if (profile.mapping.length !== 1 || !profile.mapping[0].hasFunctions) {
  throw new Error("not one mapping with functions");
}
const keys = { "calls/count": "calls", "wall/nanoseconds": "wall", "cpu/nanoseconds": "cpu", "memory/bytes": "memory" };
for (const sample of profile.sample) {
  const stack = [...sample.locationId].map((id) => {
    const [line] = locations.get(String(id)).line;
    const called = functions.get(String(line.functionId));
    if (Number(called.systemName) !== 0) {
      throw new Error("a system name");
    }
    return string(called.name);
  });
  const line = { stack: stack.reverse() };
  types.forEach((type, index) => {
    // Decoders may return negative numbers as unsigned 64 bits.
    const value = BigInt.asIntN(64, BigInt(sample.value[index]));
    if (keys[type]) line[keys[type]] = Number(value);
  });
  console.log(JSON.stringify(line));
}
