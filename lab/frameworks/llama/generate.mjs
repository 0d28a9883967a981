// generate.mjs PACKAGES MODEL NAME [UNTIL]: loads the model on the GPU, makes a context, generates 16 tokens, keeps all of
// it until the file UNTIL exists, and says after each step how much of the device is in use.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [packages, modelPath, name, until] = process.argv.slice(2);
const TOKENS = 16, CONTEXT_SIZE = 2048, STEP_MS = 100, LAST_WORDS_MS = 1000;
const required = createRequire(packages + "/");
const { getLlama, LlamaLogLevel } = await import(pathToFileURL(required.resolve("node-llama-cpp")).href);

// What llama.cpp says of a failure comes from another thread: Node.js ends without it if it ends at once.
process.on("uncaughtException", (error) => {
  console.error(error);
  setTimeout(() => process.exit(1), LAST_WORDS_MS);
});

const llama = await getLlama({
  gpu: "cuda", build: "never", skipDownload: true, vramPadding: 0,
  logLevel: process.env.LOG ? LlamaLogLevel.debug : LlamaLogLevel.error,
});
async function say(what) {
  const { total, used } = await llama.getVramState();
  console.log(`${name}: ${what}; ${Math.round(used / 2 ** 20)} of ${Math.round(total / 2 ** 20)} MiB are in use`);
}

await say(`starts on ${(await llama.getGpuDeviceNames()).join(", ")}`);
const model = await llama.loadModel({ modelPath, gpuLayers: 99, ignoreMemorySafetyChecks: true });
await say(`loaded ${model.gpuLayers} layers`);
const context = await model.createContext({ contextSize: CONTEXT_SIZE, ignoreMemorySafetyChecks: true });
await say(`has a context of ${context.contextSize} tokens`);
let count = 0;
for await (const _ of context.getSequence().evaluate(model.tokenize("hello world"), { temperature: 0 })) {
  if (++count === TOKENS) break;
}
await say(`generated ${count} tokens`);
while (until && !existsSync(until)) await new Promise((resolve) => setTimeout(resolve, STEP_MS));
await context.dispose();
await model.dispose();
console.log(`${name}: ended`);
process.exit(0);
