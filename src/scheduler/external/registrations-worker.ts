import { parentPort, workerData } from 'node:worker_threads'
import { registrations } from '../../sdk/scheduler-plugin/algorithm-registry.ts'
import type { RegisteredModule } from '../legacy/registered-module.ts'

/** Loads a module once and reports what it registered. */
const { url, name, file }: { url: string; name: string; file: string } = workerData
await import(url)
const { predicates, priorities, providers, algorithms } = registrations()
parentPort?.postMessage({
  name,
  file,
  predicates: Object.fromEntries([...predicates].map(([key, of]) => [key, typeof of === 'function' ? null : of])),
  priorities: Object.fromEntries([...priorities].map(([key, { weight }]) => [key, weight])),
  providers: Object.fromEntries(
    [...providers].map(([key, of]) => [key, { predicates: [...of.predicates], priorities: [...of.priorities] }]),
  ),
  algorithms: [...algorithms.keys()],
} satisfies RegisteredModule)
