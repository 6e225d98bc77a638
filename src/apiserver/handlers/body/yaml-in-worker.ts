import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { decodeJsonInTurns } from '../../../machinery/json/strict-json.ts'
import { type DecodedYaml, YamlError, YamlTooLargeError } from '../../../machinery/yaml/yaml.ts'

/** A message to the worker. */
export type YamlQuestion = { readonly id: number } & Question
type Question =
  | { readonly kind: 'read'; readonly bytes: Uint8Array; readonly maxValues: number }
  | { readonly kind: 'write'; readonly json: string }

/** A message from the worker. */
export type YamlResult =
  | { readonly id: number; readonly kind: 'read'; readonly json: string; readonly strictError: string }
  | { readonly id: number; readonly kind: 'written'; readonly yaml: string }
  | { readonly id: number; readonly kind: 'broken' | 'too-large' | 'failed'; readonly message: string }

/** Bounds on a document; see `DecodeJsonOptions`. */
export interface Bounds {
  readonly maxValues: number
  readonly maxMembers: number
}

/** The worker's memory limit; a document of 3 MiB needs a tenth of it. */
const MEMORY_MIB = 512

let current: YamlWorker | undefined

/**
 * Reads YAML in a worker thread, because its parser cannot be interrupted. Keys are sorted. The thread ends when no request is pending:
 * large YAML documents are rare, since kubectl sends JSON.
 * @throws {YamlError}
 * @throws {YamlTooLargeError}
 * @throws {JsonTooLargeError} for a map of too many members
 */
export async function decodeYamlInWorker(bytes: Uint8Array, bounds: Bounds): Promise<DecodedYaml> {
  const answer = await ask({ kind: 'read', bytes, maxValues: bounds.maxValues })
  switch (answer.kind) {
    case 'read': {
      const { value } = await decodeJsonInTurns(answer.json, bounds)
      return { value, strictError: answer.strictError }
    }
    case 'broken':
      throw new YamlError(answer.message)
    case 'too-large':
      throw new YamlTooLargeError(answer.message)
    case 'written':
      throw new Error('the reader of YAML has written')
    case 'failed':
      throw new Error(`the reader of YAML failed: ${answer.message}`)
  }
}

/** Writes JSON as YAML in the worker thread. */
export async function encodeYamlInWorker(json: string): Promise<string> {
  const answer = await ask({ kind: 'write', json })
  if (answer.kind === 'written') return answer.yaml
  throw new Error(`the writer of YAML failed: ${answer.kind === 'read' ? 'it has read' : answer.message}`)
}

async function ask(question: Question): Promise<YamlResult> {
  current ??= new YamlWorker()
  const requested = current
  try {
    return await requested.ask(question)
  } finally {
    if (requested.idle && current === requested) {
      current = undefined
      void requested.end()
    }
  }
}

/** A worker with its pending requests. */
class YamlWorker {
  readonly #worker = new Worker(workerUrl(), {
    name: 'yaml',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  })
  readonly #waiting = new Map<number, { resolve(answer: YamlResult): void; reject(error: unknown): void }>()
  #last = 0

  constructor() {
    this.#worker.on('message', (answer: YamlResult) => {
      const waiter = this.#waiting.get(answer.id)
      this.#waiting.delete(answer.id)
      waiter?.resolve(answer)
    })
    const fail = (error: unknown) => {
      if (current === this) current = undefined
      for (const waiter of this.#waiting.values()) waiter.reject(error)
      this.#waiting.clear()
    }
    this.#worker.on('error', fail)
    this.#worker.on('exit', () => fail(new Error('the reader of YAML ended')))
  }

  get idle(): boolean {
    return this.#waiting.size === 0
  }

  ask(requested: Question): Promise<YamlResult> {
    const id = ++this.#last
    const question: YamlQuestion = { id, ...requested }
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage(question)
    })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }
}

/** The worker is a file beside this one: a source, or a bundled entry point. */
function workerUrl(): URL {
  const here = new URL(import.meta.url)
  return new URL(`./yaml-worker${path.extname(here.pathname)}`, here)
}
