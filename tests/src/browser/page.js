// The page that runs kernels in WebGPU. It fetches batches of jobs from the server of
// `mod.rs`, and posts what became of them; `protocol.rs` says how both are written.
//
// What a job does wrong is the job's result and no other's: each is compiled, bound and
// launched in an error scope of its own. A device that is lost takes the results of its
// batch with it, and the next batch gets a new one.
"use strict";

const DONE = 0, REFUSED = 1, FAILED = 2;
const UNIFORM = 0, READ = 1, READ_WRITE = 2;
const align = (bytes, to) => Math.ceil(bytes / to) * to;

// Reads a batch.
class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes);
    this.at = 0;
  }
  word() {
    this.at += 4;
    return this.view.getUint32(this.at - 4, true);
  }
  blob() {
    const length = this.word();
    const blob = new Uint8Array(this.bytes, this.at, length);
    this.at += align(length, 4);
    return blob;
  }
  text() {
    return new TextDecoder().decode(this.blob());
  }
}

// Writes results.
class Writer {
  constructor() {
    this.parts = [];
  }
  word(n) {
    this.parts.push(Uint32Array.of(n));
  }
  blob(bytes) {
    this.word(bytes.length);
    this.parts.push(bytes, new Uint8Array(align(bytes.length, 4) - bytes.length));
  }
  text(text) {
    this.blob(new TextEncoder().encode(text));
  }
}

function decode(bytes) {
  const reader = new Reader(bytes);
  return Array.from({ length: reader.word() }, () => {
    const code = reader.text();
    const groups = [reader.word(), reader.word(), reader.word()];
    const buffers = Array.from({ length: reader.word() }, () => ({ kind: reader.word(), bytes: reader.blob() }));
    return { code, groups, buffers };
  });
}

let opened = null;

async function open() {
  if (!opened) {
    const adapter = await navigator.gpu?.requestAdapter();
    if (!adapter) throw new Error("this browser has no WebGPU adapter");
    // Without limits or features that are asked for, it is what every device has.
    const device = await adapter.requestDevice();
    const mine = { device, lost: null };
    device.lost.then(info => {
      mine.lost = `the device was lost: ${info.reason} ${info.message}`;
      if (opened === mine) opened = null;
    });
    opened = mine;
  }
  return opened;
}

const shown = message => `${message.type} in line ${message.lineNum}: ${message.message}`;

// Runs `work` and adds what it did wrong to the job.
async function scoped(device, job, status, work) {
  const filters = ["validation", "out-of-memory", "internal"];
  filters.forEach(filter => device.pushErrorScope(filter));
  work();
  // They are popped before anything is waited for, since jobs share the stack of scopes.
  const errors = await Promise.all(filters.map(() => device.popErrorScope()));
  const error = errors.find(error => error);
  if (error && job.status === DONE) Object.assign(job, { status, said: error.message });
}

async function compile(device, job) {
  Object.assign(job, { status: DONE, said: "" });
  const types = { [UNIFORM]: "uniform", [READ]: "read-only-storage", [READ_WRITE]: "storage" };
  const scope = scoped(device, job, REFUSED, () => {
    job.module = device.createShaderModule({ code: job.code });
    const entries = job.buffers.map(({ kind }, binding) =>
      ({ binding, visibility: GPUShaderStage.COMPUTE, buffer: { type: types[kind] } }));
    job.layout = device.createBindGroupLayout({ entries });
  });
  const { messages } = await job.module.getCompilationInfo();
  await scope;
  if (job.status === DONE || messages.length) job.said = messages.map(shown).join("\n");
  if (job.status !== DONE) return;
  try {
    const layout = device.createPipelineLayout({ bindGroupLayouts: [job.layout] });
    job.pipeline = await device.createComputePipelineAsync({ layout, compute: { module: job.module } });
  } catch (error) {
    Object.assign(job, { status: REFUSED, said: job.said + String(error.message) });
  }
}

// Queues a launch, and copies of what it writes to the place from `start` on; how many bytes.
function launch(device, encoder, job, staging, start) {
  const bound = job.buffers.map(({ kind, bytes }) => {
    const usage = (kind === UNIFORM ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE) | GPUBufferUsage.COPY_SRC;
    // Room for what a load of nothing reads, and a uniform block is a multiple of 16 bytes.
    const size = bytes.length === 0 ? 256 : align(bytes.length, kind === UNIFORM ? 16 : 4);
    const buffer = device.createBuffer({ size, usage, mappedAtCreation: true });
    new Uint8Array(buffer.getMappedRange()).set(bytes);
    buffer.unmap();
    return buffer;
  });
  const entries = bound.map((buffer, binding) => ({ binding, resource: { buffer } }));
  const pass = encoder.beginComputePass();
  pass.setPipeline(job.pipeline);
  pass.setBindGroup(0, device.createBindGroup({ layout: job.layout, entries }));
  pass.dispatchWorkgroups(...job.groups);
  pass.end();
  let at = start;
  job.buffers.forEach(({ kind, bytes }, i) => {
    if (kind !== READ_WRITE || bytes.length === 0) return;
    const size = align(bytes.length, 4);
    encoder.copyBufferToBuffer(bound[i], 0, staging, at, size);
    at += size;
  });
  job.bound = bound;
}

const written = job => job.buffers.filter(({ kind }) => kind === READ_WRITE);
const room = job => written(job).reduce((sum, { bytes }) => sum + align(bytes.length, 4), 0);

async function run(bytes) {
  const context = await open();
  const { device } = context;
  const jobs = decode(bytes);
  await Promise.all(jobs.map(job => compile(device, job)));
  const launched = jobs.filter(job => job.status === DONE && job.groups[0] > 0);
  const size = Math.max(4, launched.reduce((sum, job) => sum + room(job), 0));
  const staging = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  let at = 0;
  await Promise.all(launched.map(job => {
    job.start = at;
    at += room(job);
    return scoped(device, job, FAILED, () => {
      const encoder = device.createCommandEncoder();
      launch(device, encoder, job, staging, job.start);
      device.queue.submit([encoder.finish()]);
    });
  }));
  let memory = null;
  try {
    await staging.mapAsync(GPUMapMode.READ);
    memory = new Uint8Array(staging.getMappedRange());
  } catch (error) {
    const said = context.lost ?? String(error);
    jobs.filter(job => job.status === DONE).forEach(job => Object.assign(job, { status: FAILED, said }));
  }
  const writer = new Writer();
  writer.word(jobs.length);
  for (const job of jobs) {
    writer.word(job.status);
    writer.text(job.said);
    const results = job.status === DONE && job.groups[0] > 0 ? written(job) : [];
    writer.word(results.length);
    let from = job.start;
    for (const { bytes } of results) {
      writer.blob(memory.slice(from, from + bytes.length));
      from += align(bytes.length, 4);
    }
    job.bound?.forEach(buffer => buffer.destroy());
  }
  // It is copied before the buffer, and with it the memory that results are in, goes.
  const answer = new Blob(writer.parts);
  staging.destroy();
  return answer;
}

async function work() {
  for (;;) {
    const batch = await (await fetch("jobs")).arrayBuffer();
    // Nothing to do for now.
    if (batch.byteLength === 0) continue;
    await fetch("results", { method: "POST", body: await run(batch) });
  }
}

work().catch(error => fetch("failed", { method: "POST", body: `${error}\n${error.stack ?? ""}` }));
